# A client of a server.
import collections
import ctypes
import weakref

import numpy as np

from .binding import (CLIENT_INFO, CLIENT_OPTIONS, CLIENT_STATS, DOUBLE, END, EVENT, FRAME,
                      ORIENTATION, POSITION, RAY_HIT, REFUSAL, SHORT_BUFFER, SHOWN_BODY, NOTICE,
                      VERLET, Handle, at, library, make_command, rays, rows_for, structs,
                      values_of)
from .checks import integer, path, text, vector
from .world import WorldView

NOW = ctypes.c_uint64(0)  # ignored: the client reads the clock itself

# The shown moment in ticks; an array of SHOWN_BODY; and an array with the position and orientation
# of each of these bodies, n x 7.
Frame = collections.namedtuple("Frame", "tick bodies poses")


class Client(Handle):
    """A client of a server, such as "127.0.0.1:4770". `access` is the path of a token file or key
    file. None means the key of a server that you run on this machine. `with` closes the client.
    `events` asks for events, of a client that follows too."""

    def __init__(self, server, access=None, follow=False, events=False, admin=False,
                 plain=False):
        self.views = weakref.WeakValueDictionary()  # by function
        options = structs(CLIENT_OPTIONS)
        options["follow"], options["events"], options["admin"] = follow, events, admin
        options["plain"] = plain
        self.make("orrery_client_open", text(server, "server"),
                  None if access is None else path(access, "access"), at(options))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        """Ends the connection. Later calls fail."""
        library.orrery_client_destroy(self.handle)
        for closed in (self, *self.views.values()):
            closed.handle.value = None

    def update(self, wait=0.0):
        """Receives and sends. First waits for a datagram, at most `wait` seconds."""
        if not 0 <= wait < float("inf"):
            raise ValueError(f"wait is {wait}; it must be a number of seconds, 0 or more")
        self.call("orrery_client_update", NOW, ctypes.c_uint64(min(int(wait * 1e9), 10**18)))

    def frame(self, mode=VERLET):
        """Returns the Frame of this moment. Before the first state it has no bodies."""
        frame = structs(FRAME)
        self.call("orrery_client_frame", NOW, integer(mode, "mode", most=0x7FFFFFFF), at(frame))
        bodies = structs(SHOWN_BODY, frame[0]["bodies"])
        what = POSITION | ORIENTATION | DOUBLE
        poses = rows_for(what, len(bodies))
        self.call("orrery_client_bodies", at(bodies), len(bodies))
        self.call("orrery_client_read", what, at(poses), 7 * poses.itemsize, len(poses))
        return Frame(frame[0]["tick"], bodies, poses)

    def command(self, kind, subject=0, first=(0, 0, 0), second=(0, 0, 0), **fields):
        """Sends a command: IMPULSE, ... with the fields of orrery_command, as make_command() does.
        Returns its number, for refusals()."""
        command = make_command(kind, subject, first, second, **fields)
        self.call("orrery_client_command", at(command), NOW)
        return int(self.stats["commands"])

    def refusals(self):
        """Returns an array of REFUSAL: the commands that the server refused since the last call.
        The reason is REFUSED_ROLE, ..."""
        found, count = [], ctypes.c_uint32()
        some = structs(REFUSAL, 256)
        while self.call("orrery_client_refusals", at(some), len(some),
                        ctypes.byref(count)) != END:
            found.append(some[:count.value].copy())
        return np.concatenate(found) if found else some[:0]

    def values(self):
        """Returns the values of the session: bytes by key, both of type bytes."""
        return values_of(self, "orrery_client_values")

    def notices(self):
        """Returns the notices to this client since the last call: a list of (tick, bytes)."""
        found, count = [], ctypes.c_uint32()
        some = structs(NOTICE, 64)
        while self.call("orrery_client_notices", at(some), len(some), ctypes.byref(count)) != END:
            found += [(int(one["tick"]), bytes(one["bytes"][:one["bytes_size"]]))
                      for one in some[:count.value]]
        return found

    def cast_ray(self, origin, along):
        """Asks the server for the first part that a ray hits, from the origin to origin + along.
        Returns the number of the ray, which hits() repeats."""
        number = ctypes.c_uint32()
        ray = rays(vector(origin, "origin"), vector(along, "along"))
        self.call("orrery_client_cast_ray", at(ray), NOW, ctypes.byref(number))
        return number.value

    def hits(self):
        """Yields (number of the ray, tick of the state, RAY_HIT) for each answer that arrived."""
        number, tick = ctypes.c_uint32(), ctypes.c_uint64()
        hit = structs(RAY_HIT)
        while self.call("orrery_client_hit", at(hit), ctypes.byref(number),
                        ctypes.byref(tick)) != END:
            yield number.value, tick.value, hit[0].copy()

    def events(self):
        """Yields (tick, array of EVENT) for each tick with events that arrived. A tick may come
        several times."""
        count, tick = ctypes.c_uint32(), ctypes.c_uint64()
        result = ctypes.byref(count), ctypes.byref(tick)
        while True:
            code = library.orrery_client_events(self.handle, None, 0, *result)
            if code != SHORT_BUFFER:
                self.check(code)
                return
            found = structs(EVENT, count.value)
            self.call("orrery_client_events", at(found), len(found), *result)
            yield tick.value, found

    @property
    def info(self):
        """The facts of orrery_client_info: info["phase"], info["problem"], ..."""
        return self._get("orrery_get_client_info", CLIENT_INFO)

    @property
    def stats(self):
        """The figures of orrery_client_stats: stats["round_trip"], ..."""
        return self._get("orrery_get_client_stats", CLIENT_STATS)

    def save_flight(self, where):
        """Saves the last ten seconds of a follower that has diverged as a log. Returns a text that
        names the difference and the file."""
        report = ctypes.create_string_buffer(1024)
        self.call("orrery_client_save_flight", path(where, "where"), report, len(report))
        return report.value.decode(errors="replace")

    def scene(self):
        """Returns a world with the scene of the server in its initial state."""
        return self._view("orrery_client_scene")

    def world(self):
        """Returns the world that this client follows."""
        return self._view("orrery_client_world")

    def _get(self, function, dtype):
        found = structs(dtype)
        self.call(function, at(found))
        return found[0]

    def _view(self, function):
        view = self.views.get(function) or WorldView(self)
        self.views[function] = view
        self.call(function, ctypes.byref(view.handle))
        return view
