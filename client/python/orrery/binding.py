# The functions and structs of orrery.h, by ctypes and numpy.
import ctypes
import os
import warnings

import numpy as np

from . import checks

library = ctypes.CDLL(os.environ.get("ORRERY_LIBRARY", "liborrery.so.0.2"))

# Constants of orrery.h.
(THRUST, TORQUE, IMPULSE, GRAB, MOVE, RELEASE, SPAWN, REMOVE, SET_PARAMETER, JOIN, LEAVE,
 SET_CONTROL, DISOWN) = range(13)
NOBODY, ANYONE, OWNER = range(3)
WATCH, PLAY, ADMIN = range(3)
POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, DOUBLE = 1, 2, 4, 8, 256
END, SHORT_BUFFER, DIVERGED = 1, -4, -11
IDLE, CONNECTING, CONNECTED, RECONNECTING, ENDED = range(5)
INTERPOLATE, VERLET, PUBLISHED_VERLET, FOLLOW = range(4)
EXACT, INTERPOLATED, STALE = range(3)
Y_UP_RIGHT, Y_UP_LEFT, Z_UP_LEFT, Z_UP_RIGHT = range(4)
SPRING, TETHER, DISTANCE, BALL, HINGE, SLIDER, WELD = range(7)
CONTACT_END, SENSOR_END, CONTACT_BEGIN, SENSOR_BEGIN, HIT = range(5)
(REFUSED_MALFORMED, REFUSED_NOT_JOINED, REFUSED_ROLE, REFUSED_NO_BODY, REFUSED_FIXED,
 REFUSED_NOT_YOURS, REFUSED_TOO_STRONG, REFUSED_FULL, REFUSED_NO_GRAB,
 REFUSED_UNAVAILABLE) = range(2, 12)

# Structs of orrery.h.
COMMAND = np.dtype([("size", "u4"), ("kind", "i4"), ("client", "u4"), ("sequence", "u4"),
                    ("subject", "u4"), ("role", "i4"), ("first", "f4", 3), ("second", "f4", 3),
                    ("account", "u8"), ("control", "i4"), ("reserved", "u4")])
SPACE = np.dtype([("size", "u4"), ("axes", "u4"), ("units", "f8"), ("origin", "f8", 3)])
WORLD_INFO = np.dtype([("size", "u4"), ("bodies", "u4"), ("tick", "u8"), ("hash", "u8"),
                       ("tick_time", "f8"), ("tick_rate", "u4"), ("scene_bodies", "u4"),
                       ("applied", "u4"), ("events", "u4"), ("scene", "S72")])
LOG_INFO = np.dtype([("size", "u4"), ("rules", "u4"), ("tick_rate", "u4"), ("segments", "u4"),
                     ("first_tick", "u8"), ("last_tick", "u8"), ("lost_ticks", "u8"),
                     ("lost_bytes", "u8"), ("initial_hash", "u8"), ("scene_bytes", "u8"),
                     ("kept_bytes", "u8"), ("closed", "u4"), ("damaged", "u4"),
                     ("session", "u1", 16), ("scene", "S72"), ("build", "S264"),
                     ("fault", "S256")])
RECORD = np.dtype([("size", "u4"), ("commands", "u4"), ("tick", "u8"), ("hash", "u8")])
VERIFICATION = np.dtype([("size", "u4"), ("diverged", "u4"), ("first_divergent_tick", "u8"),
                         ("ticks", "u8"), ("verified", "u8")])
CLIENT_OPTIONS = np.dtype([("size", "u4"), ("follow", "u4"), ("events", "u4"), ("admin", "u4"),
                           ("watch", "u4"), ("plain", "u4"), ("reconnect", "f8"),
                           ("command_min", "f8"), ("command_max", "f8")])
CLIENT_INFO = np.dtype([("size", "u4"), ("phase", "i4"), ("failure", "i4"), ("wants_token", "u4"),
                        ("has_scene", "u4"), ("client", "u4"), ("role", "i4"), ("tick_rate", "u4"),
                        ("tick_time", "f8"), ("epoch", "u8"), ("scene", "S72"),
                        ("problem", "S256"), ("account", "u8")])
CLIENT_STATS = np.dtype(
    [("size", "u4"), ("diverged", "u4")] +
    [(name, "f8") for name in ("round_trip", "jitter", "loss", "frame_delay", "command_slack",
                               "margin")] +
    [(name, "u8") for name in ("commands", "late_reports", "bytes_received", "datagrams_received",
                               "events_missed", "hitches", "jumps", "connections", "ticks_checked",
                               "first_divergent_tick", "refused", "refusals_missed")])
