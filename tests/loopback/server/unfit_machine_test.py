#!/usr/bin/env python3
# Tests both programs with too little memory, too few threads or files, or unsound floating-point
# arithmetic. They must print one line and exit, and never end by a signal.
"""usage: unfit_machine_test.py FOLDER_OF_PROGRAMS [RUNS_FOR_EACH_COMMAND]"""
import os
import pathlib
import platform
import random
import resource
import shutil
import subprocess
import sys
import tempfile

RUNS = int(sys.argv.pop()) if len(sys.argv) > 2 else 15
sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, run

MIB = 1 << 20
SEED = random.randrange(1 << 32)
UNSOUND_FLOATS = pathlib.Path(__file__).resolve().parents[1] / "support/unsound_floats.c"


def start(command, memory=None, files=None, **environment):
    """Runs a command in a new folder under limits. Returns the finished process."""
    def limit():
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        done = subprocess.run([BINARIES / command[0], *map(str, command[1:])], cwd=folder,
                              capture_output=True, text=True, timeout=120, preexec_fn=limit,
                              env=os.environ | environment)
        done.left = os.listdir(folder)
        return done


def complaint(command, done, code=2):
    """Returns the one line of a program that could not run."""
    lines = [line for line in done.stderr.splitlines() if line.startswith(f"{command[0]}: ")]
    assert done.returncode == code, (command, done)
    assert len(lines) == 1 and done.stderr.endswith(lines[0] + "\n"), (command, done)
    assert lines[0].isascii() and lines[0].isprintable(), (command, done)
    return lines[0]


def served(*options):
    return "orreryd", "--listen", "127.0.0.1:0", "--log", "session.orrery", "--ticks", "3", *options


def is_sanitized():
    return start(["orreryd", "--version"], memory=300 * MIB).returncode != 0


def least(works, low, high):
    """Returns the smallest number for which it works, to a quarter of a MiB."""
    while high - low > MIB // 4:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


def judge(command, done):
    """Checks that a program with too little memory either worked or reported it in one line."""
    if done.returncode == 0:
        return "done"
    # A session that lacked memory only for its log runs to its end, and then exits with 1.
    line = complaint(command, done, 1 if done.returncode == 1 else 2)
    if "cannot start a thread: " in line:
        assert "; give fewer threads or jobs" in line, line
        what = "thread"
    else:
        assert "there is not enough memory" in line and "take a smaller scene or log" in line, line
        what = "memory"
    assert "ulimit -v" in line, line
    assert done.returncode == 2 or "to write it" in line, line
    return what


def with_too_little_memory(command, low, high):
    """Runs a command with limits between these. Returns the results."""
    found = {}
    for _ in range(RUNS):
        memory = rng.randrange(low, high)
        what = judge(command, start(command, memory=memory))
        found[what] = found.get(what, 0) + 1
    print(" ".join(map(str, command)), f"{low / MIB:.1f} to {high / MIB:.1f} MiB:", found)
    return found


def memory_that_runs_out_is_one_line():
    if is_sanitized():
        return print("NOT TESTED: a sanitizer takes all of the memory")
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        log = f"{folder}/log"
        done = start(("orrery", "run", "spheres:500", "--ticks", 5, "--log", log))
        assert done.returncode == 0, done
        for command in [served("--scene", "spheres:2000", "--threads", 2, "--shadow"),
                        ("orrery", "run", "spheres:5000", "--ticks", 3, "--threads", 3),
                        ("orrery", "verify", log, log, "--jobs", 2, "--threads", 2)]:
            def starts(memory):
                return start([command[0], "--version"], memory=memory).returncode == 0

            def works(memory):
                return start(command, memory=memory).returncode == 0

            loaded = least(starts, MIB, 100 * MIB)
            enough = least(works, loaded, 2000 * MIB)
            found = with_too_little_memory(command, loaded, enough)
            assert set(found) != {"done"}, found
            with_too_little_memory(command, enough - 3 * MIB, enough + MIB)


