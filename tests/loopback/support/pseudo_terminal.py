# Runs a program on a pseudo terminal, and knows what the terminal shows.
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

# Matches one escape sequence that the programs under test use, or one character.
TOKEN = re.compile(r"\033\[([?0-9;]*)([A-Za-z])|(.)", re.DOTALL)


class PseudoTerminal:
    """A program with a terminal as its stdin and stdout. Used in a `with`."""

    def __init__(self, command, columns=80, rows=24, **environment):
        self.user, self.terminal = pty.openpty()
        self.resize(columns, rows)
        base = {name: value for name, value in os.environ.items()
                if name not in ("NO_COLOR", "COLORTERM")}
        self.process = subprocess.Popen(
            list(map(str, command)), stdin=self.terminal, stdout=self.terminal,
            stderr=subprocess.PIPE, env={**base, "TERM": "xterm-256color", **environment})
        self.cells = {}  # (row, column): character
        self.place = [0, 0]
        self.pages = False  # the alternate screen is shown
        self.clears = 0  # times that the terminal was cleared
        self.said = ""  # everything that arrived

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.user)
        os.close(self.terminal)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        fcntl.ioctl(self.user, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.user, keys.encode())

    def lines(self):
        """What the terminal shows."""
        return ["".join(self.cells.get((row, column), " ") for column in range(self.columns))
                for row in range(self.rows)]

    def wait_for(self, pattern, seconds=20):
        """Reads until a line of the screen matches. Returns the match."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in self.lines():
                if match := re.search(pattern, line):
                    return match
            self.read()
        raise AssertionError(f"no {pattern} in\n" + "\n".join(self.lines()))

    def finish(self, seconds=20):
        """Waits for the end. Returns the exit code and the text on stderr."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self.read()
        while self.read(0):
            pass
        return self.process.wait(timeout=1), self.process.stderr.read().decode()

    def read(self, seconds=0.2):
        """Reads and shows what has arrived. Returns true if something has."""
        if not select.select([self.user], [], [], seconds)[0]:
            return False
        data = os.read(self.user, 65536)
        while len(data) % 65536 and select.select([self.user], [], [], 0.01)[0]:
            data += os.read(self.user, 65536)  # reads all, so that no sequence is cut at the end
        text = data.decode(errors="replace")
        self.said += text
        for parameters, command, character in TOKEN.findall(text):
            self.show(parameters, command, character)
        return True

    def show(self, parameters, command, character):
        row, column = self.place
        if command == "H":
            numbers = [int(n) for n in parameters.split(";") if n] or [1, 1]
            self.place = [numbers[0] - 1, numbers[1] - 1]
        elif command == "J":
            self.cells.clear()
            self.clears += 1
        elif parameters == "?1049":
            self.pages = command == "h"
            self.place = [0, 0]
            self.cells.clear()
        elif character == "\n":
            self.place = [row + 1, 0]
        elif character and character != "\r":
            self.cells[row, column] = character
            self.place = [row, column + 1]
