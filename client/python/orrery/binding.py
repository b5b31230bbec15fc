# The functions and structs of orrery.h, by ctypes and numpy.
import ctypes
import os
import pathlib
import re
import warnings

import numpy as np

from . import checks

library = ctypes.CDLL(os.environ.get("ORRERY_LIBRARY", "liborrery.so.0.2"))

# Constants of orrery.h.
(THRUST, TORQUE, IMPULSE, GRAB, MOVE, RELEASE, SPAWN, REMOVE, SET_PARAMETER, JOIN, LEAVE,
 SET_CONTROL, DISOWN, SET_VELOCITY, MOVE_TO, PLACE, SET_MOTOR, SET_TARGET, SET_VALUE, MESSAGE,
 TELL, SET_FILTER, SET_GRAVITY_SCALE, KICK, BAN) = range(25)
NOBODY, ANYONE, OWNER = range(3)
WATCH, PLAY, ADMIN = range(3)
POSITION, ORIENTATION, VELOCITY, ANGULAR_VELOCITY, DOUBLE = 1, 2, 4, 8, 256
END, SHORT_BUFFER, DIVERGED = 1, -4, -11
IDLE, CONNECTING, CONNECTED, RECONNECTING, ENDED = range(5)
INTERPOLATE, VERLET, PUBLISHED_VERLET, FOLLOW = range(4)
EXACT, INTERPOLATED, STALE = range(3)
Y_UP_RIGHT, Y_UP_LEFT, Z_UP_LEFT, Z_UP_RIGHT = range(4)
SPRING, TETHER, DISTANCE, BALL, HINGE, SLIDER, WELD = range(7)
(CONTACT_END, SENSOR_END, CONTACT_BEGIN, SENSOR_BEGIN, HIT, JOINT_BROKE, LEFT_BOUNDS, FELL_ASLEEP,
 WOKE) = range(9)
(REFUSED_MALFORMED, REFUSED_NOT_JOINED, REFUSED_ROLE, REFUSED_NO_BODY, REFUSED_FIXED,
 REFUSED_NOT_YOURS, REFUSED_TOO_STRONG, REFUSED_FULL, REFUSED_NO_GRAB,
 REFUSED_UNAVAILABLE, REFUSED_NOT_KINEMATIC, REFUSED_NO_JOINT, REFUSED_NO_CLIENT) = range(2, 15)
VALUES_MAX = 1024  # of a session

# The headers, installed beside this file, or in their places in the source.
_HERE = pathlib.Path(__file__).parent
_HEADERS = [("orrery.h", "../../api/orrery.h"),
            ("orrery_server.h", "../../../server/api/orrery_server.h")]
_TYPES = {"uint8_t": "u1", "uint16_t": "u2", "uint32_t": "u4", "int32_t": "i4", "uint64_t": "u8",
          "float": "f4", "double": "f8"}


def _field(kind, name, count):
    """Returns a field of a struct for numpy. `count` is the length of an array, or empty."""
    if kind == "char":
        return name, "S" + count
    return (name, _TYPES[kind], int(count)) if count else (name, _TYPES[kind])


def _structs():
    """Returns the layouts of the structs of the headers by their names, without the prefix."""
    paths = [next(_HERE / path for path in places if (_HERE / path).exists())
             for places in _HEADERS]
    header = "".join(path.read_text(encoding="utf-8") for path in paths)
    found = re.findall(r"typedef struct orrery_(\w+) \{(.*?)\}", re.sub("//.*", "", header), re.S)
    return {name: np.dtype([_field(*field) for field in
                            re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", body)], align=True)
            for name, body in found}


_FOUND = _structs()
(COMMAND, SPACE, WORLD_INFO, LOG_INFO, RECORD, VERIFICATION, CLIENT_OPTIONS, CLIENT_INFO,
 CLIENT_STATS, FRAME, SHOWN_BODY, REFUSAL, RAY, RAY_HIT, EVENT, LINK, TOTALS, DIFFERENCE, VALUE,
 NOTICE, SERVER_INFO, BODY) = (
     _FOUND[name] for name in (
         "command", "space", "world_info", "log_info", "record", "verification", "client_options",
         "client_info", "client_stats", "frame", "shown_body", "refusal", "ray", "hit", "event",
         "link", "totals", "difference", "value", "notice", "server_info",
         "body"))


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


def make_command(kind, subject=0, first=(0, 0, 0), second=(0, 0, 0), client=0, sequence=0,
                 account=0, control=NOBODY, ticks=0, third=(0, 0, 0), orientation=None, key=b"",
                 text=b"", category=1, mask=0xFFFFFFFF):
    """Returns an array with one COMMAND. `key` and `text`, the bytes of a value, message or notice,
    are bytes or strings. Without `orientation`, a copy has that of the body that it copies, and
    other commands have (0, 0, 0, 1)."""
    if orientation is None:
        orientation = (0, 0, 0, 0 if kind == SPAWN else 1)
    command = structs(COMMAND)
    command["kind"] = checks.integer(kind, "kind", most=0x7FFFFFFF)
    for name, number in (("subject", subject), ("client", client), ("sequence", sequence),
                         ("ticks", ticks), ("category", category), ("mask", mask)):
        command[name] = checks.integer(number, name)
    command["account"] = checks.integer(account, "account", most=2**64 - 1)
    command["control"] = checks.integer(control, "control", most=0x7FFFFFFF)
    for name, numbers in (("first", first), ("second", second), ("third", third)):
        command[name] = checks.vector(numbers, name)
    command["orientation"] = checks.vector(orientation, "orientation", 4)
    for name, field, value in (("key", "key", key), ("text", "bytes", text)):
        found = value.encode() if isinstance(value, str) else checks.data(value, name)
        if len(found) > COMMAND[field].shape[0]:
            raise ValueError(f"{name} has {len(found)} bytes; it may have "
                             f"{COMMAND[field].shape[0]}")
        command[field + "_size"] = len(found)
        command[field][0, :len(found)] = np.frombuffer(found, np.uint8)
    return command


def values_of(handle, function):
    """Returns the values that a function of a handle gives: bytes by key, both of type bytes."""
    count = ctypes.c_uint32()
    some = structs(VALUE, VALUES_MAX)
    handle.call(function, at(some), len(some), ctypes.byref(count))
    return {bytes(one["key"][:one["key_size"]]): bytes(one["bytes"][:one["bytes_size"]])
            for one in some[:count.value]}


def at(array):
    """Returns the address of an array, or null for None."""
    return None if array is None else ctypes.c_void_p(array.ctypes.data)


class Handle:
    """A handle of orrery.h, which is destroyed with this object."""

    handle = ctypes.c_void_p()  # none yet
    api = library

    def make(self, function, *arguments):
        self.handle, why = ctypes.c_void_p(), ctypes.create_string_buffer(512)
        code = getattr(self.api, function)(*arguments, ctypes.byref(self.handle), why, 512)
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
        return self.check(getattr(self.api, function)(self.handle, *arguments))

    def check(self, code):
        if code < 0:
            why = ctypes.create_string_buffer(512)
            self.api.orrery_last_error(self.handle, why, 512)
            if not why.value:  # the handle is closed
                self.api.orrery_code_text(code, why, 512)
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
