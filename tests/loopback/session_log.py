# Owns how tests change session logs so that every checksum is right (schema/README.md).
import ctypes
import ctypes.util
import struct
import unittest

PREAMBLE_BYTES = 12
CHECKPOINT, INDEX, TICK = 4, 5, 7


def xxh3(content, seed=0):
    name = ctypes.util.find_library("xxhash")
    if name is None:
        raise unittest.SkipTest("there is no shared library of xxHash")
    function = ctypes.CDLL(name).XXH3_64bits_withSeed
    function.restype = ctypes.c_uint64
    function.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
    return function(bytes(content), len(content), seed)


def read_varint(content, at):
    value = shift = 0
    while True:
        value |= (content[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 0x80:
            return value, at


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def records_of(log):
    """The records of a segment: lists of type and payload."""
    records, at = [], PREAMBLE_BYTES
    while at < len(log):
        size, begin = read_varint(log, at + 1)
        records.append([log[at], log[begin:begin + size]])
        at = begin + size + 8
    return records


def log_of(preamble, records):
    """The segment that these records make, chained anew; its index is made anew too."""
    out, chain, places = bytearray(preamble), xxh3(preamble), b""
    for kind, payload in records:
        tick = struct.pack("<Q", read_varint(payload, 0)[0]) if kind == CHECKPOINT else b""
        if kind == CHECKPOINT and places[-16:-8] != tick:  # of several of a tick the first
            places += tick + struct.pack("<Q", len(out))
        if kind == INDEX:
            payload = places + struct.pack("<Q", len(out))
        record = bytes([kind]) + varint(len(payload)) + payload
        chain = xxh3(record, chain)
        out += record + struct.pack("<Q", chain)
    return bytes(out)


def rewrite(log, change):
    """The log after change(its ticks, its checkpoints), both of which are lists of records."""
    records = records_of(log)
    preamble = log[:PREAMBLE_BYTES]
    assert log_of(preamble, records) == log
    change(*([record for record in records if record[0] == kind] for kind in (TICK, CHECKPOINT)))
    return log_of(preamble, records)
