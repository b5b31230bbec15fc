# Owns a client of its own for tests, written from schema/README.md alone: packets and messages.
import hashlib
import os
import pathlib
import socket
import struct

(REQUEST, CHALLENGE, RESPONSE, ACCEPT, DENY, INPUT, SNAPSHOT, KEEP_ALIVE,
 DISCONNECT) = range(1, 10)
HEADER = struct.Struct("<IIQII")
BODY = struct.Struct("<I3f3d4f3f4x")
PROTOCOL = 1
REQUEST_BYTES = 1000
SCHEMA = pathlib.Path(__file__).parents[2] / "schema"


def schema_hash():
    text = (SCHEMA / "types.fbs").read_bytes() + (SCHEMA / "protocol.fbs").read_bytes()
    return int(hashlib.sha256(text).hexdigest()[:16], 16)


def table(fields, octets=None):
    """A FlatBuffers message: `fields` are (bytes, alignment) by slot; then a vector of octets."""
    slots = len(fields) + (octets is not None)
    vtable_bytes = 4 + 2 * slots
    start = (4 + vtable_bytes + 7) // 8 * 8
    body = bytearray(4)
    offsets = []
    for data, alignment in fields:
        body += bytes(-len(body) % alignment)
        offsets.append(len(body))
        body += data
    tail = b""
    if octets is not None:
        body += bytes(-len(body) % 4)
        offsets.append(len(body))
        body += struct.pack("<I", 4)
        tail = struct.pack("<I", len(octets)) + octets
    vtable = struct.pack(f"<HH{slots}H", vtable_bytes, len(body), *offsets)
    body[0:4] = struct.pack("<i", start - 4)
    front = struct.pack("<I", start) + vtable
    return front + bytes(start - len(front)) + bytes(body) + tail


class Reader:
    """Fields of a FlatBuffers message from a server that is trusted."""

    def __init__(self, data):
        self.data = data
        self.root = struct.unpack_from("<I", data)[0]
        self.vtable = self.root - struct.unpack_from("<i", data, self.root)[0]

    def at(self, slot):
        size = struct.unpack_from("<H", self.data, self.vtable)[0]
        if 4 + 2 * slot >= size:
            return None
        offset = struct.unpack_from("<H", self.data, self.vtable + 4 + 2 * slot)[0]
        return self.root + offset if offset else None

    def scalar(self, slot, form):
        at = self.at(slot)
        return 0 if at is None else struct.unpack_from("<" + form, self.data, at)[0]

    def struct(self, slot, form):
        return struct.unpack_from("<" + form, self.data, self.at(slot))

    def vector(self, slot):
        """Where the items are, and how many."""
        at = self.at(slot)
        at += struct.unpack_from("<I", self.data, at)[0]
        return at + 4, struct.unpack_from("<I", self.data, at)[0]


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def impulse(tick, client, sequence, body, vector):
    return (varint(tick) + b"\x02" + varint(client) + varint(sequence) + varint(body) +
            struct.pack("<3f", *vector))


class Client:
    """Connects on construction."""

    def __init__(self, address):
        self.address = address
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.socket.settimeout(5)
        self.nonce = int.from_bytes(os.urandom(8), "little")
        self.connection = 0
        self.sequence = 0
        self.connect()

    def send(self, kind, message=b"", size=0):
        if self.connection:
            self.sequence += 1
        data = HEADER.pack(kind, self.sequence, self.connection, 0, 0) + message
        self.socket.sendto(data + bytes(max(0, size - len(data))), self.address)

    def receive(self, kind):
        """The next packet of a kind: connection, message."""
        while True:
            data = self.socket.recv(2048)
            got, _, connection, _, _ = HEADER.unpack_from(data)
            if got == kind:
                return connection, Reader(data[HEADER.size:])

    def connect(self):
        nonce = struct.pack("<Q", self.nonce)
        self.send(REQUEST, request(self.nonce), REQUEST_BYTES)
        _, challenge = self.receive(CHALLENGE)
        assert challenge.scalar(0, "Q") == self.nonce
        cookie = struct.pack("<QQ", *challenge.struct(1, "QQ"))
        self.send(RESPONSE, table([(nonce, 8), (cookie, 8)]))
        self.connection, accept = self.receive(ACCEPT)
        assert accept.scalar(0, "Q") == self.nonce
        self.client = accept.scalar(1, "I")
        self.tick_rate = accept.scalar(2, "I")
        self.tick_time = accept.scalar(3, "d")
        self.scene_bodies = accept.scalar(4, "I")
        self.send(KEEP_ALIVE)

    def snapshot(self):
        """A whole snapshot: tick, acknowledged input, bodies by id."""
        parts = {}
        while True:
            _, message = self.receive(SNAPSHOT)
            tick, input_, part, count = message.struct(0, "QIHH")
            parts.setdefault(tick, {})[part] = message
            if len(parts[tick]) == count:
                break
        bodies = {}
        for message in parts[tick].values():
            at, count = message.vector(1)
            for i in range(count):
                body = BODY.unpack_from(message.data, at + i * BODY.size)
                bodies[body[0]] = body[1:]
        return tick, input_, bodies

    def close(self):
        self.send(DISCONNECT, table([(b"\0", 1)]))
        self.socket.close()


def request(nonce, protocol=PROTOCOL, schema=None):
    schema = schema_hash() if schema is None else schema
    return table([(struct.pack("<I", protocol), 4), (struct.pack("<Q", schema), 8),
                  (struct.pack("<Q", nonce), 8)])
