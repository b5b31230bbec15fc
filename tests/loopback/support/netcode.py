# Implements netcode 1.02 independently, from schema/wire.md 3 to 5: tokens, requests, packets.
import ctypes
import ctypes.util
import os
import pathlib
import socket
import struct
import time

REQUEST, DENIED, CHALLENGE, RESPONSE, KEEP_ALIVE, PAYLOAD, DISCONNECT = range(7)
VERSION = b"NETCODE 1.02\0"
REQUEST_BYTES = 1078
PLAY = 1
SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium"))


def cipher(name, text, associated, nonce, key, size):
    """Calls a cipher of libsodium. Returns None if opening fails."""
    out = ctypes.create_string_buffer(max(1, size))
    text, nonce, key = bytes(text), bytes(nonce), bytes(key)
    lengths = ctypes.c_ulonglong(len(text)), associated, ctypes.c_ulonglong(len(associated))
    call = getattr(SODIUM, f"crypto_aead_{name}")
    arguments = (None, nonce, key) if name.endswith("encrypt") else (nonce, key)
    first = (out, None) if name.endswith("encrypt") else (out, None, None)
    return out.raw[:size] if call(*first, text, *lengths, *arguments) == 0 else None


def seal(key, sequence, associated, text):
    nonce = bytes(4) + struct.pack("<Q", sequence)
    return cipher("chacha20poly1305_ietf_encrypt", text, associated, nonce, key, len(text) + 16)


def unseal(key, sequence, associated, sealed):
    nonce = bytes(4) + struct.pack("<Q", sequence)
    return cipher("chacha20poly1305_ietf_decrypt", sealed, associated, nonce, key,
                  len(sealed) - 16)


def packed_address(address):
    host, port = address
    return b"\1" + socket.inet_aton(host) + struct.pack("<H", port)


class Key:
    """A key file, as `orreryd` writes it for its run."""

    def __init__(self, path):
        words = pathlib.Path(path).read_text().split()
        self.key = bytes.fromhex(words[0])
        self.protocol = int(words[words.index("protocol-id") + 1])


class Token:
    def __init__(self, key, server, role=PLAY, life=45, timeout=5, created=None, account=None):
        created = int(time.time()) if created is None else created
        self.protocol = key.protocol
        self.client_id, self.to_server, self.to_client = (os.urandom(n) for n in (8, 32, 32))
        if account is not None:
            self.client_id = struct.pack("<Q", account)
        private = (self.client_id + struct.pack("<iI", timeout, 1) + packed_address(server) +
                   self.to_server + self.to_client + bytes([role]) + bytes(255))
        head = VERSION + struct.pack("<QQ", key.protocol, created + life)
        nonce = os.urandom(24)
        sealed = cipher("xchacha20poly1305_ietf_encrypt", private.ljust(1008, b"\0"), head, nonce,
                        key.key, 1024)
        self.request = bytes([REQUEST]) + head + nonce + sealed
        self.public = (VERSION + struct.pack("<QQQ", key.protocol, created, created + life) +
                       nonce + sealed + struct.pack("<iI", timeout, 1) + packed_address(server) +
                       self.to_server + self.to_client).ljust(2048, b"\0")

    def pack(self, kind, sequence, text=b"", key=None):
        """Seals a packet with the key for packets to the server, or with another one."""
        number = struct.pack("<Q", sequence).rstrip(b"\0") or b"\0"
        prefix = bytes([len(number) << 4 | kind])
        associated = VERSION + struct.pack("<Q", self.protocol) + prefix
        return prefix + number + seal(key or self.to_server, sequence, associated, text)

    def unpack(self, data):
        """Returns type, sequence and text, or None if this client's server did not seal the
        packet."""
        kind, count = data[0] & 15, data[0] >> 4
        sequence = int.from_bytes(data[1:1 + count], "little")
        associated = VERSION + struct.pack("<Q", self.protocol) + data[:1]
        text = unseal(self.to_client, sequence, associated, data[1 + count:])
        return None if text is None else (kind, sequence, text)
