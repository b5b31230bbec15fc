# Checks what a caller passes, before C gets its address: C cannot see how long an array is.
import operator
import os

import numpy as np


def integer(value, name, least=0, most=0xFFFFFFFF):
    """Returns an integer from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {number}; it must be from {least} to {most}")
    return number


def text(value, name):
    """Returns a string as UTF-8 that C reads up to its end."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    return _without_zero(value.encode(), name)


def path(value, name):
    """Returns a path as the bytes of its name."""
    try:
        found = os.fsencode(value)
    except TypeError:
        raise TypeError(f"{name} must be a path, not {type(value).__name__}") from None
    return _without_zero(found, name)


def _without_zero(found, name):
    if b"\0" in found:
        raise ValueError(f"{name} has a zero byte")
    return found


def data(value, name):
    """Returns bytes: `value`, or a copy of the buffer of another object."""
    try:
        return value if isinstance(value, bytes) else bytes(memoryview(value))
    except TypeError:
        raise TypeError(f"{name} must be bytes, not {type(value).__name__}") from None


def vector(value, name, count=3):
    """Returns three numbers, or `count`."""
    try:
        found = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be {count} numbers") from None
    if found.shape != (count,):
        raise ValueError(f"{name} has the shape {found.shape}; it must be {count} numbers")
    return found


def array(value, name, dtype, shape, writable=False):
    """Returns an array whose memory C may use as it is: of this type in the byte order of this
    machine, of this shape (None: any number), contiguous, aligned and, if C writes it, writable."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be a numpy array, not {type(value).__name__}")
    if value.dtype != dtype:
        raise TypeError(f"{name} has the type {value.dtype}; it must have {np.dtype(dtype)}")
    if value.ndim != len(shape) or any(want not in (None, have)
                                       for want, have in zip(shape, value.shape)):
        wanted = ", ".join("any" if want is None else str(want) for want in shape)
        raise ValueError(f"{name} has the shape {value.shape}; it must have ({wanted})")
    if not (value.flags.c_contiguous and value.flags.aligned):
        raise ValueError(f"{name} is not contiguous; pass numpy.ascontiguousarray() of it")
    if writable and not value.flags.writeable:
        raise ValueError(f"{name} cannot be written")
    return value


def rows(value, name, dtype):
    """Returns an array of structs, each with its size set, as structs() returns it."""
    array(value, name, dtype, (None,))
    if (value["size"] != dtype.itemsize).any():
        raise ValueError(f"{name} has a struct with a wrong size; make the array with structs()")
    return value
