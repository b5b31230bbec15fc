# Tests the web side of a server: its routes, the page, the log, and clients over WebSockets.
import gzip
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
import web
from orrery_server import BINARIES, Server, logged, run, tool, verify

WEB = ("--web", "127.0.0.1:0")
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'"


def the_health_and_the_session_are_json():
    with Server(*WEB, "--scene", "tumble", "--rate", "50") as server:
        health = web.ask_json(server, "/healthz")
        assert health["healthy"] and health["problem"] is None, health
        session = web.ask_json(server, "/v1/session")
        assert session["scene"] == "tumble" and session["tick_rate"] == 50, session
        assert session["mode"] == "development" and session["clients"] == 0, session
        assert re.fullmatch("0x[0-9a-f]{16}", session["scene_hash"]), session
        assert re.fullmatch("[0-9a-f]{32}", session["session"]), session
        version = tool("--version")[1].split()[1]
        assert session["version"] == version and session["protocol"] == protocol.PROTOCOL, session
        client = web.Client(server)
        later = web.ask_json(server, "/v1/session")
        assert later["clients"] == 1 and later["tick"] >= session["tick"], later
        assert later["session"] == session["session"], later
        client.close()
        code, err = server.end()
        assert code == 0, err
        _, out, _ = tool("log", "info", server.log, "--json")
        assert json.loads(out)["rules"] == session["rules"], out


def every_answer_has_the_headers_that_protect_a_page():
    with Server(*WEB) as server:
        for path in ("/", "/healthz", "/v1/session", "/v1/log", "/v1/token", "/nothing", "/v1/ws"):
            _, headers, _ = web.ask(server, path)
            assert headers["Content-Security-Policy"] == POLICY, (path, headers)
            assert headers["X-Content-Type-Options"] == "nosniff", (path, headers)
        assert web.ask(server, "/healthz")[1]["Cache-Control"] == "no-store"


def a_method_or_path_that_nothing_answers_is_refused():
    with Server(*WEB) as server:
        assert web.ask(server, "/healthz", "HEAD")[2] == b""
        assert int(web.ask(server, "/healthz", "HEAD")[1]["Content-Length"]) > 10
        for method in ("PUT", "DELETE", "POST", "OPTIONS", "TRACE"):
            status, headers, _ = web.ask(server, "/healthz", method)
            assert (status, headers["Allow"]) == (405, "GET, HEAD"), (method, status)
        for path in ("/x", "/v1", "/v1/", "/v1/log/x", "/v1/log/-1", "/v1/log/99999999999",
                     "/v1/logs", "/healthz/", "//healthz"):
            assert web.ask(server, path)[0] == 404, path
        assert web.ask(server, "/healthz?x=1")[0] == 200
        assert web.ask(server, "/v1/ws")[0] == 426


def requests_share_a_connection():
    with Server(*WEB) as server, web.tcp(server) as link:
        request = f"GET /v1/session HTTP/1.1\r\nHost: {server.web}\r\n\r\n".encode()
        link.sendall(request * 3)  # the server answers them one after another
        heard = b""
        while heard.count(b'"log_segment"') < 3:
            heard += link.recv(4096)
        assert heard.count(b"HTTP/1.1 200 OK") == 3, heard


