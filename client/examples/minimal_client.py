#!/usr/bin/python3
# A client without the C++ library: the packets, messages and commands of schema/wire.md.
"""Connects to an Orrery server, lifts a body, and prints where the snapshots show it.

Needs python3-nacl, python3-flatbuffers, and the Python code that flatc generates from the schemas
(tests/run generates it). The sections have the names of those in schema/wire.md."""
import argparse
import hashlib
import os
import pathlib
import secrets
import select
import socket
import struct
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "build/generated/python"))

import flatbuffers
import nacl.bindings as sodium
import nacl.exceptions

try:
    from orrery.wire import DisconnectReason, Goodbye, Hello, Input, Mode, Role, Welcome
    from snapshots import CodedSnapshots, Snapshots
except ModuleNotFoundError:
    sys.exit("the generated message code is missing; run this in the top folder:\n"
             "  flatc --python --gen-object-api -o build/generated/python "
             "schema/types.fbs schema/protocol.fbs")

VERSION = b"NETCODE 1.02\0"
DENIED, CHALLENGE, RESPONSE, KEEP_ALIVE, PAYLOAD, DISCONNECT = range(1, 7)
HELLO, WELCOME, GOODBYE, INPUT, SNAPSHOT, RELIABLE, DELTA, FRAME_ACK = 1, 2, 3, 4, 5, 9, 10, 11
GRAB, RELEASE = 3, 5
PROTOCOL = 13
PERIOD = 0.1  # seconds between requests, and of silence before a keep-alive packet
ACKNOWLEDGE = 0.05  # seconds of silence before a message that only acknowledges
SNAPSHOT_SPACING = 0.025  # seconds between two acknowledgements of snapshots


class Ended(Exception):
    """The connection has ended, or was never established."""


def names(enum):
    """Returns the names of the values of an enum that flatc generated."""
    return {value: name for name, value in vars(enum).items() if isinstance(value, int)}


# --- Tokens ---------------------------------------------------------------------------------------

class Token:
    """The parts of a connect token that a client reads."""
    FIXED = struct.Struct("<13s8sQ8s24s1024siI")

    def __init__(self, data):
        if len(data) != 2048:
            raise ValueError("not a connect token")
        (version, self.protocol, _, expires, nonce, private, self.timeout,
         addresses) = self.FIXED.unpack_from(data)
        if version != VERSION or not 1 <= addresses <= 32:
            raise ValueError("not a connect token")
        self.request = b"\0" + VERSION + self.protocol + expires + nonce + private
        keys = self.FIXED.size
        for _ in range(addresses):  # skipped: the command line says where to send
            keys += {1: 7, 2: 19}[data[keys]]
        self.send_key, self.receive_key = data[keys:keys + 32], data[keys + 32:keys + 64]


def make_token(key_file, server):
    """Returns a token for one connection as a player, valid for 45 seconds."""
    key, *settings = pathlib.Path(key_file).read_text().split()
    settings = dict(zip(settings[::2], settings[1::2]))
    protocol = struct.pack("<Q", int(settings.get("protocol-id", 0x59524552524F)))
    host, _, port = settings.get("server", server).rpartition(":")
    now = int(time.time())
    expires = struct.pack("<Q", now + 45)
    nonce = secrets.token_bytes(24)
    fields = (struct.pack("<iIB4sH", 5, 1, 1, socket.inet_aton(host), int(port)) +
              secrets.token_bytes(64))
    private = (secrets.token_bytes(8) + fields + bytes([Role.Role.play])).ljust(1008, b"\0")
    sealed = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
        private, VERSION + protocol + expires, nonce, bytes.fromhex(key))
    return Token((VERSION + protocol + struct.pack("<Q", now) + expires + nonce + sealed +
                  fields).ljust(2048, b"\0"))


# --- Packets --------------------------------------------------------------------------------------

