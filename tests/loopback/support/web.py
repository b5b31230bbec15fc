# A client of the web side, from schema/wire.md 15 and RFC 6455: requests, WebSockets, packets.
import base64
import hashlib
import http.client
import json
import os
import socket
import struct

import netcode
import protocol

CONTINUATION, TEXT, BINARY = range(3)
CLOSE, PING, PONG = range(8, 11)


class Closed(Exception):
    """The server has closed the WebSocket. `code` is its close code, or None."""

    def __init__(self, code=None):
        super().__init__(f"closed with {code}")
        self.code = code


def ask(server, path, method="GET", headers=None, body=None):
    """Sends one request. Returns status, headers and body."""
    connection = http.client.HTTPConnection(server.web, timeout=20)
    connection.request(method, path, body=body, headers=headers or {})
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    return answer.status, answer.headers, data


def ask_json(server, path):
    status, _, body = ask(server, path)
    assert status == 200, (status, body)
    return json.loads(body)


def tcp(server, receive_bytes=None, source=0):
    """Returns a TCP connection to the web side, from a port or any port."""
    host, _, port = server.web.rpartition(":")
    link = socket.socket()
    if receive_bytes:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    link.bind((host, source))
    link.settimeout(20)
    link.connect((host, int(port)))
    return link


def reset(link):
    """Closes a TCP connection by a reset, which frees its port at once."""
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()


def frame(opcode, data=b"", final=True, masked=True, reserved=0, mask=None):
    """Returns the bytes of a frame from a client."""
    mask = os.urandom(4) if mask is None else mask
    size = len(data)
    head = bytes([final << 7 | reserved << 4 | opcode])
    if size < 126:
        head += bytes([masked << 7 | size])
    elif size < 65536:
        head += bytes([masked << 7 | 126]) + struct.pack(">H", size)
    else:
        head += bytes([masked << 7 | 127]) + struct.pack(">Q", size)
    if not masked:
        return head + data
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))


class WebSocket:
    """A WebSocket, with the functions of a UDP socket that a client needs."""

    def __init__(self, server, headers=None, path="/v1/ws", receive_bytes=None, source=0):
        self.link = tcp(server, receive_bytes, source)
        self.heard = b""
        key = base64.b64encode(os.urandom(16)).decode()
        fields = {"Host": server.web, "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13", **(headers or {})}
        text = "".join(f"{name}: {value}\r\n" for name, value in fields.items()
                       if value is not None)
        self.link.sendall(f"GET {path} HTTP/1.1\r\n{text}\r\n".encode())
        answer = self.until(b"\r\n\r\n").decode()
        self.status = int(answer.split()[1])
        if self.status == 101:
            magic = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            accept = base64.b64encode(hashlib.sha1(magic.encode()).digest()).decode()
            assert accept in answer, answer

    def more(self):
        try:
            data = self.link.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            raise Closed()
        self.heard += data

    def until(self, mark):
        while mark not in self.heard:
            self.more()
        text, _, self.heard = self.heard.partition(mark)
        return text

    def frame(self):
        """Returns opcode and data of the next frame. The server must not mask or split it."""
        while True:
            if len(self.heard) >= 2:
                size, head = self.heard[1], 2
                assert self.heard[0] & 0xF0 == 0x80 and size < 127, self.heard[:2]
                if size == 126:
                    head = 4
                    size = int.from_bytes(self.heard[2:4], "big")
                if len(self.heard) >= head + size:
                    opcode, data = self.heard[0] & 15, self.heard[head:head + size]
                    self.heard = self.heard[head + size:]
                    return opcode, data
            self.more()

    def send(self, data, opcode=BINARY):
        self.link.sendall(frame(opcode, data))

    def closed(self):
        """Reads until the server closes. Returns its close code, or None."""
        try:
            while True:
                self.recv()
        except Closed as why:
            return why.code

    # --- as a UDP socket ---

    def sendto(self, data, _):
        self.send(data)

    def recv(self, _=0):
        """Returns the next message."""
        while True:
            opcode, data = self.frame()
            if opcode == CLOSE:
                raise Closed(int.from_bytes(data[:2], "big"))
            assert opcode == BINARY, (opcode, data)
            return data

    def settimeout(self, seconds):
        self.link.settimeout(seconds)

    def close(self):
        self.link.close()


class Token:
    """A token from /v1/token, with one address. Its packets are not encrypted."""

    def __init__(self, public):
        assert len(public) == 2048 and public.startswith(netcode.VERSION)
        protocol_id, _, expires, nonce, sealed, _, addresses, kind = struct.unpack_from(
            "<8s8s8s24s1024siIB", public, 13)
        assert addresses == 1
        keys = 13 + 8 + 8 + 8 + 24 + 1024 + 4 + 4 + 1 + (4 if kind == 1 else 16) + 2
        self.to_server, self.to_client = public[keys:keys + 32], public[keys + 32:keys + 64]
        self.request = (bytes([netcode.REQUEST]) + netcode.VERSION + protocol_id + expires +
                        nonce + sealed)

    def pack(self, kind, sequence, text=b""):
        number = struct.pack("<Q", sequence).rstrip(b"\0") or b"\0"
        return bytes([len(number) << 4 | kind]) + number + text + self.to_server[:16]

    def unpack(self, data):
        kind, count = data[0] & 15, data[0] >> 4
        assert data[-16:] == self.to_client[:16], data
        return kind, int.from_bytes(data[1:1 + count], "little"), data[1 + count:-16]


def new_token(server, role="play"):
    status, _, body = ask(server, f"/v1/token?role={role}")
    assert status == 200, body
    return Token(body)


class Client(protocol.Client):
    """A client over a WebSocket. It acknowledges what it hears."""

    def __init__(self, server, token=None, mode=protocol.PLAIN, receive_bytes=None, source=0):
        self.server, self.receive_bytes, self.source = server, receive_bytes, source
        self.came = {0}
        super().__init__(server, token or new_token(server), mode)

    def open(self):
        socket_ = WebSocket(self.server, receive_bytes=self.receive_bytes, source=self.source)
        assert socket_.status == 101, socket_.status
        return socket_

    def payload(self, kind, message):
        newest = max(self.came)
        bits = sum(1 << i for i in range(32) if newest - 1 - i in self.came - {0})
        return protocol.HEADER.pack(kind, self.sequence + 1, newest, bits) + message

    def acknowledge(self):
        self.say(protocol.RELIABLE, protocol.varint(0) + protocol.varint(0))

    def hear(self, kind):
        while True:
            text = self.receive(netcode.PAYLOAD)
            heard, sequence, _, _ = protocol.HEADER.unpack_from(text)
            self.came = {number for number in self.came if number + 40 > sequence} | {sequence}
            if heard == kind:
                return protocol.Reader(text[protocol.HEADER.size:])

    def snapshot(self):
        found = super().snapshot()
        self.acknowledge()
        return found
