# Owns the tests of datagrams that mean harm: none is answered, and the session goes on.
import math
import random
import select
import socket
import struct
import subprocess
import time

import protocol
from orrery_server import BINARIES, Server, run, tool, verify

SEED = 20251121
DATAGRAMS = 100_000


def a_client_written_from_the_specification_plays():
    with Server() as server:
        client = protocol.Client(server.address)
        assert client.client == 1 and client.tick_rate == 60 and client.tick_time == 1 / 60
        tick, _, bodies = client.snapshot()
        assert len(bodies) == client.scene_bodies >= 30
        for body in bodies.values():
            assert all(map(math.isfinite, body))
            assert abs(math.hypot(*body[6:10]) - 1) < 1e-6
        commands = b"".join(protocol.impulse(0, client.client, i + 1, i, (1, 0, 0))
                            for i in range(3))
        client.send(protocol.INPUT, protocol.table([], commands))
        acknowledged = 0
        while acknowledged < 3:
            later, acknowledged, _ = client.snapshot()
            assert later > tick
            tick = later
        client.close()
        code, err = server.end()
        assert code == 0 and "malformed 0" in err, err
        assert verify(server.log)[0] == 0


def damaged(draw, sound):
    """A datagram that must not be answered."""
    kind = draw.randrange(5)
    if kind == 0:  # garbage
        return draw.randbytes(draw.randrange(0, 1400))
    if kind == 1:  # truncated
        return sound[:draw.randrange(len(sound))]
    if kind == 2:  # a bit of the header: another type, or bytes that are 0
        data = bytearray(sound)
        data[1 + draw.randrange(3)] ^= 1 << draw.randrange(8)
        return bytes(data)
    if kind == 3:  # oversized
        return sound + bytes(draw.randrange(1, 8000))
    header = protocol.HEADER.pack(draw.randrange(2, 256), draw.getrandbits(32),
                                  draw.getrandbits(64), 0, 0)
    return header + draw.randbytes(draw.randrange(0, 1100))


def flipped(draw, data):
    data = bytearray(data)
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def flipped_bits_are_harmless(draw, server, sound):
    """What is damaged but may still be sound: requests, and inputs within a connection."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
        for _ in range(1000):
            other.sendto(flipped(draw, sound), server.address)
    for _ in range(20):  # as a flipped sequence makes all later ones of a connection too old
        client = protocol.Client(server.address)
        command = protocol.impulse(0, client.client, 1, 0, (0, 1, 0))
        for sequence in range(2, 52):
            header = protocol.HEADER.pack(protocol.INPUT, sequence, client.connection, 0, 0)
            data = flipped(draw, header + protocol.table([], command))
            client.socket.sendto(data, server.address)
        client.close()


def counters(err):
    """What was dropped, by cause, as the server says when it ends."""
    words = err[err.rindex("dropped:"):].split()[1:]
    return dict(zip(words[::2], map(int, words[1::2])))


def garbage_is_dropped_and_never_answered():
    draw = random.Random(SEED)
    print(f"seed {SEED}, {DATAGRAMS} datagrams")
    with Server() as server:
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        header = protocol.HEADER.pack(protocol.REQUEST, 0, 0, 0, 0)
        sound = header + protocol.request(7)
        sound += bytes(protocol.REQUEST_BYTES - len(sound))
        bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "2",
                                 "--seconds", "4"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        for _ in range(DATAGRAMS):
            stranger.sendto(damaged(draw, sound), server.address)
        flipped_bits_are_harmless(draw, server, sound)
        _, err = bots.communicate(timeout=30)
        assert bots.returncode == 0, err
        assert not select.select([stranger], [], [], 0.2)[0], stranger.recv(2048)
        # The same socket is answered as soon as it sends what is sound.
        stranger.sendto(sound, server.address)
        assert select.select([stranger], [], [], 5)[0]
        assert stranger.recv(2048)[0] == protocol.CHALLENGE
        stranger.close()
        code, err = server.end()
        assert code == 0, err
        dropped = counters(err)
        assert min(dropped["malformed"], dropped["stranger"], dropped["impostor"]) > 0, err
        assert err.count("\n") < 60, "one line a datagram is a flood of its own"
        code, report = verify(server.log)
        assert code == 0 and not report["torn"], report


def commands_that_are_not_numbers_change_nothing():
    with Server("--scene", "tumble") as server:
        client = protocol.Client(server.address)
        for bits in (0x7FC00000, 0x7F800001, 0x7F800000, 0xFF800000, 0x7F7FFFFF):
            bad = struct.unpack("<f", struct.pack("<I", bits))[0]
            command = protocol.impulse(0, client.client, 1, 0, (0, bad, 0))
            client.send(protocol.INPUT, protocol.table([], command))
        client.send(protocol.INPUT, protocol.table(
            [], protocol.impulse(0, client.client, 1, 0, (0, 1, 0))))
        while client.snapshot()[1] < 1:
            pass
        _, _, bodies = client.snapshot()
        assert all(math.isfinite(number) for body in bodies.values() for number in body)
        client.close()
        code, err = server.end()
        assert code == 0 and "malformed 5" in err, err
        assert verify(server.log)[0] == 0


def a_flood_ends_its_own_connection_only():
    with Server() as server:
        bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "2",
                                 "--seconds", "4"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        client = protocol.Client(server.address)
        client.socket.setblocking(False)
        reason = None
        end = time.monotonic() + 30
        while reason is None:
            assert time.monotonic() < end, "the flood was not ended"
            for _ in range(50):
                client.send(protocol.INPUT, bytes(100))
            while reason is None and select.select([client.socket], [], [], 0)[0]:
                data = client.socket.recv(2048)
                if data[0] == protocol.DISCONNECT:
                    reason = protocol.Reader(data[protocol.HEADER.size:]).scalar(0, "B")
        assert reason == 3, reason
        client.socket.close()
        _, err = bots.communicate(timeout=30)
        assert bots.returncode == 0, err
        code, err = server.end()
        assert code == 0 and "it sent too much" in err, err
        assert verify(server.log)[0] == 0


run([a_client_written_from_the_specification_plays, garbage_is_dropped_and_never_answered,
     commands_that_are_not_numbers_change_nothing, a_flood_ends_its_own_connection_only])
