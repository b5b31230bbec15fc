#!/usr/bin/env python3
# Tests the server as a library: the first rule in C and in Python, and wrong uses. Every log must
# verify without the rules.
"""usage: server_test.py FOLDER_OF_PROGRAMS"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../loopback/support")
from orrery_server import BINARIES, RUN_FOLDER, run, tool, verify

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "server" / "examples"
PYTHON_ENV = {"PYTHONPATH": str(ROOT / "client" / "python"),
              "LD_LIBRARY_PATH": str(BINARIES.parent / "lib")}
LINES_MAX = {"goals.c": 25, "goals.cpp": 25, "goals.py": 15}
GOALS = 3  # of the ball that falls into the goal again and again


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def commands_of(log):
    """Returns all commands in a log."""
    code, out, err = tool("log", "export", log)
    assert code == 0, err
    records = [json.loads(line) for line in out.splitlines()[1:]]
    return [command for record in records for command in record["commands"]]


def decisions(log):
    """Returns the commands in a log that client 0 gave, without joins, leaves and disowns."""
    return [command for command in commands_of(log)
            if command["client"] == 0 and command["command"] not in ("join", "leave", "disown")]


class Program:
    """A program of rules that is a server, with its output on stderr. Used in a `with`."""

    def __init__(self, *command):
        self.name = f"127.0.0.1:{free_port()}"
        self.process = subprocess.Popen(
            [*command, "--listen", self.name], stderr=subprocess.PIPE, text=True,
            env={**os.environ, **PYTHON_ENV})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def count_goals(self, most):
        """Reads the goals from 1 to `most`."""
        goals = 0
        for line in self.process.stderr:
            goals += line == f"goals {goals + 1}\n"
            if goals == most:
                return
        raise AssertionError(f"{goals} goals, code {self.process.wait(timeout=20)}")

    def wait_until_open(self):
        """Waits until clients can connect."""
        key = pathlib.Path(RUN_FOLDER) / f"{self.name.rpartition(':')[2]}.key"
        while not key.exists():
            assert self.process.poll() is None, self.process.stderr.read()
            time.sleep(0.01)

    def play(self):
        """Lets two bots play for two seconds."""
        self.wait_until_open()
        code, out, err = tool("bot", self.name, "--count", 2, "--seconds", 2, "--json")
        assert code == 0, err
        report = json.loads(out)
        assert report["connected"] == 2 and report["problems"] == 0, report

    def end(self):
        """Ends the session. Returns the rest of its output."""
        self.process.send_signal(signal.SIGTERM)
        _, rest = self.process.communicate(timeout=20)
        assert self.process.returncode == 0, rest
        return rest


def check_log(log):
    code, report = verify(log)
    assert code == 0 and not report["torn"] and report["verified"] == report["ticks"], report


def keeps_score(*command):
    """Runs a program with the first rule, plays with bots, ends it and verifies its log."""
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        with Program(*command, "--scene", EXAMPLES / "goals.json", "--log", log) as program:
            program.count_goals(GOALS)
            program.play()
            goals = GOALS + program.end().count("goals ")
        check_log(log)
        made = decisions(log)
        assert {command["command"] for command in made} == {"place"}, made
        # The last goal may have been counted in a tick that was not made.
        assert goals - len(made) in (0, 1), (goals, made)


def rules_are_checked_with_a_log():
    """The same rule decides the same with the clients of a log. A changed rule does not."""
    check = (EXAMPLES / "check_rules.py").read_text()
    assert "(0, 3, 0)" in check
    changed = check.replace("(0, 3, 0)", "(0, 4, 0)")
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        with Program(BINARIES / "goals", "--scene", EXAMPLES / "goals.json", "--log",
                     log) as program:
            program.count_goals(1)
            program.play()
            program.end()
        assert len(commands_of(log)) > len(decisions(log)) + 20, "the bots did nothing"
        for rules, code, said in ((check, 0, "the rules decided the same"),
                                  (changed, 1, "the rules decided otherwise")):
            done = subprocess.run(["/usr/bin/python3", "-c", rules, log], capture_output=True,
                                  text=True, timeout=60, env={**os.environ, **PYTHON_ENV})
            assert done.returncode == code and said in done.stdout + done.stderr, done


def the_page_has_the_first_rules():
    page = (ROOT / "server" / "RULES.md").read_text()
    for name, begin in (("goals.py", "import sys\n"), ("goals.c", "#include <stdio.h>\n"),
                        ("goals.cpp", "#include <cstdio>\n")):
        text = (EXAMPLES / name).read_text()
        assert text[text.index(begin):] in page, name


def a_killed_program_continues():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        goals = BINARIES / "goals"
        with Program(goals, "--scene", EXAMPLES / "goals.json", "--log", log) as program:
            program.count_goals(2)
            time.sleep(0.2)  # a record is on the disk within 0.1 s
            program.process.kill()
        with Program(goals, "--resume", log) as program:
            program.count_goals(2)
            program.end()
        check_log(log)
        assert len(decisions(log)) >= 3


# Drops the commands of client 1, and replaces those of client 2.
FILTER = """
import orrery, sys
push = orrery.structs(orrery.COMMAND)
push["kind"], push["subject"], push["first"] = orrery.IMPULSE, 37, (0, 0.125, 0)
seen = 0
server = orrery.Server(*sys.argv[1:])
for _ in server:
    for index, command in enumerate(server.commands()):
        if command["client"]:
            server.change(index, push if command["client"] == 2 else None)
            seen += 1
