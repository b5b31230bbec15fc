# Starts and ends real programs in a test: on 127.0.0.1, on any free port.
import atexit
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import netcode

# A run folder for the servers and clients of this test only.
RUN_FOLDER = tempfile.mkdtemp(prefix="orrery-test-run-")
atexit.register(shutil.rmtree, RUN_FOLDER)
os.environ["XDG_RUNTIME_DIR"] = RUN_FOLDER

BINARIES = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/bin").resolve()


def tool(*arguments, timeout=60, folder=None):
    """Runs `orrery`, in a folder. Returns its exit code, stdout and stderr."""
    done = subprocess.run([BINARIES / "orrery", *map(str, arguments)], capture_output=True,
                          text=True, timeout=timeout, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def fields_of(line):
    """The fields of a log line of the server, by key."""
    words = [word for word in shlex.split(line) if "=" in word]
    return dict(word.split("=", 1) for word in words)


def logged(text, name):
    """The fields of each event of this name in the log lines of a server."""
    line_of = re.compile(rf"\d\S+Z (?:debug|info |warn |error) {name}( [a-z0-9_]+=.*)?")
    lines = [line for line in text.splitlines() if line_of.fullmatch(line)]
    return [fields_of(line) for line in lines]


def verify(log):
    """Runs `orrery verify`. Returns its exit code and report."""
    code, out, _ = tool("verify", log, "--json")
    return code, json.loads(out) if out else None


class Program:
    """A program that listens until it is ended. Used in a `with`."""

    popen_options = {}

    def launch(self, *command):
        """Starts the program and waits until it is ready. Returns its output lines by their first
        word."""
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, **self.popen_options)
        self.lines = []  # lines on stderr
        self.listener = threading.Thread(target=self.listen)
        self.listener.start()
        said = {}
        for line in self.process.stdout:
            word, _, rest = line.rstrip("\n").partition(" ")
            said[word] = rest
            if word == "ready":
                break
        assert list(said)[-1:] == ["ready"], f"it said {said} and {self.lines}"
        self.name = said["udp"]
        return said

    def listen(self):
        for line in self.process.stderr:
            self.lines.append(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.listener.join()
        self.process.stdout.close()

    def end(self, how=signal.SIGTERM):
        """Sends a signal. Returns the exit code and the output on stderr."""
        os.kill(self.process.pid, how)
        code = self.process.wait(timeout=20)
        self.listener.join()
        return code, "".join(self.lines)

    def durable_tick(self):
        """Returns the tick that the server reports as durable."""
        self.lines.clear()
        self.process.send_signal(signal.SIGUSR1)
        return int(fields_of(self.wait_for(" counters log "))["durable_tick"])

    def wait_for(self, text):
        """Waits until the server has written the text to stderr. Returns the line with the text."""
        while True:
            running = self.process.poll() is None
            for line in list(self.lines):
                if text in line:
                    return line
            assert running, self.lines
            time.sleep(0.002)


class Server(Program):
    """A server with its log in a new folder."""

    def __init__(self, *options, **popen_options):
        self.popen_options = popen_options
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-test-")
        self.log = pathlib.Path(self.folder.name) / "session.orrery"
        self.start("--log", self.log, *options)

    def start(self, *options, listen="127.0.0.1:0"):
        said = self.launch(BINARIES / "orreryd", "--listen", listen, *options)
        assert list(said) in (["udp", "log", "ready"], ["udp", "web", "log", "ready"]), said
        self.web = said.get("web", "").removeprefix("http://")
        assert said["log"] == str(self.log)
        host, _, port = self.name.rpartition(":")
        self.address = (host, int(port))
        self.key_file = pathlib.Path(RUN_FOLDER) / f"{port}.key"

    @property
    def key(self):
        """Returns the key that the server has made for its run."""
        return netcode.Key(self.key_file)

    def resume(self, *options, listen="127.0.0.1:0"):
        """Resumes the session of a server that has ended."""
        self.process.stdout.close()
        self.start("--resume", self.log, *options, listen=listen)

    def __exit__(self, *exception):
        super().__exit__(*exception)
        self.folder.cleanup()


class Netsim(Program):
    """A relay to a server."""

    def __init__(self, server, *options):
        self.launch(BINARIES / "orrery", "netsim", "--listen", "127.0.0.1:0", "--to", server.name,
                    *map(str, options))

    def report(self):
        """Returns the two lines of the final report: towards the server, and towards the
        clients."""
        code, _ = self.end()
        assert code == 0
        return self.process.stdout.read().splitlines()


def run(tests):
    """Runs the functions in order. The first failure ends the program with a traceback."""
    for test in tests:
        test()
        print(f"{test.__name__}: ok", flush=True)
