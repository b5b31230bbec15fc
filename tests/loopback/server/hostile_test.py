# Tests malicious datagrams: none is answered, and the session continues.
import json
import math
import random
import select
import socket
import struct
import subprocess
import sys
import time

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
from orrery_server import BINARIES, Server, logged, run, tool, verify

SEED = 20251121
DATAGRAMS = 50_000
AT_ONCE = 64  # datagrams in a row before a wait: the server's socket buffer has room for them


def a_client_written_from_the_specification_plays():
    with Server() as server:
        client = protocol.Client(server)
        assert client.client == 1 and client.tick_rate == 60 and client.tick_time == 1 / 60
        tick, _, bodies = client.snapshot()
        assert len(bodies) == client.scene_bodies >= 30
        for body in bodies.values():
            assert all(map(math.isfinite, body))
            assert abs(math.hypot(*body[6:10]) - 1) < 1e-6
        commands = b"".join(protocol.impulse(0, client.client, i, (1, 0, 0), first=i == 0)
                            for i in range(3))
        client.say(protocol.INPUT, protocol.table([], commands))
        acknowledged = 0
        while acknowledged < 3:
            later, acknowledged, _ = client.snapshot()
            assert later > tick
            tick = later
        client.close()
        code, err = server.end()
        assert code == 0 and counters(err)["malformed"] == 0, err
        assert verify(server.log)[0] == 0


def damaged(draw, token):
    """Returns a datagram that must not be answered."""
    kind = draw.randrange(6)
    if kind == 0:  # garbage
        return draw.randbytes(draw.randrange(0, 1400))
    if kind == 1:  # truncated
        return token.request[:draw.randrange(len(token.request))]
    if kind == 2:  # a flipped bit in a request: in its type, header, nonce or sealed part
        return flipped(draw, token.request)
    if kind == 3:  # oversized
        return token.request + bytes(draw.randrange(1, 8000))
    if kind == 4:  # sealed with an unknown key
        return token.pack(draw.randrange(1, 7), draw.getrandbits(63), draw.randbytes(8))
    head = bytes([draw.randrange(16, 256)]) + draw.randbytes(8)
    return head + draw.randbytes(draw.randrange(0, 1100))


def flipped(draw, data):
    data = bytearray(data)
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def answer_to_request(sender, token, server):
    while True:
        sender.sendto(token.request, server.address)
        if select.select([sender], [], [], 1)[0]:
            return sender.recv(2048)


