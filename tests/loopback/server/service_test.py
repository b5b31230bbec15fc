# Tests orreryd as a service. One command line starts a session or resumes it after a crash, and the
# service manager learns when the server is ready.
import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Program, logged, run, verify

GOLDEN_LOGS = pathlib.Path(__file__).resolve().parents[2] / "golden" / "logs"


class Service(Program):
    """A server with the command line of a service."""

    def __init__(self, file, *options, log=None):
        said = self.launch(BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--session", file,
                           *options)
        self.log = pathlib.Path(said["log"])
        assert self.log == (log or file), said

    def play(self, ticks):
        """Waits until `ticks` more ticks are durable."""
        first = self.durable_tick()
        while self.durable_tick() < first + ticks:
            pass

    def crash(self):
        self.end(signal.SIGKILL)

    def close(self):
        """Stops the server. Returns its output on stderr."""
        code, err = self.end()
        assert code == 0, err
        return err


@contextlib.contextmanager
def a_file():
    """Returns a path for a session in a new folder."""
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        yield pathlib.Path(folder) / "session.orrery"


def refused(*options):
    """Returns the one line of a start that fails."""
    done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", *options],
                          capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done
    return done.stderr


def verified(log):
    """Verifies a closed log and returns the number of its ticks."""
    code, report = verify(log)
    assert code == 0 and not report["torn"], report
    return report["ticks"]


def one_command_line_begins_continues_and_begins_the_next():
    with a_file() as file:
        second, third = (file.with_name(f"{file.name}-{number}") for number in (2, 3))
        options = ("--scene", "tumble", "--rate", "120")
        last = 0
        for _ in range(3):
            with Service(file, *options) as server:
                server.play(5)
                server.crash()
                code, report = verify(file)
                assert code == 0 and report["torn"] and report["ticks"] > last, (last, report)
                last = report["ticks"]
        with Service(file, *options) as server:
            err = server.close()
            assert logged(err, "session resumed") and not logged(err, "option ignored"), err
        assert verified(file) >= last
        with Service(file, *options, log=second) as server:
            server.play(5)
            server.crash()
        shutil.copy(second, file)  # now the first log is torn, but only the last one is read
        with Service(file, *options, log=second) as server:
            server.close()
        verified(second)
        third.touch()  # an empty log counts as none
        with Service(file, *options, log=third) as server:
            server.close()
        verified(third)


def scene_and_rate_apply_where_a_session_begins():
    with a_file() as file:
        with Service(file, "--scene", "tumble") as server:
            server.play(3)
            server.crash()
        for options, said in ((("--scene", "solar"), ["--scene"]),
                              (("--scene", "/no/such.json"), ["--scene"]),
                              (("--rate", "30"), ["--rate"]),
                              (("--scene", "tumble", "--rate", "30"), ["--rate"]),
                              (("--scene", "solar", "--rate", "30"), ["--scene", "--rate"]),
                              (("--scene", "tumble", "--rate", "60"), []), ((), [])):
            with Service(file, *options) as server:
                server.crash()
                ignored = logged("".join(server.lines), "option ignored")
                assert [event["option"] for event in ignored] == said, (options, server.lines)


def a_log_that_cannot_continue_is_no_reason_to_begin_another():
    with a_file() as file:
        with Service(file, "--scene", "tumble") as server:
            line = refused("--session", file)
            assert f"--session {file}: is being written by a running server" in line, line
            server.play(3)
            server.crash()
        content = file.read_bytes()
        file.write_bytes(content[:200])
        line = refused("--session", file)
        assert line.startswith(f"orreryd: --session {file}: "), line
        assert not file.with_name(file.name + "-2").exists()
        file.write_text("mine")
        assert "is not a session log" in refused("--session", file)
        line = refused("--session", file.parent / "no" / "log")
        assert "--session" in line and "No such file or directory" in line, line


def a_log_of_an_older_server_that_was_closed_is_left_alone():
    old = GOLDEN_LOGS / "rules-3.orrery"
    with a_file() as file:
        shutil.copy(old, file)
        with Service(file, "--scene", "tumble",
                     log=file.with_name(file.name + "-2")) as server:
            server.close()
        assert file.read_bytes() == old.read_bytes()


def options_that_exclude_each_other_are_said():
    with a_file() as file:
        for option in ("--log", "--resume"):
            line = refused("--session", file, option, file)
            assert "--session" in line and option in line, line
        config = file.with_name("orreryd.toml")
        config.write_text(f'session = "{file}"\n')
        line = refused("--config", config, "--log", file)
        assert "--session excludes --log; give one of them" in line, line
        config.write_text(f'session = "{file}"\nscene = "tumble"\n')
        with Program() as server:
            said = server.launch(BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--config",
                                 config)
            assert said["log"] == str(file), said
            server.end()


def a_log_that_exists_is_told_by_what_became_of_it():
    with a_file() as file:
        with Service(file, "--scene", "tumble") as server:
            line = refused("--log", file)
            assert "is being written by a running program" in line, line
            server.play(3)
            server.crash()
        line = refused("--log", file)
        assert "was not closed" in line and f"--resume {file} or --session {file}" in line, line
        with Service(file) as server:
            server.close()
        line = refused("--log", file)
        assert f"was closed; --session {file} serves the next one, {file}-2" in line, line
        file.write_text("mine")
        line = refused("--log", file)
        assert f"--log {file}: exists already; name a new file for the log" in line, line


def the_service_manager_is_told():
    with a_file() as file, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        path = str(file.with_name("notify"))
        manager.bind(path)
        manager.settimeout(20)
        os.environ["NOTIFY_SOCKET"] = path
        try:
            with Service(file, "--scene", "tumble") as server:
                assert manager.recv(1000) == b"READY=1"
                server.close()
                assert manager.recv(1000) == b"STOPPING=1"
            refused("--session", file, "--scene", "/no/such.json")
        finally:
            del os.environ["NOTIFY_SOCKET"]
        manager.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            raise AssertionError(manager.recv(1000))


run([one_command_line_begins_continues_and_begins_the_next,
     scene_and_rate_apply_where_a_session_begins,
     a_log_that_cannot_continue_is_no_reason_to_begin_another,
     a_log_of_an_older_server_that_was_closed_is_left_alone,
     options_that_exclude_each_other_are_said, a_log_that_exists_is_told_by_what_became_of_it,
     the_service_manager_is_told])
