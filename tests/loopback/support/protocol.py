# Implements a client independently, from schema/wire.md 6: connection and messages.
import hashlib
import pathlib
import socket
import struct

import netcode

HELLO, WELCOME, GOODBYE, INPUT, SNAPSHOT, _, QUERY, ANSWER, RELIABLE = range(1, 10)
PLAIN, FOLLOW = range(2)
HEADER = struct.Struct("<IIII")
BODY = struct.Struct("<I3f3d4f3f4x")
PROTOCOL = 13
SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "schema"


def schema_hash():
    text = (SCHEMA / "types.fbs").read_bytes() + (SCHEMA / "protocol.fbs").read_bytes()
    return int(hashlib.sha256(text).hexdigest()[:16], 16)


def table(fields, octets=None):
    """Returns a FlatBuffers message. `fields` are (bytes, alignment) by slot, followed by a byte
    vector."""
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
    """Reads the fields of a FlatBuffers message from a trusted server."""

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
        """Returns the offset and the number of the items."""
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


def read_varint(data, at):
    """Returns the value and the offset after it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def impulse(tick, client, body, vector, first=True):
    """Returns command 1 of a client, or the next one if not `first`."""
    giver = bytes([client << 4 | 2, 1]) if first else b"\xe2"
    return (varint(tick) + giver + varint(body) +
            struct.pack("<3f", *vector))


def spawn(client, prototype, position, sequence=1):
    """Returns a command of a client to spawn a body at rest. The command is for the next tick."""
    return (varint(0) + bytes([client << 4 | 6]) + varint(sequence) + varint(prototype) +
            struct.pack("<6f", *position, 0, 0, 0))


def hello(protocol=PROTOCOL, schema=None, mode=PLAIN):
    schema = schema_hash() if schema is None else schema
    return table([(struct.pack("<I", protocol), 4), (struct.pack("<Q", schema), 8), (b"\0", 1),
                  (bytes([mode]), 1)])


class Client:
    """A client that connects on construction with a new token."""

    def __init__(self, server, token=None, mode=PLAIN):
        self.address = server.address
        self.token = token or netcode.Token(server.key, server.address)
        self.socket = self.open()
        self.socket.settimeout(5)
        self.sequence = 0
        self.connect()
        self.say(HELLO, hello(mode=mode))
        welcome = self.hear(WELCOME)
        self.client = welcome.scalar(0, "I")
        self.role = welcome.scalar(1, "B")
        self.tick_rate = welcome.scalar(2, "I")
        self.tick_time = welcome.scalar(3, "d")
        self.scene_bodies = welcome.scalar(4, "I")

    def open(self):
        """Returns the socket that carries the packets."""
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        return udp

    def send(self, kind, text=b""):
        self.socket.sendto(self.token.pack(kind, self.sequence, text), self.address)
        self.sequence += 1

    def receive(self, kind):
        """Returns the text of the next packet of a type."""
        while True:
            packet = self.token.unpack(self.socket.recv(2048))
            if packet and packet[0] == kind:
                return packet[2]

    def answer(self, ask, kind):
        """Repeats a request every 100 ms until the answer arrives. Either may be lost."""
        self.socket.settimeout(0.1)
        for _ in range(100):
            ask()
            try:
                text = self.receive(kind)
                self.socket.settimeout(5)
                return text
            except TimeoutError:
                pass
        raise TimeoutError("the server did not answer")

    def connect(self):
        challenge = self.answer(lambda: self.socket.sendto(self.token.request, self.address),
                                netcode.CHALLENGE)
        keep_alive = self.answer(lambda: self.send(netcode.RESPONSE, challenge),
                                 netcode.KEEP_ALIVE)
        self.slot, _ = struct.unpack("<II", keep_alive)

    def payload(self, kind, message):
        return HEADER.pack(kind, self.sequence + 1, 0, 0) + message

    def say(self, kind, message):
        self.send(netcode.PAYLOAD, self.payload(kind, message))

    def hear(self, kind):
        """Returns the next message of a type."""
        while True:
            text = self.receive(netcode.PAYLOAD)
            if HEADER.unpack_from(text)[0] == kind:
                return Reader(text[HEADER.size:])

    def snapshot(self):
        """Returns a complete snapshot: tick, acknowledged input, bodies by id."""
        parts = {}
        while True:
            message = self.hear(SNAPSHOT)
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

    def reliable_messages(self):
        """Yields the reliable messages of the server one by one and acknowledges each datagram."""
        came, fragments, number, message = set(), {}, 0, b""
        while True:
            text = self.receive(netcode.PAYLOAD)
            kind, sequence, _, _ = HEADER.unpack_from(text)
            if kind != RELIABLE:
                continue
            came.add(sequence)
            newest = max(came)
            bits = sum(1 << i for i in range(32) if newest - 1 - i in came)
            head = HEADER.pack(RELIABLE, self.sequence + 1, newest, bits)
            self.send(netcode.PAYLOAD, head + varint(0) + varint(0))
            _, at = read_varint(text, HEADER.size)  # commands
            _, at = read_varint(text, at)  # margin
            while at < len(text):
                of, = struct.unpack_from("<H", text, at)
                size, at = read_varint(text, at + 2)
                fragments.setdefault(of, (text[at:at + size // 2], size % 2))
                at += size // 2
            while number in fragments:
                part, last = fragments.pop(number)
                number = (number + 1) % 2**16
                message += part
                if last:
                    yield message
                    message = b""

    def close(self):
        self.send(netcode.DISCONNECT)
        self.socket.close()