print("seen", seen, file=sys.stderr)
server.close()
"""


def rules_filter_commands():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        with Program("/usr/bin/python3", "-c", FILTER, "--scene", "playground", "--log",
                     log) as program:
            program.play()
            assert int(program.end().split("seen ")[1].split()[0]) > 20
        check_log(log)
        applied = [(c["client"], c["command"]) for c in commands_of(log) if c["client"] != 0]
        assert set(applied) == {(2, "impulse")}, set(applied)


# Removes each client that joins, and bans it if its id is even.
KICK = """
import orrery, sys
with orrery.Server(*sys.argv[1:]) as server:
    for world in server:
        for event in world.applied():
            if event["kind"] == orrery.JOIN:
                kind = orrery.KICK if event["subject"] % 2 else orrery.BAN
                server.command(kind, event["subject"], text="closed today")
"""


def rules_kick_and_ban():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        with Program("/usr/bin/python3", "-c", KICK, "--scene", "playground", "--log",
                     log) as program:
            program.wait_until_open()
            code, out, _ = tool("bot", program.name, "--count", 2, "--seconds", 5, "--json")
            said = program.end()
        assert code == 1 and json.loads(out)["problems"] == 2, out
        assert "reason=kicked" in said and "reason=banned" in said, said
        check_log(log)
        made = [(c["command"], c["reason"]) for c in decisions(log)]
        assert sorted(made) == [("ban", "closed today"), ("kick", "closed today")], made


def a_rule_in_c_counts_goals():
    keeps_score(BINARIES / "goals")


def a_rule_in_cpp_counts_goals():
    keeps_score(BINARIES / "goals_cpp")


def a_rule_in_python_counts_goals():
    keeps_score("/usr/bin/python3", EXAMPLES / "goals.py")


def the_first_rules_are_short():
    for name, most in LINES_MAX.items():
        lines = (EXAMPLES / name).read_text().splitlines()
        code = [line for line in lines if line.strip() and not line.startswith(("//", "#!", "# "))]
        assert len(code) <= most, (name, len(code))


def wrong_uses_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BINARIES / "server_misuse", f"{folder}/log"], capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 0 and "every wrong use was refused" in done.stdout, done.stderr
        code, report = verify(f"{folder}/log")
        assert code == 0 and not report["torn"] and report["ticks"] == 40, report


def the_face_in_cpp_reports_errors():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([BINARIES / "server_face", f"{folder}/log"], capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 0 and "does what it says" in done.stdout, done
        code, report = verify(f"{folder}/log")
        assert code == 0 and not report["torn"] and report["ticks"] == 20, report


PYTHON_MISUSE = """
import orrery, sys, threading, time
options = ["--scene", "playground", "--listen", "127.0.0.1:0", "--log-level", "warn", "--log"]
server = orrery.Server(*options, sys.argv[1])
def refused(code, call, *arguments, **fields):
    try:
        call(*arguments, **fields)
    except orrery.Error as error:
        assert error.code == code and str(error), (error.code, error)
    else:
        raise AssertionError("it was not refused")
