# Tests clients over WebSockets: they are clients like any other, and get the newest state only.
import json
import pathlib
import socket
import struct
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
import web
from orrery_server import Server, logged, run, tool, verify

WEB = ("--web", "127.0.0.1:0")


def tokens_have_the_role_that_was_asked_for_and_let_in_once():
    with Server(*WEB, "--scene", "tumble") as server:
        for role, number in (("watch", 0), ("play", 1)):
            client = web.Client(server, web.new_token(server, role))
            assert client.role == number, role
            client.close()
        assert web.ask(server, "/v1/token")[0] == 200
        assert web.ask(server, "/v1/token?role=watch", "POST")[0] == 200
        assert web.ask(server, "/v1/token?role=god")[0] == 400
        assert web.ask(server, "/v1/token?role=admin")[0] == 400
        token = web.new_token(server)
        first = web.Client(server, token)
        again = web.WebSocket(server)
        again.send(token.request)
        kind, _, text = token.unpack(again.recv())
        assert (kind, text) == (netcode.DENIED, b"\x06"), (kind, text)  # used before
        first.close()
        status, _, body = web.ask(server, "/v1/token?role=play")
        udp = server.log.with_name("web.token")  # the same token works over UDP
        udp.touch(0o600)
        udp.write_bytes(body)
        code, _, err = tool("bot", server.name, "--seconds", 1, "--token", udp)
        assert status == 200 and code == 0, err


def a_client_over_a_websocket_is_a_client_like_any_other():
    with Server(*WEB, "--scene", "tumble") as server:
        page, other = web.Client(server), protocol.Client(server)
        assert (page.client, other.client) == (1, 2)
        for client, vector in ((page, (0, 5, 0)), (other, (3, 0, 0))):
            client.say(protocol.INPUT, protocol.table(
                [], protocol.impulse(0, client.client, 0, vector)))
            while client.snapshot()[1] < 1:
                pass
        seen = {}
        for client in (page, other):
            while len(seen.setdefault(client.client, {})) < 30:
                tick, _, bodies = client.snapshot()
                seen[client.client][tick] = bodies
        shared = seen[1].keys() & seen[2].keys()
        assert all(seen[1][tick] == seen[2][tick] for tick in shared), shared
        page.close()
        server.wait_for("client left id=1 reason=asked")
        other.close()
        code, err = server.end()
        joined = logged(err, "client joined")
        assert code == 0 and [line["id"] for line in joined] == ["1", "2"], err
        code, report = verify(server.log)
        assert code == 0 and report["first_divergent_tick"] is None, report
        _, out, _ = tool("log", "export", server.log)
        given = [(command["client"], command["command"]) for line in out.splitlines()
                 for command in json.loads(line).get("commands", []) if command["client"]]
        assert given == [(1, "impulse"), (2, "impulse")], given


def a_follower_over_a_websocket_gets_every_tick():
    with Server(*WEB, "--scene", "tumble") as server:
        client = web.Client(server, mode=protocol.FOLLOW)
        messages = client.reliable_messages()
        assert next(messages)[0] == 1  # a header
        checkpoint = next(messages)
        tick, at = protocol.read_varint(checkpoint, 1)
        said = {tick: struct.unpack_from("<Q", checkpoint, at)[0]}
        for _ in range(60):
            message = next(messages)
            tick += 1
            assert message[0] == 7, message  # a tick
            said[tick] = struct.unpack_from("<Q", message, 1)[0]
        client.close()
        assert server.end()[0] == 0
        _, out, _ = tool("log", "export", server.log)
        lines = [json.loads(line) for line in out.splitlines()]
        states = {line["tick"]: int(line["hash"], 16) for line in lines if "tick" in line}
        assert said == {tick: states[tick] for tick in said}


def a_client_that_pauses_gets_the_newest_snapshot_and_no_film_of_the_past():
    with Server(*WEB, "--scene", "tumble") as server:
        client, other = web.Client(server, receive_bytes=4096), web.Client(server)
        last = client.snapshot()[0]
        while other.snapshot()[0] < last + 240:
            client.acknowledge()  # acknowledges, so it lives, but does not read
        ticks = [client.snapshot()[0]]
        while ticks[-1] < last + 300:
            ticks.append(client.snapshot()[0])
        gaps = [b - a for a, b in zip(ticks, ticks[1:])]
        assert max(gaps) > 120, ticks  # most messages of the pause were never sent
        assert gaps[-30:] == [1] * 30, ticks
        client.close()
        other.close()
        assert server.end()[0] == 0