def wait_until_heard(server):
    """Sends a request and waits for its answer. Everything sent before has then been received."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        answer_to_request(sender, netcode.Token(server.key, server.address), server)


def who_has_a_token_cannot_harm_others(draw, server):
    """Sends sealed packets: damaged ones are dropped, and so are valid ones with damaged
    messages."""
    for _ in range(20):
        client = protocol.Client(server)
        command = protocol.impulse(0, client.client, 0, (0, 1, 0))
        message = protocol.table([], command)
        for _ in range(50):
            client.send(netcode.PAYLOAD, flipped(draw, client.payload(protocol.INPUT, message)))
            packet = client.token.pack(netcode.PAYLOAD, client.sequence, b"orrery")
            client.socket.sendto(flipped(draw, packet), client.address)
        client.close()


def counters(err):
    """What was dropped, by cause, as the server says when it ends."""
    return {cause: int(count) for cause, count in logged(err, "counters dropped")[-1].items()}


def garbage_is_dropped_and_never_answered():
    draw = random.Random(SEED)
    print(f"seed {SEED}, {DATAGRAMS} datagrams")
    with Server() as server:
        stranger = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        token = netcode.Token(server.key, server.address)
        bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "2",
                                 "--seconds", "4"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        for i in range(DATAGRAMS):
            stranger.sendto(damaged(draw, token), server.address)
            if i % AT_ONCE == 0:
                wait_until_heard(server)
        who_has_a_token_cannot_harm_others(draw, server)
        _, err = bots.communicate(timeout=30)
        assert bots.returncode == 0, err
        assert not select.select([stranger], [], [], 0.2)[0], stranger.recv(2048)
        # A token with a changed time of expiry is invalid. This token is unchanged and has expired.
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as late:
            expired = netcode.Token(server.key, server.address, created=int(time.time()) - 100)
            assert expired.unpack(answer_to_request(late, expired, server))[0] == netcode.DENIED
        # The server replies to the same socket when the socket sends a valid request. On a slow
        # machine the first token has expired by now.
        token = netcode.Token(server.key, server.address)
        challenge = answer_to_request(stranger, token, server)
        assert token.unpack(challenge)[0] == netcode.CHALLENGE
        assert len(challenge) <= 0.31 * len(token.request)
        stranger.close()
        code, err = server.end()
        assert code == 0, err
        dropped = counters(err)
        assert sum(dropped.values()) >= DATAGRAMS, err
        for cause in ("malformed", "stranger", "impostor", "bad_token", "expired_token"):
            assert dropped[cause] > 0, err
        assert err.count("\n") < 60, "one line a datagram is a flood of its own"
        code, report = verify(server.log)
        assert code == 0 and not report["torn"], report


def commands_that_are_not_numbers_change_nothing():
    with Server("--scene", "tumble") as server:
        client = protocol.Client(server)
        for bits in (0x7FC00000, 0x7F800001, 0x7F800000, 0xFF800000, 0x7F7FFFFF):
            bad = struct.unpack("<f", struct.pack("<I", bits))[0]
            command = protocol.impulse(0, client.client, 0, (0, bad, 0))
            client.say(protocol.INPUT, protocol.table([], command))
        client.say(protocol.INPUT, protocol.table(
            [], protocol.impulse(0, client.client, 0, (0, 1, 0))))
        while client.snapshot()[1] < 1:
            pass
        _, _, bodies = client.snapshot()
        assert all(math.isfinite(number) for body in bodies.values() for number in body)
        client.close()
        code, err = server.end()
        # The first is refused. The others have its sequence, so they are copies of it.
        assert code == 0 and logged(err, "counters commands")[-1]["refused"] == "1", err
        assert verify(server.log)[0] == 0


def who_acknowledges_nothing_is_sent_the_least_rate():
    """Snapshots have about 50 kB each, 60 times a second. A connection without keep-alives ends
    after five seconds, so its last three of eight seconds show that it is kept alive."""
    with Server("--scene", "free:900") as server:
        client = protocol.Client(server)
        client.socket.settimeout(0.1)
        received = 0
        spoken = begin = time.monotonic()
        while time.monotonic() < begin + 8:
            if time.monotonic() - spoken > 0.5:
                client.send(netcode.KEEP_ALIVE, bytes(8))
                spoken = time.monotonic()
            try:
                size = len(client.socket.recv(2048)) + 28
                received += size if time.monotonic() >= begin + 5 else 0
            except TimeoutError:
                pass
        rate = received / 3
        print(f"{rate:.0f} bytes a second")
        assert 24_000 < rate < 40_000, rate
        client.close()
        code, err = server.end()
        assert code == 0 and counters(err)["malformed"] == 0, err


def a_client_is_sent_no_more_than_its_limit():
    with Server("--scene", "free:900", "--client-kbit", "512") as server:
        code, out, err = tool("bot", server.name, "--count", "2", "--seconds", "5", "--json")
        assert code == 0, err
        rate = json.loads(out)["bytes_received_per_client_second"]
        assert 15_000 < rate < 64_000, rate
        code, err = server.end()
        assert code == 0, err
    for limit in ("255", "1000001", "0", "-1", "much"):
        done = subprocess.run([BINARIES / "orreryd", "--client-kbit", limit], capture_output=True,
                              text=True, timeout=30)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
        assert "--client-kbit" in done.stderr and "256" in done.stderr, done.stderr


def a_flood_ends_its_own_connection_only():
    with Server() as server:
        bots = subprocess.Popen([BINARIES / "orrery", "bot", server.name, "--count", "2",
                                 "--seconds", "4"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True)
        client = protocol.Client(server)
        client.socket.setblocking(False)
        reason = None
        end = time.monotonic() + 30
        while reason is None:
            assert time.monotonic() < end, "the flood was not ended"
            for _ in range(50):
                client.say(protocol.INPUT, bytes(100))
            # The server reads at least every 20 ms. Its socket buffer holds all packets that arrive
            # in this time, so it receives all of them, and disconnects a client that sends so many.
            while reason is None and select.select([client.socket], [], [], 0.005)[0]:
                kind, _, text = client.token.unpack(client.socket.recv(2048))
                if kind == netcode.PAYLOAD and text[0] == protocol.GOODBYE:
                    reason = protocol.Reader(text[protocol.HEADER.size:]).scalar(0, "B")
        assert reason == 3, reason
        client.socket.close()
        _, err = bots.communicate(timeout=30)
        assert bots.returncode == 0, err
        code, err = server.end()
        assert code == 0 and "flooded" in [e["reason"] for e in logged(err, "client left")], err
        assert verify(server.log)[0] == 0


def a_false_acknowledgement_ends_its_own_connection_only():
    with Server() as server:
        client, liar = protocol.Client(server), protocol.Client(server)
        client.snapshot()
        liar.snapshot()
        far = 1_000_000  # a message that the server has not sent yet
        head = protocol.HEADER.pack(protocol.RELIABLE, liar.sequence + 1, far, 0)
        liar.send(netcode.PAYLOAD, head + bytes(2))
        reason = liar.hear(protocol.GOODBYE).scalar(0, "B")
        assert reason == 10, reason
        tick, _, _ = client.snapshot()
        assert client.snapshot()[0] > tick
        client.close()
        code, err = server.end()
        assert code == 0 and counters(err)["false_ack"] == 1, err
        reasons = [event["reason"] for event in logged(err, "client left")]
        assert sorted(reasons) == ["asked", "false_ack"], reasons


run([a_client_written_from_the_specification_plays, garbage_is_dropped_and_never_answered,
     commands_that_are_not_numbers_change_nothing, who_acknowledges_nothing_is_sent_the_least_rate,
     a_client_is_sent_no_more_than_its_limit, a_flood_ends_its_own_connection_only,
     a_false_acknowledgement_ends_its_own_connection_only])
