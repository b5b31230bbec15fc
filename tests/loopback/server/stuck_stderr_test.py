# Tests that an unread stderr delays neither a tick nor the end of a server.
import contextlib
import fcntl
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, RUN_FOLDER, run, verify
import netcode
from protocol import Client

PIPE_BYTES = 4096  # smallest buffer of a pipe


class Stuck:
    """A server whose stderr is a descriptor of the test. Used in a `with`."""

    def __init__(self, stderr):
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-test-")
        self.log = pathlib.Path(self.folder.name) / "session.orrery"
        self.process = subprocess.Popen(
            [BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--scene", "tumble", "--log",
             self.log], stdout=subprocess.PIPE, stderr=stderr, text=True)
        said = [self.process.stdout.readline().split() for _ in range(3)]
        assert [line[0] for line in said] == ["udp", "log", "ready"], said
        port = int(said[0][1].rpartition(":")[2])
        self.address = ("127.0.0.1", port)
        self.key_file = pathlib.Path(RUN_FOLDER) / f"{port}.key"
        self.key = netcode.Key(self.key_file)

    def ask_for_counters(self, client):
        """Has the server write about seven lines, and waits for three more ticks."""
        tick = client.snapshot()[0]
        self.process.send_signal(signal.SIGUSR1)
        while client.snapshot()[0] <= tick + 2:
            pass

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=30)
        assert code == 0, code
        code, report = verify(self.log)
        assert code == 0 and not report["torn"], report
        assert sorted(p.name for p in self.log.parent.iterdir()) == [self.log.name]
        assert not self.key_file.exists()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


def bytes_waiting(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


@contextlib.contextmanager
def server_with_a_full_pipe():
    """A server whose stderr nobody reads, and a client of it."""
    reading, writing = os.pipe()
    fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    with Stuck(writing) as server:
        client = Client(server)
        while bytes_waiting(reading) < PIPE_BYTES - 300:  # room for no more than a line
            server.ask_for_counters(client)
        yield server, client
    os.close(reading)
    os.close(writing)


def a_pipe_that_nobody_reads_holds_neither_ticks_nor_the_end():
    with server_with_a_full_pipe() as (server, client):
        for _ in range(10):
            server.ask_for_counters(client)
        Client(server).close()  # another client connects and leaves
        server.end()


def a_second_signal_never_kills_the_server():
    """After the session the server waits one second for stderr."""
    for seconds in (0.1, 0.5):
        with server_with_a_full_pipe() as (server, client):
            server.ask_for_counters(client)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(seconds)
            server.process.send_signal(signal.SIGTERM)
            code = server.process.wait(timeout=30)
            assert code in (0, 1), (seconds, code)


def a_stopped_terminal_holds_neither_ticks_nor_the_end():
    master, slave = pty.openpty()
    with Stuck(slave) as server:
        client = Client(server)
        termios.tcflow(slave, termios.TCOOFF)  # as Ctrl-S does
        for _ in range(10):
            server.ask_for_counters(client)
        server.end()
    os.close(slave)
    os.close(master)


run([a_pipe_that_nobody_reads_holds_neither_ticks_nor_the_end,
     a_second_signal_never_kills_the_server,
     a_stopped_terminal_holds_neither_ticks_nor_the_end])