class Installed:
    """A server in a folder with a page, as `cmake --install` makes it."""

    FILES = {"index.html.gz": b"<!doctype html><title>page</title>", "app-0A1B2C3D.js.gz": b"1;",
             "core-4E5F6A7B.wasm.gz": b"\0asm\1\0\0\0", "about.txt": b"plain"}

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-installed-")
        top = pathlib.Path(self.folder.name)
        page = top / "share/orrery/web"
        page.mkdir(parents=True)
        (top / "bin").mkdir()
        shutil.copy(BINARIES / "orreryd", top / "bin/orreryd")
        for name, data in self.FILES.items():
            (page / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        (top / "share/secret.txt").write_text("secret")
        (page / "link.txt").symlink_to(top / "share/secret.txt")
        (page / "sub").mkdir()
        (page / "sub/part.css.gz").write_bytes(gzip.compress(b"a{}"))
        self.server = Server.__new__(Server)
        self.server.popen_options = {}
        self.server.folder = tempfile.TemporaryDirectory(prefix="orrery-test-")
        said = self.server.launch(top / "bin/orreryd", "--listen", "127.0.0.1:0", *WEB, "--log",
                                  top / "session.orrery")
        self.server.web = said["web"].removeprefix("http://")
        return self.server

    def __exit__(self, *exception):
        self.server.__exit__(*exception)
        self.folder.cleanup()


def the_installed_page_is_compressed_and_kept_by_browsers():
    accept = {"Accept-Encoding": "gzip, deflate"}
    with Installed() as server:
        for path, kind, immutable, data in (
                ("/", "text/html; charset=utf-8", False, "index.html.gz"),
                ("/index.html", "text/html; charset=utf-8", False, "index.html.gz"),
                ("/app-0A1B2C3D.js", "text/javascript; charset=utf-8", True, "app-0A1B2C3D.js.gz"),
                ("/core-4E5F6A7B.wasm", "application/wasm", True, "core-4E5F6A7B.wasm.gz")):
            status, headers, body = web.ask(server, path, headers=accept)
            assert status == 200 and headers["Content-Type"] == kind, (path, status, headers)
            assert headers["Content-Encoding"] == "gzip", (path, headers)
            assert ("immutable" in headers["Cache-Control"]) == immutable, (path, headers)
            assert immutable or headers["Cache-Control"] == "no-cache", (path, headers)
            assert gzip.decompress(body) == Installed.FILES[data], path
        assert web.ask(server, "/sub/part.css", headers=accept)[0] == 200
        plain = web.ask(server, "/about.txt")
        assert plain[2] == b"plain" and plain[1]["Content-Encoding"] is None, plain
        assert web.ask(server, "/")[0] == 406  # it does not accept gzip
        assert web.ask(server, "/", headers={"Accept-Encoding": "gzip;q=0"})[0] == 406


def no_path_leads_out_of_the_page():
    with Installed() as server:
        for path in ("/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt",
                     "/..%2fsecret.txt", "/link.txt", "/sub/../about.txt", "/about.txt.gz",
                     "/etc/passwd", "//etc/passwd", "/about.txt%00", "/sub", "/sub/", "/\\..\\x"):
            assert web.ask(server, path)[0] == 404, path
        assert web.ask(server, "/about.txt")[0] == 200  # control


def without_a_page_there_is_one_that_names_the_routes():
    if (BINARIES.parent / "share/orrery/web/index.html.gz").exists():
        return
    with Server(*WEB) as server:
        status, headers, body = web.ask(server, "/")
        assert status == 200 and headers["Content-Type"].startswith("text/html"), headers
        for path in (b"/healthz", b"/v1/session", b"/v1/token", b"/v1/log", b"/v1/ws"):
            assert path in body, body
        assert b"<script" not in body and b"style=" not in body, body


def ranged(server, text, **headers):
    return web.ask(server, "/v1/log", headers={"Range": text, **headers})


def the_log_is_served_in_ranges():
    with Server(*WEB, "--scene", "tumble") as server:
        while web.ask_json(server, "/v1/session")["durable_tick"] < 20:
            pass
        status, headers, whole = web.ask(server, "/v1/log")
        assert status == 200 and headers["Accept-Ranges"] == "bytes", headers
        tag = headers["ETag"]
        assert web.ask_json(server, "/v1/session")["session"] in tag, tag
        for text, first, last in (("bytes=0-99", 0, 99), ("bytes=100-100", 100, 100),
                                  ("bytes=7-50", 7, 50)):
            status, headers, body = ranged(server, text)
            assert status == 206 and body == whole[first:last + 1], (text, status)
            size = re.fullmatch(rf"bytes {first}-{last}/(\d+)", headers["Content-Range"])
            assert int(size[1]) >= len(whole), headers["Content-Range"]
        status, headers, body = ranged(server, f"bytes={len(whole) - 5}-")
        assert status == 206 and body.startswith(whole[-5:]), (status, body)
        status, headers, body = ranged(server, "bytes=-30")
        assert status == 206 and len(body) == 30, (status, body)
        status, headers, _ = ranged(server, "bytes=99999999-")
        assert status == 416 and headers["Content-Range"].startswith("bytes */"), headers
        assert ranged(server, "bytes=0-9", **{"If-Range": tag})[0] == 206
        assert ranged(server, "bytes=0-9", **{"If-Range": '"other"'})[0] == 200
        for text in ("bytes=9-3", "bytes=a-", "lines=0-1", "bytes=0-1,5-6", "bytes=-"):
            assert ranged(server, text)[0] == 200, text
        assert web.ask(server, "/v1/log/0")[2].startswith(whole)
        assert web.ask(server, "/v1/log/1")[0] == 404
        server.end()
        assert server.log.read_bytes().startswith(whole)


def the_served_part_of_a_running_log_is_durable_and_verifies():
    with Server(*WEB, "--scene", "tumble") as server:
        while web.ask_json(server, "/v1/session")["durable_tick"] < 30:
            pass
        session = web.ask_json(server, "/v1/session")
        _, _, body = web.ask(server, "/v1/log")
        assert len(body) <= os.path.getsize(server.log)
        part = server.log.with_name("part.orrery")
        part.write_bytes(body)
        code, report = verify(part)
        assert code == 0 and report["ticks"] >= session["durable_tick"], (code, report)
        assert report["lost_bytes"] == 0, report  # no record is cut
        damaged = server.log.with_name("damaged.orrery")  # control
        damaged.write_bytes(body[:300] + bytes([body[300] ^ 1]) + body[301:])
        assert verify(damaged)[0] != 0


def tokens_have_the_role_that_was_asked_for_and_let_in_once():
    with Server(*WEB, "--scene", "tumble") as server:
        for role, number in (("watch", 0), ("play", 1), ("admin", 2)):
            client = web.Client(server, web.new_token(server, role))
            assert client.role == number, role
            client.close()
        assert web.ask(server, "/v1/token")[0] == 200
        assert web.ask(server, "/v1/token?role=watch", "POST")[0] == 200
        assert web.ask(server, "/v1/token?role=god")[0] == 400
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
            client.acknowledge()  # it lives, but does not read
        ticks = [client.snapshot()[0]]
        while ticks[-1] < last + 300:
            ticks.append(client.snapshot()[0])
        gaps = [b - a for a, b in zip(ticks, ticks[1:])]
        assert max(gaps) > 120, ticks  # most of the pause was never sent
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


def packets_without_a_seal_are_for_websockets_only():
    with Server(*WEB, "--scene", "tumble") as server:
        plain, sealed = web.new_token(server), netcode.Token(server.key, server.address)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.settimeout(20)
        udp.sendto(plain.request, server.address)
        challenge = udp.recv(2048)
        assert challenge[-16:] != bytes(16)  # it is encrypted
        udp.sendto(plain.pack(netcode.RESPONSE, 0, bytes(308)), server.address)
        link = web.WebSocket(server)  # sealed packets over a WebSocket are not accepted either
        link.send(sealed.request)
        kind, _, text = web.Token.unpack(link.recv())
        assert kind == netcode.CHALLENGE
        link.send(sealed.pack(netcode.RESPONSE, 0, text))
        client = web.Client(server)  # by now the server has read all of the above
        client.close()
        _, err = server.end()
        dropped = logged(err, "counters dropped")[-1]
        assert dropped["impostor"] == "2", err
        assert len(logged(err, "client joined")) == 1, err


def options_decide_whether_there_is_a_web_side():
    for options in ((), ("--web", "off")):
        with Server(*options) as server:
            assert server.web == ""
    with Server(*WEB) as server:
        taken = server.web
        for options, words in ((("--web", taken), "cannot listen"),
                               (("--web", "0.0.0.0:0"), "needs --key-file"),
                               (("--web", "nowhere"), "--web nowhere")):
            done = start(*options)
            assert done[0] == 2 and words in done[1] and done[1].count("\n") == 1, done


def start(*options):
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log",
                               f"{folder}/log", "--ticks", "1", *options], capture_output=True,
                              text=True, timeout=20)
    return done.returncode, done.stderr


run([the_health_and_the_session_are_json, every_answer_has_the_headers_that_protect_a_page,
     a_method_or_path_that_nothing_answers_is_refused, requests_share_a_connection,
     the_installed_page_is_compressed_and_kept_by_browsers, no_path_leads_out_of_the_page,
     without_a_page_there_is_one_that_names_the_routes, the_log_is_served_in_ranges,
     the_served_part_of_a_running_log_is_durable_and_verifies,
     tokens_have_the_role_that_was_asked_for_and_let_in_once,
     a_client_over_a_websocket_is_a_client_like_any_other,
     a_follower_over_a_websocket_gets_every_tick,
     a_client_that_pauses_gets_the_newest_snapshot_and_no_film_of_the_past,
     a_closed_websocket_frees_its_slot_at_once,
     a_server_that_ends_says_so, with_a_key_file_clients_bring_tokens,
     packets_without_a_seal_are_for_websockets_only, options_decide_whether_there_is_a_web_side])
