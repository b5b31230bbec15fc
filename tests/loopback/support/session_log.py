# Changes session logs in tests and corrects all checksums (schema/log.md 2).
import ctypes
import ctypes.util
import struct
import unittest

PREAMBLE_BYTES = 12
HEADER, END, CHECKPOINT, INDEX, TICK = 1, 3, 4, 5, 7


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
    """Returns the records of a segment as lists of type and payload."""
    records, at = [], PREAMBLE_BYTES
    while at < len(log):
        size, begin = read_varint(log, at + 1)
        records.append([log[at], log[begin:begin + size]])
        at = begin + size + 8
    return records


def log_of(preamble, records):
    """Returns the segment with these records, with new checksums and a new index."""
    out, chain, places = bytearray(preamble), xxh3(preamble), b""
    for kind, payload in records:
        tick = struct.pack("<Q", read_varint(payload, 0)[0]) if kind == CHECKPOINT else b""
        if kind == CHECKPOINT and places[-16:-8] != tick:  # first one of a tick
            places += tick + struct.pack("<Q", len(out))
        if kind == INDEX:
            payload = places + struct.pack("<Q", len(out))
        record = bytes([kind]) + varint(len(payload)) + payload
        chain = xxh3(record, chain)
        out += record + struct.pack("<Q", chain)
    return bytes(out)


def rewrite(log, change):
    """Returns the log after change(ticks, checkpoints), where both are lists of records."""
    records = records_of(log)
    preamble = log[:PREAMBLE_BYTES]
    assert log_of(preamble, records) == log
    change(*([record for record in records if record[0] == kind] for kind in (TICK, CHECKPOINT)))
    return log_of(preamble, records)


def header_after_loss(first, after_tick, after_checksum):
    """Returns the header payload of segment 1, a FlatBuffer (log.fbs). The segment begins after
    lost ticks up to `after_tick`. `first` is the log's first header as `orrery` prints it."""
    build = first["build"].encode()
    fields = [4, 44, 32, 0, 8, 0, 36, 16, 24, 40]  # offset of each field in the table; 0 if absent
    table = struct.pack("<iIQQQIIBxxxI", 24, first["rules"], int(first["initial_hash"], 16),
                        after_tick, after_checksum, 48 - 32, 1, 1, 68 - 44)
    head = struct.pack("<I4s12H", 32, b"ORLH", 24, len(table), *fields)
    return (head + table + struct.pack("<I", 16) + bytes.fromhex(first["session"]) +
            struct.pack("<I", len(build)) + build + bytes(4 - len(build) % 4))


def with_gap(log, first, last, checkpoint):
    """Returns two segments: the log up to tick `last`, and the log from a checkpoint on."""
    records = records_of(log)
    ticks = [at for at, (kind, _) in enumerate(records) if kind == TICK]
    behind = next(at for at, (kind, payload) in enumerate(records)
                  if kind == CHECKPOINT and read_varint(payload, 0)[0] == checkpoint)
    preamble = log[:PREAMBLE_BYTES]
    before = log_of(preamble, records[:ticks[last - 1] + 1])
    header = header_after_loss(first, checkpoint, struct.unpack("<Q", before[-8:])[0])
    return before, log_of(preamble, [[HEADER, header]] + records[behind:])
