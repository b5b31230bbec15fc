# Tests the client in client/examples: it plays on a real server, and the log contains its commands.
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, logged, run, tool, verify

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "client/examples"
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(BINARIES.parent / "generated/python"))


def example(*arguments):
    """Runs the client. Returns its exit code, stdout lines and stderr. Debian's Python has the
    packages."""
    done = subprocess.run([EXAMPLES / "minimal_client.py", *map(str, arguments)],
                          capture_output=True, text=True, timeout=30, env=ENVIRONMENT)
    return done.returncode, done.stdout.splitlines(), done.stderr


def without_numbers(lines):
    return {re.sub(r"-?\d+(\.\d+)?", "N", line) for line in lines}


def commands_of_client(log):
    code, out, err = tool("log", "export", log)
    assert code == 0, err
    return [command for line in out.splitlines() for command in json.loads(line).get("commands", [])
            if command["client"] != 0]


def it_lifts_a_body_and_says_what_its_readme_shows(*options):
    with Server() as server:
        code, lines, err = example(server.name, "--body", 37, "--seconds", 2, *options)
        assert (code, err) == (0, ""), err
        shown = (EXAMPLES / "README.md").read_text().splitlines()
        assert without_numbers(lines) <= without_numbers(shown), lines
        code, err = server.end()
        assert code == 0 and logged(err, "client left") == [{"id": "1", "reason": "asked"}], err
        dropped = logged(err, "counters dropped")[-1]
        assert dropped["malformed"] == dropped["impostor"] == "0", err
        assert logged(err, "counters commands")[-1]["gaps"] == "0", err
        code, report = verify(server.log)
        assert code == 0 and report["first_divergent_tick"] is None, report
        grab, release = commands_of_client(server.log)
        assert grab["command"] == "grab" and grab["body"] == 37, grab
        place = [float(x) for x in lines[-2].rpartition(" at ")[2].split(", ")]
        # The body hangs slightly below the point that it is pulled to.
        assert all(abs(a - b) < 0.2 for a, b in zip(place, grab["target"])), (lines, grab)
        assert release["command"] == "release", release


def coded_frames_show_it_the_same():
    it_lifts_a_body_and_says_what_its_readme_shows("--coded")


def a_token_lets_it_in_and_its_role_holds():
    with Server() as server, tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        token = pathlib.Path(folder) / "watch.token"
        code, _, err = tool("token", "--key-file", server.key_file, "--server", server.name,
                            "--role", "watch", "--out", token)
        assert code == 0, err
        code, lines, err = example(server.name, "--token", token, "--seconds", 1)
        assert (code, err) == (0, "") and "client 1, watch" in lines[0], (lines, err)
        assert lines[-1] == "left: 2 of 2 commands acknowledged", lines
        server.end()
        assert commands_of_client(server.log) == []


def it_says_why_it_cannot_play():
    code, lines, err = example("127.0.0.1:1")
    assert code == 2 and lines == [] and "1.key" in err, err
    with Server() as server:
        token = pathlib.Path(server.folder.name) / "junk.token"
        token.write_bytes(bytes(2048))
        code, _, err = example(server.name, "--token", token)
        assert code == 2 and "not a connect token" in err, err


run([it_lifts_a_body_and_says_what_its_readme_shows, coded_frames_show_it_the_same,
     a_token_lets_it_in_and_its_role_holds, it_says_why_it_cannot_play])