FRAME = np.dtype([("size", "u4"), ("bodies", "u4"), ("tick", "f8")])
SHOWN_BODY = np.dtype([("size", "u4"), ("id", "u4"), ("scene_body", "u4"), ("quality", "i4")])
REFUSAL = np.dtype([("size", "u4"), ("reason", "i4"), ("command", "u8"), ("tick", "u8")])
RAY = np.dtype([("size", "u4"), ("ignores", "u4"), ("ignored", "u4"), ("reserved", "u4"),
                ("origin", "f8", 3), ("along", "f8", 3)])
RAY_HIT = np.dtype([("size", "u4"), ("hits", "u4"), ("body", "u4"), ("part", "u4"),
                    ("fraction", "f8"), ("position", "f8", 3), ("normal", "f8", 3)])
EVENT = np.dtype([("size", "u4"), ("kind", "i4"), ("a", "u4"), ("b", "u4"), ("part_a", "u4"),
                  ("part_b", "u4"), ("speed", "f8"), ("position", "f8", 3), ("normal", "f8", 3)])
LINK = np.dtype([("size", "u4"), ("kind", "i4"), ("a", "u4"), ("b", "u4"), ("at_a", "f8", 3),
                 ("at_b", "f8", 3)])
TOTALS = np.dtype([("size", "u4"), ("in_si", "u4"), ("energy", "f8"), ("momentum", "f8", 3),
                   ("angular_momentum", "f8", 3)])
DIFFERENCE = np.dtype([("size", "u4"), ("bodies", "u4"), ("distance", "f8"), ("a", "f8"),
                       ("b", "f8"), ("body", "u4"), ("field", "S20")])


class Error(Exception):
    """A function of orrery.h failed: `code` is its result, and the text gives the reason."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


def structs(dtype, count=1):
    """Returns an array of structs with their sizes set and all other fields 0."""
    rows = np.zeros(checks.integer(count, "count"), dtype)
    rows["size"] = dtype.itemsize
    return rows


def rays(origins, along):
    """Returns an array of RAY: from each origin to origin + along. Both are n x 3, or 3 numbers for
    one ray."""
    origins, along = np.broadcast_arrays(np.atleast_2d(origins), np.atleast_2d(along))
    if origins.ndim != 2 or origins.shape[1] != 3:
        raise ValueError(f"rays have the shape {origins.shape}; they must be n x 3")
    found = structs(RAY, len(origins))
    found["origin"], found["along"] = origins, along
    return found


def at(array):
    """Returns the address of an array, or null for None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


class Handle:
    """A handle of orrery.h, which is destroyed with this object."""

    handle = ctypes.c_void_p()  # none yet

    def make(self, function, *arguments):
        self.handle, why = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        code = getattr(library, function)(*arguments, ctypes.byref(self.handle), why, 512)
        if code < 0:
            raise Error(code, why.value.decode())
        if why.value:
            warnings.warn(why.value.decode(), stacklevel=3)

    def set_space(self, axes=Y_UP_RIGHT, units=1.0, origin=(0, 0, 0)):
        """Sets the space of all vectors that this object takes and gives, as orrery_set_space."""
        space = structs(SPACE)
        space["axes"], space["units"] = checks.integer(axes, "axes"), units
        space["origin"] = checks.vector(origin, "origin")
        self.call("orrery_set_space", at(space))

    def call(self, function, *arguments):
        return self.check(getattr(library, function)(self.handle, *arguments))

    def check(self, code):
        if code < 0:
            why = ctypes.create_string_buffer(512)
            library.orrery_last_error(self.handle, why, 512)
            if not why.value:  # the handle is closed
                library.orrery_code_text(code, why, 512)
            raise Error(code, why.value.decode())
        return code


def row_of(what):
    """Returns the type and the number of the numbers in a row that `what` selects."""
    what = checks.integer(what, "what")
    numbers = 3 * bin(what & (POSITION | VELOCITY | ANGULAR_VELOCITY)).count("1")
    numbers += 4 if what & ORIENTATION else 0
    if what & ~(POSITION | ORIENTATION | VELOCITY | ANGULAR_VELOCITY | DOUBLE) or not numbers:
        raise ValueError(f"what is {what}; combine POSITION, ORIENTATION, VELOCITY, "
                         "ANGULAR_VELOCITY and DOUBLE")
    return np.dtype(np.float64 if what & DOUBLE else np.float32), numbers


def rows_for(what, *shape):
    """Returns an uninitialised array of rows with the numbers that `what` selects."""
    dtype, numbers = row_of(what)
    return np.empty((*shape, numbers), dtype)