class Connection:
    """The client side of a netcode connection."""

    def __init__(self, address, token):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(address)
        self.token = token
        self.sequence = secrets.randbelow(2**62)  # number of the next packet
        self.opened = set()  # sequence numbers of received packets, at least the newest 1,024
        self.sent_at = self.heard_at = time.monotonic()
        challenge = self.ask(lambda: self.socket.send(token.request), CHALLENGE)
        self.ask(lambda: self.send(RESPONSE, challenge), KEEP_ALIVE)

    def ask(self, say, answer):
        """Calls `say` until the answer arrives. Returns the text of the answer."""
        while True:
            say()
            for kind, text in self.receive(PERIOD):
                if kind == answer:
                    return text

    def send(self, kind, text=b""):
        number = struct.pack("<Q", self.sequence)
        written = number.rstrip(b"\0") or b"\0"
        prefix = bytes([len(written) << 4 | kind])
        self.sequence += 1
        self.sent_at = time.monotonic()
        self.socket.send(prefix + written + sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
            text, VERSION + self.token.protocol + prefix, bytes(4) + number, self.token.send_key))

    def receive(self, seconds):
        """Yields type and text of each valid packet that arrives within the time."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if time.monotonic() - self.heard_at > self.token.timeout > 0:
                raise Ended("the server does not answer")
            if not select.select([self.socket], [], [], left)[0]:
                return
            packet = self.open(self.socket.recv(2048))
            if packet:
                self.heard_at = time.monotonic()
                if packet[0] in (DENIED, DISCONNECT):
                    raise Ended("the server is full" if packet[0] == DENIED else "disconnected")
                yield packet

    def open(self, datagram):
        """Returns type and text of a packet, or None for one to drop."""
        if not datagram:
            return None
        kind, count = datagram[0] & 15, datagram[0] >> 4
        if not 1 <= kind <= 6 or not 1 <= count <= 8 or kind == RESPONSE:
            return None
        number = datagram[1:1 + count].ljust(8, b"\0")
        sequence = int.from_bytes(number, "little")
        numbered = kind in (KEEP_ALIVE, PAYLOAD, DISCONNECT)
        if numbered and (sequence in self.opened or sequence >= 2**63 or
                         sequence + 1024 <= max(self.opened, default=0)):
            return None
        try:
            text = sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
                datagram[1 + count:], VERSION + self.token.protocol + datagram[:1],
                bytes(4) + number, self.token.receive_key)
        except nacl.exceptions.CryptoError:
            return None
        if numbered:
            self.opened.add(sequence)
            self.opened = {n for n in self.opened if n + 1024 > sequence}
        return kind, text

    def close(self):
        for _ in range(10):
            self.send(DISCONNECT)
        self.socket.close()


# --- Messages -------------------------------------------------------------------------------------

def varint(value):
    """Returns an integer as unsigned LEB128."""
    written = b""
    while value > 127:
        written += bytes([value & 127 | 128])
        value >>= 7
    return written + bytes([value])


def encode(table):
    builder = flatbuffers.Builder(256)
    builder.Finish(table.Pack(builder))
    return bytes(builder.Output())


def hello(mode):
    schema = b"".join((ROOT / "schema" / name).read_bytes()
                      for name in ("types.fbs", "protocol.fbs"))
    table = Hello.HelloT()
    table.protocol, table.mode = PROTOCOL, mode
    table.schema = int.from_bytes(hashlib.sha256(schema).digest()[:8], "big")
    return encode(table)


class Session:
    """Sends messages and commands on a connection, and receives messages."""
    HEADER = struct.Struct("<B3xIII")

    def __init__(self, connection, mode):
        self.connection = connection
        self.sequence = 0     # sequence number of the last message sent
        self.received = {0}   # sequence numbers of the newest 33 messages of the server
        self.commands = 0     # number of commands given so far
        self.waiting = []     # unacknowledged commands: tuples of number, kind and fields
        self.snapshot, self.snapshot_at = 0, 0.0  # last acknowledged one: tick, and when
        self.welcome = None
        while not self.welcome:
            self.say(HELLO, hello(mode))
            for kind, message in self.hear(PERIOD):
                if kind == WELCOME:
                    self.welcome = Welcome.Welcome.GetRootAs(message)
                    break

    def say(self, kind, message):
        self.sequence += 1
        ack = max(self.received)
        bits = sum(1 << i for i in range(32) if ack - 1 - i > 0 and ack - 1 - i in self.received)
        self.connection.send(PAYLOAD, self.HEADER.pack(kind, self.sequence, ack, bits) + message)

    def hear(self, seconds):
        """Yields type and bytes of each message that arrives within the time."""
        for kind, text in self.connection.receive(seconds):
            if kind != PAYLOAD:
                continue
            message, sequence, _, _ = self.HEADER.unpack_from(text)
            self.received.add(sequence)
            self.received = set(sorted(self.received)[-33:])
            body = text[self.HEADER.size:]
            if message == GOODBYE:
                goodbye = Goodbye.Goodbye.GetRootAs(body)
                why = bytes(map(goodbye.Text, range(goodbye.TextLength())))
                why = "".join(c if c.isprintable() else "?" for c in why.decode(errors="replace"))
                reason = names(DisconnectReason.DisconnectReason)[goodbye.Reason()]
                raise Ended(f"the server says {reason} {why}".rstrip())
            yield message, body
        silent = time.monotonic() - self.connection.sent_at
        if self.welcome and silent >= ACKNOWLEDGE:
            self.say(RELIABLE, varint(0) + varint(0))
        elif silent >= PERIOD:
            self.connection.send(KEEP_ALIVE, bytes(8))

    def command(self, kind, fields=b""):
        """Sends a command for the next tick."""
        self.commands += 1
        self.waiting.append((self.commands, kind, fields))
        self.say_waiting()

    def say_waiting(self):
        if not self.waiting:
            return
        table = Input.InputT()
        table.commands = self.packed_waiting()
        self.say(INPUT, encode(table))

    def packed_waiting(self):
        """Returns the waiting commands, packed. Only the first states its client and number: each
        other one has the same client and the next number."""
        client = self.welcome.Client()
        packed = b""
        for number, kind, fields in self.waiting:
            if packed:
                giver = bytes([14 << 4 | kind])
            elif client < 14:
                giver = bytes([client << 4 | kind]) + varint(number)
            else:
                giver = bytes([15 << 4 | kind]) + varint(client - 14) + varint(number)
            packed += varint(0) + giver + fields
        return packed

    def acknowledge_snapshot(self, tick):
        """Says that all parts of a snapshot came (schema/wire.md 8.4)."""
        if tick != self.snapshot and time.monotonic() - self.snapshot_at >= SNAPSHOT_SPACING:
            self.snapshot, self.snapshot_at = tick, time.monotonic()
            self.say(FRAME_ACK, varint(tick))

    def acknowledged(self, number):
        self.waiting = [command for command in self.waiting if command[0] > number]


def play(session, body, seconds):
    """Lifts a body by 2 m, holds it there, and releases it at the end."""
    welcome = session.welcome
    print(f"joined {welcome.Scene().decode()} as client {welcome.Client()}, "
          f"{names(Role.Role)[welcome.Role()]}: {welcome.TickRate()} ticks a second")
    forms = {SNAPSHOT: Snapshots(), DELTA: CodedSnapshots(welcome)}
    newest, released, end, printed = forms[SNAPSHOT], False, None, 0
    while not released or session.waiting:
        session.say_waiting()
        for kind, message in session.hear(1 / welcome.TickRate()):
            if kind in forms:
                session.acknowledged(forms[kind].take(message))
        for form in forms.values():
            if not form.update():
                continue
            newest = form
            at = newest.bodies.get(body)
            if not end:
                end = newest.tick + seconds * welcome.TickRate()
                printed = newest.tick // welcome.TickRate()
                if at:
                    target = (at[0], at[1] + 2, at[2])
                    session.command(GRAB, varint(body) + struct.pack("<6f", 0, 0, 0, *target))
            if newest.tick // welcome.TickRate() > printed:
                printed = newest.tick // welcome.TickRate()
                place = ", ".join(f"{x:.3f}" for x in at) if at else "nowhere"
                print(f"tick {newest.tick}: {len(newest.bodies)} bodies, "
                      f"{session.commands - len(session.waiting)} of {session.commands} commands "
                      f"acknowledged, body {body} at {place}", flush=True)
        session.acknowledge_snapshot(newest.complete)
        if end and newest.tick >= end and not released:
            session.command(RELEASE)
            released = True
    print(f"left: {session.commands} of {session.commands} commands acknowledged")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("server", help="address of the server, IPv4: 127.0.0.1:4770")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--key-file", metavar="FILE", help="make a token with "
                        "this key (default: the key of your server on this machine)")
    source.add_argument("--token", metavar="FILE", help="connect with this token, which "
                        "orrery token made")
    parser.add_argument("--body", type=int, default=37, help="id of the body to lift (default: 37)")
    parser.add_argument("--coded", action="store_true", help="receive coded frames (mode delta)")
    parser.add_argument("--seconds", type=int, default=5, help="seconds to hold it (default: 5)")
    options = parser.parse_args()
    host, _, port = options.server.rpartition(":")
    folder = os.environ.get("XDG_RUNTIME_DIR") or f"/tmp/orrery-{os.getuid()}"
    try:
        if options.token:
            token = Token(pathlib.Path(options.token).read_bytes())
        else:
            token = make_token(options.key_file or f"{folder}/{port}.key", options.server)
        connection = Connection((host, int(port)), token)
        try:
            mode = Mode.Mode.delta if options.coded else Mode.Mode.plain
            play(Session(connection, mode), options.body, options.seconds)
        finally:
            connection.close()
    except (OSError, ValueError) as error:
        print(f"minimal_client: {error}", file=sys.stderr)
        return 2
    except Ended as why:
        print(f"minimal_client: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