def a_scene_that_is_too_large_is_one_line():
    if is_sanitized():
        return print("NOT TESTED: a sanitizer takes all of the memory")
    for command in [served("--scene", "free:1000000"),
                    ("orrery", "run", "free:1000000", "--ticks", 1)]:
        for memory in (50, 300, 400):
            assert judge(command, start(command, memory=memory * MIB)) == "memory"


def too_few_threads_are_one_line():
    if is_sanitized():
        return print("NOT TESTED: a sanitizer takes all of the memory")
    for command in [served("--scene", "tumble", "--threads", 256),
                    ("orrery", "run", "tumble", "--ticks", 1, "--threads", 256)]:
        assert judge(command, start(command, memory=300 * MIB)) == "thread"  # the stacks do not fit


def too_few_files_are_one_line():
    if is_sanitized():
        return print("NOT TESTED: a sanitizer needs files of its own")
    lines = []
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        scene, log = f"{folder}/scene.json", f"{folder}/log"
        done = start(("orrery", "scenes", "tumble", "--json"))
        pathlib.Path(scene).write_text(done.stdout)
        done = start(("orrery", "run", "tumble", "--ticks", 5, "--log", log))
        assert done.returncode == 0, done
        for command in (served("--scene", "tumble"), served("--scene", scene),
                        served("--scene", "tumble", "--status", "status"),
                        served("--scene", "tumble", "--web", "127.0.0.1:0"),
                        ("orreryd", "--listen", "127.0.0.1:0", "--ticks", "3"),
                        ("orrery", "run", scene, "--ticks", 3, "--log", "new"),
                        ("orrery", "verify", log), ("orrery", "plot", log, "-o", "a.svg")):
            for files in range(3, 20):
                done = start(command, files=files)
                if done.returncode in (0, 127):  # 127: the program loader could not open a library
                    continue
                lines.append(complaint(command, done))
                assert command[0] != "orreryd" or not done.left, (command, files, done.left)
                assert "oo many open files" in lines[-1] and "memory" not in lines[-1], lines
                assert lines[-1].endswith("; raise the limit of open files (ulimit -n)"), lines
    assert lines


def build_library(folder):
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "no C compiler: what spoils the floating-point environment cannot be built"
    library = f"{folder}/unsound_floats.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", UNSOUND_FLOATS, "-o", library,
                    "-lm", "-ldl"], check=True)
    return library


def an_unsound_floating_point_environment_is_one_line():
    if is_sanitized():
        return print("NOT TESTED: a sanitizer must be loaded before any other library")
    modes = ["up", "down", "zero"]
    if platform.machine() in ("x86_64", "i686"):
        modes += ["ftz", "daz", "sse-inexact", "invalid", "all"]
    else:
        print(f"ONLY ROUNDING TESTED: no library that spoils the rest of {platform.machine()}")
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        library = build_library(folder)
        log = f"{folder}/log"
        run_one = ("orrery", "run", "playground", "--ticks", 5)
        assert start((*run_one, "--log", log)).returncode == 0
        at_start = [run_one, served(), ("orrery", "--version")]
        in_threads = [(*run_one, "--threads", 2), served("--threads", 2), served("--shadow"),
                      ("orrery", "verify", log, log, "--jobs", 2)]
        for where, commands in ("start", at_start), ("threads", in_threads):
            for command in commands:
                def spoiled(how):
                    return start(command, LD_PRELOAD=library, UNSOUND_FLOATS=how,
                                 UNSOUND_WHERE=where)

                control = spoiled("not at all")
                assert control.returncode == 0, (command, control)
                for how in modes:
                    line = complaint(command, spoiled(how))
                    assert "IEEE 754" in line and "LD_PRELOAD" in line, (command, how, line)
                    assert "memory" not in line, line


rng = random.Random(SEED)
print(f"seed {SEED}")
run([memory_that_runs_out_is_one_line, a_scene_that_is_too_large_is_one_line,
     too_few_threads_are_one_line, too_few_files_are_one_line,
     an_unsound_floating_point_environment_is_one_line])
