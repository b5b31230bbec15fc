# Tests a live world that is too large for a snapshot of all bodies.
import re
import subprocess
import sys

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, run

BODIES = 20_000


def programs(server, verb, *options):
    return subprocess.Popen([BINARIES / "orrery", verb, server.name, *options],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def all_bodies_become_known_while_somebody_plays():
    with Server("--scene", f"free:{BODIES}") as server:
        bot = programs(server, "bot", "--count", "1", "--seconds", "10")
        watch = programs(server, "watch", "--seconds", "60")
        known = 0
        for line in watch.stdout:
            head = re.match(r"free  tick \S+  (\d+) bodies", line)
            known = max(known, int(head[1]) if head else 0)
            if known >= BODIES:
                break
        out, err = bot.communicate(timeout=60)
        assert known >= BODIES, known
        assert bot.returncode == 0, (out, err)
        code, err = server.end()
        assert code == 0, err
        _, said = watch.communicate(timeout=20)
        assert watch.returncode == 0 and "stopped" in said, said


run([all_bodies_become_known_while_somebody_plays])
