# A server with rules of your own.
import ctypes
import os

import numpy as np

from .binding import (COMMAND, END, REFUSAL, SERVER_INFO, SHORT_BUFFER, Error, Handle, at,
                      make_command, structs)
from .checks import integer, rows, text
from .world import WorldView

_library = []  # liborrery-server, when the first server has loaded it


class ServerWorld(WorldView):
    """The world of a server: the state after its last tick. It can be read only."""

    def __init__(self, owner):
        super().__init__(owner)
        self.api = owner.api


class Server(Handle):
    """A server with the options of orreryd: Server("--scene", "playground", "--log", "a"). A loop
    over it gives its world before each tick that is due, and makes the tick after each round:

        with orrery.Server("--scene", "playground") as server:
            for world in server:
                ...  # read the world, and decide with server.command()

    The loop ends with the session: at SIGINT, SIGTERM or the last tick of --ticks. `with` closes
    the session. After an exception, `with` leaves it as a crash would, and --resume continues it.
    sys.exit() closes it. Use a server in one thread. A process has one at a time."""

    ended = False

    def __init__(self, *options):
        if not _library:
            name = os.environ.get("ORRERY_SERVER_LIBRARY", "liborrery-server.so.0.2")
            _library.append(ctypes.CDLL(name))
        self.api = _library[0]
        words = (ctypes.c_char_p * len(options))(*[text(str(word), "an option")
                                                   for word in options])
        self.make("orrery_server_open", words, len(words))
        self.world = ServerWorld(self)
        self.call("orrery_server_world", ctypes.byref(self.world.handle))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind and issubclass(kind, Exception):
            self.abandon()
        else:
            self.close()

    def __del__(self):
        if self.ended:
            self.close()
        else:
            self.abandon()

    def __iter__(self):
        while self.wait():
            yield self.world
            self.step()

    def close(self):
        """Ends the session: informs the clients and closes the log. Later calls fail."""
        if not self.handle:
            return
        why = ctypes.create_string_buffer(1024)
        code = self.api.orrery_server_close(self.handle, why, len(why))
        self.handle.value = self.world.handle.value = None
        if code < 0:
            raise Error(code, why.value.decode(errors="replace"))

    def abandon(self):
        """Leaves the session as a crash would: --resume continues it. Later calls fail."""
        if self.handle:
            self.call("orrery_server_abandon")
            self.handle.value = self.world.handle.value = None

    def wait(self):
        """Waits until a tick is due. Returns False if the session ends."""
        self.ended = self.call("orrery_server_wait") == END
        return not self.ended

    def step(self):
        """Makes the tick that is due."""
        self.call("orrery_server_step")

    def commands(self):
        """Returns an array of COMMAND: those of the tick that is due, in order. First come those of
        client 0, the server."""
        count = ctypes.c_uint32()
        code = self.api.orrery_server_commands(self.handle, None, 0, ctypes.byref(count))
        found = structs(COMMAND, count.value)
        if code == SHORT_BUFFER:
            self.call("orrery_server_commands", at(found), len(found), ctypes.byref(count))
        else:
            self.check(code)
        return found

    def change(self, index, command=None):
        """Replaces a command of a client by an array with one COMMAND, or drops it. `index` is its
        place in commands()."""
        if command is not None and len(rows(command, "command", COMMAND)) != 1:
            raise ValueError(f"command has {len(command)} commands; it must have one")
        self.call("orrery_server_change", integer(index, "index"), at(command))

    def command(self, kind, subject=0, **fields):
        """Decides a command of client 0 in the tick that is due: PLACE, ... with the fields of
        orrery_command, as make_command() does. Returns its number, for refusals()."""
        command = make_command(kind, subject, **fields)
        number = ctypes.c_uint64()
        self.call("orrery_server_command", at(command), ctypes.byref(number))
        return number.value

    def refusals(self):
        """Returns an array of REFUSAL: the decisions that steps refused since the last call."""
        found, count = [], ctypes.c_uint32()
        some = structs(REFUSAL, 256)
        while self.call("orrery_server_refusals", at(some), len(some),
                        ctypes.byref(count)) != END:
            found.append(some[:count.value].copy())
        return np.concatenate(found) if found else some[:0]

    @property
    def info(self):
        """The facts of orrery_server_info: info["address"], ..."""
        info = structs(SERVER_INFO)
        self.call("orrery_get_server_info", at(info))
        return info[0]
