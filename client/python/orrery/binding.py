# The functions and structs of orrery.h, by ctypes and numpy.
import ctypes
import os

import numpy as np

library = ctypes.CDLL(os.environ.get("ORRERY_LIBRARY", "liborrery.so.0.2"))

# Constants of orrery.h.
(THRUST, TORQUE, IMPULSE, GRAB, MOVE, RELEASE, SPAWN, REMOVE, SET_PARAMETER, JOIN,
 LEAVE) = range(11)
WATCH, PLAY, ADMIN = range(3)
POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, DOUBLE = 1, 2, 4, 8, 256
END, DIVERGED = 1, -11

# Structs of orrery.h.
COMMAND = np.dtype([("size", "u4"), ("kind", "i4"), ("client", "u4"), ("sequence", "u4"),
                    ("subject", "u4"), ("role", "i4"), ("first", "f4", 3), ("second", "f4", 3)])
WORLD_INFO = np.dtype([("size", "u4"), ("bodies", "u4"), ("tick", "u8"), ("hash", "u8"),
                       ("tick_time", "f8"), ("tick_rate", "u4"), ("scene_bodies", "u4"),
                       ("applied", "u4"), ("events", "u4"), ("scene", "S72")])
LOG_INFO = np.dtype([("size", "u4"), ("rules", "u4"), ("tick_rate", "u4"), ("segments", "u4"),
                     ("first_tick", "u8"), ("last_tick", "u8"), ("lost_ticks", "u8"),
                     ("lost_bytes", "u8"), ("initial_hash", "u8"), ("scene_bytes", "u8"),
                     ("closed", "u4"), ("damaged", "u4"), ("session", "u1", 16), ("scene", "S72"),
                     ("build", "S264"), ("fault", "S256")])
RECORD = np.dtype([("size", "u4"), ("commands", "u4"), ("tick", "u8"), ("hash", "u8")])
VERIFICATION = np.dtype([("size", "u4"), ("diverged", "u4"), ("first_divergent_tick", "u8"),
                         ("ticks", "u8"), ("verified", "u8")])


class Error(Exception):
    """A function of orrery.h failed: `code` is its result, and the text gives the reason."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


def structs(dtype, count=1):
    """Returns an array of structs with their sizes set and all other fields 0."""
    rows = np.zeros(count, dtype)
    rows["size"] = dtype.itemsize
    return rows


def at(array):
    """Returns the address of an array, or null for None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


class Handle:
    """A handle of orrery.h, which is destroyed with this object."""

    def make(self, function, *arguments):
        self.handle, why = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        code = getattr(library, function)(*arguments, ctypes.byref(self.handle), why, 512)
        if code < 0:
            raise Error(code, why.value.decode())

    def call(self, function, *arguments):
        code = getattr(library, function)(self.handle, *arguments)
        if code < 0:
            why = ctypes.create_string_buffer(512)
            library.orrery_last_error(self.handle, why, 512)
            raise Error(code, why.value.decode())
        return code


def rows_for(what, *shape):
    """Returns an uninitialised array of rows with the numbers that `what` selects."""
    numbers = 3 * bin(what & (POSITION | VELOCITY | ANGULAR_VELOCITY)).count("1")
    numbers += 4 if what & ORIENTATION else 0
    return np.empty((*shape, numbers), np.float64 if what & DOUBLE else np.float32)
