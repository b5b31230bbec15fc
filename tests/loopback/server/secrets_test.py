# Tests what becomes of secrets: keys are erased after use, no core dump has them, and the server
# remembers the newest token that it accepted.
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
from orrery_server import BINARIES, Server, logged, run, tool

LARGE = 1 << 30  # larger mappings belong to sanitizers and are not searched
KEY = bytes(range(100, 132))


def key_file(folder):
    path = pathlib.Path(folder) / "orrery.key"
    path.touch(0o600)
    path.write_text(KEY.hex() + "\nprotocol-id 7\n")
    return path


def copies(pid, secret):
    """Returns the number of places in the memory of a process that have these bytes."""
    count = 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            if " rw" not in line or "[v" in line or end - begin > LARGE:
                continue
            memory.seek(begin)
            count += memory.read(end - begin).count(secret)
    return count


def keys_are_erased_after_use():
    """Only root may read the memory of a server that holds a key."""
    if os.geteuid() != 0:
        return
    with tempfile.TemporaryDirectory(prefix="orrery-key-") as folder:
        path = key_file(folder)
        with Server("--key-file", str(path), "--scene", "tumble") as server:
            pid = server.process.pid
            assert copies(pid, KEY) > 0  # the search finds what is there
            assert copies(pid, KEY.hex().encode()) == 0
            client = protocol.Client(server, netcode.Token(netcode.Key(path), server.address))
            token = client.token
            assert copies(pid, token.to_server) > 0 and copies(pid, token.to_client) > 0
            client.close()
            server.wait_for(" client left ")
            assert copies(pid, token.to_server) == 0 and copies(pid, token.to_client) == 0
            server.end()


def servers_leave_no_core_dump():
    """A server has keys of its connections in development mode too."""
    with tempfile.TemporaryDirectory(prefix="orrery-key-") as folder:
        for options in (("--key-file", str(key_file(folder))), ()):
            core_dumps_are_forbidden(options)


def core_dumps_are_forbidden(options):
    with Server(*options) as server:
        limits = pathlib.Path(f"/proc/{server.process.pid}/limits").read_text()
        line = next(line for line in limits.splitlines() if "core file" in line)
        assert line.split()[4:6] == ["0", "0"], line
        server.end()


def the_newest_token_is_kept_for_the_next_run():
    with tempfile.TemporaryDirectory(prefix="orrery-key-") as folder:
        path = key_file(folder)
        with Server("--key-file", str(path), "--public", "127.0.0.1:5") as server:
            kept = server.log.with_name("orreryd-5.newest-token")
            token = path.with_name("token")
            code, _, err = tool("token", "--key-file", path, "--server", "127.0.0.1:5", "--out",
                                token)
            assert code == 0, err
            code, _, err = tool("bot", server.name, "--seconds", 1, "--token", token)
            assert code == 0, err
            server.end()
            assert stat.S_IMODE(kept.stat().st_mode) & 0o077 == 0
            assert abs(time.time() - int(kept.read_text())) < 300
            line = begun(path, server.log.with_name("next"), f"{int(time.time()) + 1000}\n", kept)
            assert 900 < int(logged(line, "clock behind")[0]["seconds"]) <= 1000, line


def begun(path, log, text, kept, code=0):
    """Starts a server with this text in the file of the newest token. Returns its stderr."""
    kept.write_text(text)
    done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--public",
                           "127.0.0.1:5", "--key-file", path, "--ticks", "3", "--log", log],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done
    return done.stderr


def other_contents_of_its_file_are_refused():
    with tempfile.TemporaryDirectory(prefix="orrery-key-") as folder:
        path = key_file(folder)
        log = pathlib.Path(folder) / "log"
        kept = log.with_name("orreryd-5.newest-token")
        for text in ("", "x", "-1\n", "1", "1\n2\n", " 1\n", "1\r\n", "9" * 30 + "\n",
                     "1\n" * 9999):
            line = begun(path, log, text, kept, 2)
            assert line.count("\n") == 1 and str(kept) in line, line
        assert not log.exists()
        kept.unlink()
        kept.symlink_to(path)
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--public",
                               "127.0.0.1:5", "--key-file", path, "--log", log],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        kept.unlink()
        begun(path, log, "1\n", kept)


run([keys_are_erased_after_use, servers_leave_no_core_dump,
     the_newest_token_is_kept_for_the_next_run, other_contents_of_its_file_are_refused])