refused(-18, server.step)
refused(-19, orrery.Server)
assert server.wait() and server.wait()
refused(-5, server.command, orrery.PLACE, 99999)
refused(-7, server.command, orrery.PLACE, 37, first=(0, float("nan"), 0))
number = server.command(orrery.PLACE, 37, first=(0, 5, 0))
other = threading.Thread(target=refused, args=(-20, server.step))
other.start()
other.join()
world = server.world
server.step()
assert number == 1 and len(world.applied()) == 1
assert abs(world.read()[world.ids() == 37][0, 1] - 5) < 1
assert server.info["decisions"] == 1 and server.info["refused"] == 2
image = world.save()
first = world.body(0)
assert first["name"] == b"chain 0" and first["scene_body"] == 0 and first["mass"] == 1, first
refused(-5, world.body, 99999)
assert server.info["slowed"] == 0 and server.wait()
time.sleep(0.5)  # a rule that takes the time of 30 ticks
server.step()
for _ in range(5):
    assert server.wait()
    server.step()
assert 20 <= server.info["slowed"] <= 40, server.info["slowed"]
server.close()
refused(-1, world.save)
refused(-1, server.wait)
server.close()
with orrery.Server(*options, sys.argv[1] + "-2") as another:
    for world in another:
        raise SystemExit("left in a tick" if len(image) > 0 else "no image")
"""


def wrong_uses_in_python_are_refused():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["/usr/bin/python3", "-c", PYTHON_MISUSE, f"{folder}/log"],
                              capture_output=True, text=True, timeout=60,
                              env={**os.environ, **PYTHON_ENV})
        assert done.returncode == 1 and "left in a tick" in done.stderr, done.stderr
        for log, ticks in (("log", 7), ("log-2", 0)):
            code, report = verify(f"{folder}/{log}")
            assert code == 0 and not report["torn"] and report["ticks"] == ticks, report


# Fails in tick 30.
FAULT = """
import orrery, sys
with orrery.Server(*sys.argv[1:]) as server:
    for world in server:
        if world.info["tick"] == 30:
            raise ValueError("a fault of the rules")
"""


def a_fault_in_python_leaves_the_session_to_resume():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        with Program("/usr/bin/python3", "-c", FAULT, "--scene", "playground", "--log",
                     log) as program:
            _, said = program.process.communicate(timeout=20)
            assert program.process.returncode == 1 and "a fault of the rules" in said, said
        code, report = verify(log)
        assert code == 0 and report["ticks"] == 30, report
        with Program(BINARIES / "goals", "--resume", log, "--ticks", "40") as program:
            _, said = program.process.communicate(timeout=20)
            assert program.process.returncode == 0 and "resumed tick=30" in said, said
        check_log(log)


if __name__ == "__main__":
    run([the_page_has_the_first_rules, the_first_rules_are_short, a_rule_in_c_counts_goals,
         a_rule_in_cpp_counts_goals, a_rule_in_python_counts_goals, rules_are_checked_with_a_log,
         a_killed_program_continues, a_fault_in_python_leaves_the_session_to_resume,
         rules_filter_commands, rules_kick_and_ban, wrong_uses_are_refused,
         the_face_in_cpp_reports_errors, wrong_uses_in_python_are_refused])
