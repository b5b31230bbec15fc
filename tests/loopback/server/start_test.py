# Tests that a failed or killed start leaves nothing that prevents the next one.
import contextlib
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Program, run, verify

KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 25

COMMAND = [BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--scene", "tumble"]


@contextlib.contextmanager
def a_log():
    """Returns the path of a log in a new folder."""
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        yield pathlib.Path(folder) / "session.orrery"


def beside(log):
    """Returns the names of all files in the folder of the log."""
    return sorted(path.name for path in log.parent.iterdir())


def serve(*options):
    """Starts or resumes a session and closes it at once."""
    with Program() as server:
        server.launch(*options)
        code, err = server.end()
        assert code == 0, err


def begin_or_continue(log):
    """Serves the log. An empty log counts as none."""
    if log.exists() and log.stat().st_size > 0:
        serve(BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--resume", log)
    else:
        serve(*COMMAND, "--log", log)
    code, report = verify(log)
    assert code == 0 and not report["torn"], report


def a_start_that_is_killed_leaves_nothing_in_the_way():
    seed = random.randrange(1 << 30)
    draw = random.Random(seed)
    print(f"seed {seed}, {KILLS} kills", flush=True)
    for _ in range(KILLS):
        with a_log() as log:
            delay = draw.uniform(0, 0.03)
            server = subprocess.Popen([*COMMAND, "--log", log], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
            time.sleep(delay)
            server.send_signal(signal.SIGKILL)
            server.wait()
            assert not log.exists() or log.stat().st_size > 0, delay
            begin_or_continue(log)


def what_older_builds_left_is_not_in_the_way():
    for left in ({"": b""}, {"": b"", ".lock": b""}, {"": b"", ".lock": b"", ".tmp": b"ORRERYLG"},
                 {".lock": b"", ".tmp": b""}):
        with a_log() as log:
            for ending, content in left.items():
                log.with_name(log.name + ending).write_bytes(content)
            begin_or_continue(log)
            assert beside(log) == [log.name], beside(log)


def refused(options, limit=None):
    """Returns the one line of a start that fails."""
    def set_limit():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    done = subprocess.run(options, capture_output=True, text=True, timeout=20,
                          preexec_fn=set_limit)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
    return done.stderr


def a_start_on_a_full_disk_leaves_nothing_in_the_way():
    """A limit on the file size replaces a full disk."""
    for limit in (200, 1000):  # bytes: room for the key file and for a part of the log's header
        with a_log() as log:
            line = refused([*COMMAND, "--log", log], limit)
            assert f"{log}: cannot be written: File too large" in line, line
            assert beside(log) == [], beside(log)
            begin_or_continue(log)


def an_empty_log_is_said_to_be_one():
    with a_log() as log:
        log.touch()
        line = refused([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--resume", log])
        assert "is empty: no session has begun in it; begin one with --log or --session" in line


run([a_start_that_is_killed_leaves_nothing_in_the_way, what_older_builds_left_is_not_in_the_way,
     a_start_on_a_full_disk_leaves_nothing_in_the_way, an_empty_log_is_said_to_be_one])
