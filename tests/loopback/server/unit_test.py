#!/usr/bin/env python3
# Tests the systemd unit: its settings, and a server under its filter of system calls.
"""usage: unit_test.py FOLDER_OF_PROGRAMS"""
import ctypes
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, RUN_FOLDER, Server, run, tool

UNIT = pathlib.Path(__file__).resolve().parents[3] / "server" / "deploy" / "orreryd.service"
SETTINGS = [line.split("=", 1) for line in UNIT.read_text().splitlines() if re.match(r"\w+=", line)]


def settings(name):
    return [value for key, value in SETTINGS if key == name]


def the_unit_states_its_limits():
    for name, value in (("LimitCORE", "0"), ("PrivateUsers", "yes"), ("ProcSubset", "pid"),
                        ("NoNewPrivileges", "yes"), ("CapabilityBoundingSet", "")):
        assert settings(name) == [value], (name, settings(name))
    assert "time-sync.target" in settings("After")[0].split(), settings("After")
    assert "~@privileged @resources" in settings("SystemCallFilter"), settings("SystemCallFilter")


def systemd_finds_no_fault():
    """systemd reads the unit, and finds it little exposed: 0 is best, 10 is worst."""
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        unit = pathlib.Path(folder) / UNIT.name
        unit.write_text(UNIT.read_text().replace("ExecStart=orreryd", "ExecStart=/bin/true"))
        read = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], check=False,
                              capture_output=True, text=True, timeout=60)
        faults = [line for line in read.stderr.splitlines() if unit.name in line]
        assert not faults, faults
        rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=14",
                                unit], check=False, capture_output=True, text=True, timeout=60)
        assert rated.returncode == 0, rated.stdout[-300:]


def calls_of(name, seen):
    """Returns the names of the system calls in a set such as @system-service."""
    if not name.startswith("@"):
        return {name}
    if name not in seen:
        said = subprocess.run(["systemd-analyze", "syscall-filter", "--no-pager", name], check=True,
                              capture_output=True, text=True, timeout=60).stdout
        words = re.findall(r"^ +([@\w-]+)$", said, re.MULTILINE)
        seen[name] = set().union(*(calls_of(word, seen) for word in words))
    return seen[name]


def allowed_calls():
    """Returns the numbers of the system calls that the filters of the unit allow."""
    allowed, seen = set(), {}
    for line in settings("SystemCallFilter"):
        calls = set().union(*(calls_of(word, seen) for word in line.lstrip("~").split()))
        allowed = allowed - calls if line.startswith("~") else allowed | calls
    said = subprocess.run(["gcc", "-dM", "-E", "-include", "sys/syscall.h", "-"], input="",
                          check=True, capture_output=True, text=True).stdout
    numbers = dict(re.findall(r"^#define __NR_(\w+) (\d+)$", said, re.MULTILINE))
    return sorted(int(numbers[name]) for name in allowed if name in numbers)


class Confinement:
    """A filter of system calls for a program that a test starts. Other calls kill the program."""

    def __init__(self, allowed):
        def step(code, yes, no, value):
            return struct.pack("=HBBI", code, yes, no, value)

        allow, kill = step(6, 0, 0, 0x7fff0000), step(6, 0, 0, 0x80000000)
        steps = [step(0x20, 0, 0, 0)]  # loads the number of the call
        for number in allowed:
            steps += [step(0x15, 0, 1, number), allow]
        steps.append(kill)
        self.steps = ctypes.create_string_buffer(b"".join(steps))
        self.filter = struct.pack("=H6xQ", len(steps), ctypes.addressof(self.steps))
        self.libc = ctypes.CDLL(None, use_errno=True)

    def __call__(self):
        """Confines this process. For preexec_fn."""
        no_new_privileges, set_filter, by_program = 38, 22, 2
        assert self.libc.prctl(no_new_privileges, 1, 0, 0, 0) == 0
        assert self.libc.prctl(set_filter, by_program, self.filter) == 0


def a_server_lives_under_the_filter():
    """Runs a session with all threads, and its end."""
    confine = Confinement(allowed_calls())
    status = pathlib.Path(RUN_FOLDER) / "status"
    with Server("--scene", "boxes:200", "--threads", "2", "--shadow", "--status", status,
                "--web", "127.0.0.1:0", preexec_fn=confine) as server:
        code, out, err = tool("bot", server.name, "--count", "3", "--seconds", "2")
        assert code == 0, (out, err)
        server.durable_tick()
        code, err = server.end()
        assert code == 0, (code, err)
    assert status.exists()


def a_forbidden_call_kills():
    confine = Confinement([number for number in allowed_calls() if number != 41])  # socket, x86-64
    done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0"], cwd=RUN_FOLDER,
                          preexec_fn=confine, check=False, capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGSYS, done


def under_the_filter():
    if not shutil.which("systemd-analyze"):
        return print("NOT TESTED: systemd-analyze is not installed")
    systemd_finds_no_fault()
    if os.uname().machine != "x86_64":
        return print("NOT TESTED: the filter is made for x86-64 only")
    a_server_lives_under_the_filter()
    return a_forbidden_call_kills()


run([the_unit_states_its_limits, under_the_filter])