def a_closed_websocket_frees_its_slot_at_once():
    with Server(*WEB, "--scene", "tumble") as server:
        client = web.Client(server)
        client.socket.close()  # no disconnect packet
        server.wait_for("client left id=1 reason=asked")
        assert web.Client(server).client == 1


def a_server_that_ends_says_so():
    with Server(*WEB, "--scene", "tumble") as server:
        client = web.Client(server)
        code, err = server.end()
        assert code == 0 and logged(err, "client left") == [], err
        assert client.socket.closed() == 1001


def with_a_key_file_clients_bring_tokens():
    with tempfile.TemporaryDirectory(prefix="orrery-key-") as folder:
        key = pathlib.Path(folder) / "orrery.key"
        key.touch(0o600)
        key.write_text(bytes(range(32)).hex() + "\nprotocol-id 7\n")
        with Server(*WEB, "--key-file", key, "--scene", "tumble") as server:
            assert web.ask(server, "/v1/token")[0] == 403
            assert web.ask(server, "/v1/log")[0] == 403
            assert web.ask_json(server, "/v1/session")["mode"] == "tokens"
            headers = {"Host": "game.example", "Origin": "https://game.example"}
            assert web.ask(server, "/healthz", headers=headers)[0] == 200
            token = web.Token(netcode.Token(netcode.Key(key), server.address).public)
            client = web.Client(server, token)
            assert client.role == netcode.PLAY
            client.close()
            other = netcode.Key(key)
            other.key = bytes(32)  # control: a token of another key gets no answer
            link = web.WebSocket(server)
            link.send(netcode.Token(other, server.address).request)
            client = web.Client(server, web.Token(
                netcode.Token(netcode.Key(key), server.address).public))
            client.close()
            _, err = server.end()
            assert logged(err, "counters dropped")[-1]["bad_token"] == "1", err


def a_copied_request_without_the_keys_joins_nothing():
    with Server(*WEB, "--scene", "tumble") as server:
        token = web.new_token(server)
        thief = web.WebSocket(server)
        thief.send(token.request)  # copied from the path of another client
        challenge = token.unpack(thief.recv())
        assert challenge[0] == netcode.CHALLENGE
        right = token.pack(netcode.RESPONSE, 0, challenge[2])
        wrong = [bytes(16), token.to_client[:16], token.to_server[16:],
                 token.to_server[:15] + bytes([token.to_server[15] ^ 1])]
        for tag in wrong:
            thief.send(right[:-16] + tag)
        client = web.Client(server)  # by now the server has read all of the above
        assert client.client == 1
        thief.send(right)  # control: with the key, the same response connects
        assert token.unpack(thief.recv())[0] == netcode.KEEP_ALIVE
        client.close()
        _, err = server.end()
        assert logged(err, "counters dropped")[-1]["impostor"] == str(len(wrong)), err


def packets_without_a_seal_are_for_websockets_only():
    with Server(*WEB, "--scene", "tumble") as server:
        plain, sealed = web.new_token(server), netcode.Token(server.key, server.address)
        bare = web.Token(sealed.public)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.settimeout(20)
        udp.sendto(plain.request, server.address)
        challenge = udp.recv(2048)
        assert challenge[-16:] != plain.to_client[:16]  # it is encrypted
        udp.sendto(plain.pack(netcode.RESPONSE, 0, bytes(308)), server.address)
        link = web.WebSocket(server)  # sealed packets over a WebSocket are not accepted either
        link.send(sealed.request)
        kind, _, text = bare.unpack(link.recv())
        assert kind == netcode.CHALLENGE
        link.send(sealed.pack(netcode.RESPONSE, 0, text))
        client = web.Client(server)  # by now the server has read all of the above
        client.close()
        _, err = server.end()
        dropped = logged(err, "counters dropped")[-1]
        assert dropped["impostor"] == "2", err
        assert len(logged(err, "client joined")) == 1, err


run([tokens_have_the_role_that_was_asked_for_and_let_in_once,
     a_client_over_a_websocket_is_a_client_like_any_other,
     a_follower_over_a_websocket_gets_every_tick,
     a_client_that_pauses_gets_the_newest_snapshot_and_no_film_of_the_past,
     a_closed_websocket_frees_its_slot_at_once, a_server_that_ends_says_so,
     with_a_key_file_clients_bring_tokens, a_copied_request_without_the_keys_joins_nothing,
     packets_without_a_seal_are_for_websockets_only])
