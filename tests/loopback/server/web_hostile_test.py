# Attacks the web side of a server: each attack ends its own connection, and no tick waits for it.
import pathlib
import re
import select
import sys

sys.path.append(sys.path[0] + "/../support")
import netcode
import web
from orrery_server import Server, fields_of, logged, run, verify

OPTIONS = ("--web", "127.0.0.1:0", "--scene", "tumble", "--log-level", "debug")
GOING = b"HTTP/1.1 101"


def ended(link):
    """Reads until the server ends the connection. Returns what it said."""
    heard = b""
    try:
        while data := link.recv(65536):
            heard += data
    except ConnectionError:
        pass
    return heard


def session_goes_on(server):
    """Ends the server: every tick was made in time, and the log verifies."""
    client = web.Client(server)
    client.snapshot()
    client.close()
    code, err = server.end()
    assert code == 0, err
    code, report = verify(server.log)
    assert code == 0 and report["first_divergent_tick"] is None, report
    lines = [line for line in err.splitlines() if " web refused " in line]
    assert all(re.fullmatch("[ -~]*", line) for line in lines), lines
    return [fields_of(line)["reason"] for line in lines]


def requests_of_foreign_pages_are_refused():
    with Server(*OPTIONS) as server:
        host, port = server.web.rsplit(":", 1)
        for fields, status in (
                ({"Origin": "http://evil.example"}, 403),
                ({"Origin": f"http://127.0.0.1:{int(port) ^ 1}"}, 403),
                ({"Origin": "null"}, 403), ({"Origin": ""}, 403), ({"Origin": None}, 101),
                ({"Origin": f"http://{server.web}.evil.example"}, 403),
                ({"Origin": f"ftp://{server.web}"}, 403),
                ({"Host": "evil.example", "Origin": "http://evil.example"}, 403),
                ({"Host": f"localhost.evil.example:{port}"}, 403),
                ({"Host": "127.0.0.1.evil.example"}, 403), ({"Host": "127.0.0.1:x"}, 400),
                ({"Host": "10.0.0.1"}, 403), ({"Host": ""}, 400), ({"Host": None}, 400),
                ({"Host": f"localhost:{port}", "Origin": f"http://localhost:{port}"}, 101),
                ({"Host": f"[::1]:{port}", "Origin": f"http://[::1]:{port}"}, 101),
                ({"Origin": f"http://{server.web}"}, 101),
                ({"Origin": f"https://{server.web}"}, 101)):
            socket = web.WebSocket(server, fields)
            assert socket.status == status, (fields, socket.status)
            socket.close()
        evil = {"Origin": "http://evil.example"}
        for path in ("/v1/token", "/v1/log", "/v1/session", "/"):
            assert web.ask(server, path, headers=evil)[0] == 403, path
        own, head = f"http://{server.web}", f"GET /v1/token HTTP/1.1\r\nHost: {server.web}\r\n"
        for field, good, bad in (("Origin", own, "http://evil.example"),
                                 ("Sec-Fetch-Site", "same-origin", "cross-site")):
            for values in ((good, bad), (bad, good), (good, good)):  # which one would a proxy read?
                with web.tcp(server) as link:
                    lines = "".join(f"{field}: {value}\r\n" for value in values)
                    link.sendall(f"{head}{lines}\r\n".encode())
                    assert ended(link).startswith(b"HTTP/1.1 400 "), (field, values)
        for site, status in (("cross-site", 403), ("same-site", 403), ("same-origin", 200),
                             ("none", 200)):
            for path in ("/v1/token", "/v1/log"):  # a form or an image of a page has no Origin
                found = web.ask(server, path, headers={"Sec-Fetch-Site": site})[0]
                assert found == status, (site, path, found)
            assert web.ask(server, "/", headers={"Sec-Fetch-Site": site})[0] == 200, site
        assert "foreign origin" in session_goes_on(server)


def malformed_requests_get_an_error_and_an_end():
    host = b"Host: 127.0.0.1\r\n"
    with Server(*OPTIONS) as server:
        for request, status in (
                (b"\x1b[31mevil\x00\xff\r\n\r\n", 400), (b"GET\r\n\r\n", 400),
                (b"GET / HTTP/9.9\r\n" + host + b"\r\n", 400),
                (b"GET / HTTP/1.1\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + host + b"\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"bad header\r\n\r\n", 400),
                (b"POST /v1/token HTTP/1.1\r\n" + host + b"Content-Length: 4\r\n"
                 b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
                (b"POST /v1/token HTTP/1.1\r\n" + host + b"Content-Length: 99999999999\r\n\r\n",
                 413),
                (b"POST /v1/token HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n", 400),
                (b"GET / HTTP/1.1\r\n" + host + b"X: " + b"y" * 9000 + b"\r\n\r\n", 431),
                (b"GET /" + b"y" * 9000 + b" HTTP/1.1\r\n" + host + b"\r\n", 431),
                (b"GET /healthz HTTP/1.0\r\n" + host + b"\r\n", 200)):
            with web.tcp(server) as link:
                link.sendall(request)
                heard = ended(link)
                assert heard.split(b" ", 2)[1] == b"%d" % status, (request[:60], heard[:200])
                assert b"evil" not in heard, heard
        assert "malformed request" in session_goes_on(server)


def no_request_hides_in_another():
    """RFC 9112, section 11.2: each of these bodies could end elsewhere for a proxy."""
    hidden = b"GET /v1/session HTTP/1.1\r\nHost: localhost\r\n\r\n"
    body = b"0\r\n\r\n"
    with Server(*OPTIONS) as server:
        for fields in (b"Transfer-Encoding: gzip", b"Transfer-Encoding: chunked, gzip",
                       b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: identity",
                       b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding:",
                       b"Transfer-Encoding: xchunked", b"Transfer-Encoding: chunked;a=b",
                       b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                       b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
                       b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                       b"Transfer-Encoding: chunked\r\nContent-Length: 5",
                       b"Content-Length: 5\r\nTransfer-Encoding: chunked",
                       b"Content-Length: 5\r\nContent-Length: 6", b"Content-Length: 5, 6",
                       b"Content-Length: +5", b"Content-Length: 0x5", b"Content-Length : 5",
                       b"Transfer-Encoding : chunked", b"Transfer-Encoding: chunked\x0b"):
            for version in (b"1.1", b"1.0"):
                with web.tcp(server) as link:
                    link.sendall(b"POST /v1/token HTTP/" + version + b"\r\nHost: localhost\r\n" +
                                 fields + b"\r\n\r\n" + body + hidden)
                    heard = ended(link)
                    assert heard.startswith(b"HTTP/1.1 400 "), (fields, version, heard[:100])
                    assert heard.count(b"HTTP/1.1 ") == 1, (fields, version, heard)
        with web.tcp(server) as link:  # control: one final chunked
            link.sendall(b"POST /v1/token HTTP/1.1\r\nHost: localhost\r\n"
                         b"Transfer-Encoding: Chunked\r\n\r\n" + body + hidden)
            heard = b""
            while heard.count(b"HTTP/1.1 200") < 2:
                heard += link.recv(65536)
        session_goes_on(server)


def a_client_that_waits_with_its_body_is_answered_at_once():
    """RFC 9110, section 10.1.1: without an answer the client keeps its body."""
    with Server(*OPTIONS) as server:
        for size in (b"Content-Length: 4", b"Content-Length: 99999", b"Transfer-Encoding: chunked"):
            for target, status in ((b"/v1/session", b"200"), (b"/nowhere", b"404")):
                with web.tcp(server) as link:
                    link.settimeout(4)  # the server waits 5 s for a request
                    link.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n" + size +
                                 b"\r\nExpect: 100-Continue\r\n\r\n")
                    heard = ended(link)
                    answer = b"413" if b"99999" in size else status
                    assert heard.split()[1] == answer, (size, target, heard[:200])
                    assert b"\r\nConnection: close\r\n" in heard, heard
                    assert heard.count(b"HTTP/1.1 ") == 1, heard
        with web.tcp(server) as link:  # control: no body follows
            head = b"GET /v1/session HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
            link.sendall((head + b"\r\n") * 2)
            heard = b""
            while heard.count(b"HTTP/1.1 200") < 2:
                heard += link.recv(65536)
        session_goes_on(server)


def a_header_without_end_is_cut_off():
    with Server(*OPTIONS) as server, web.tcp(server) as link:
        sent = 0
        try:
            link.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
            while sent < 1 << 30:
                sent += link.send(b"y" * 65536)
        except ConnectionError:
            pass
        assert sent < 64 << 20, sent  # no more than the buffers of the system hold
        assert "header too large" in session_goes_on(server)


def slow_requests_are_closed_and_delay_nobody():
    with Server(*OPTIONS) as server:
        slow = [web.tcp(server) for _ in range(20)]
        text = f"GET /healthz HTTP/1.1\r\nHost: {server.web}\r\nX: ".encode() + b"y" * 4000
        open_, sent = set(slow), 0
        while open_:
            for link in list(open_):
                try:
                    link.send(text[sent:sent + 1])  # nothing after the last byte
                    if select.select([link], [], [], 0)[0] and not link.recv(100):
                        open_.remove(link)
                except ConnectionError:
                    open_.remove(link)
            sent += 1
            # Control: a request at once. /healthz may say 503 on a busy machine.
            assert web.ask(server, "/v1/session")[0] == 200
        for link in slow:
            link.close()
        reasons = session_goes_on(server)
        assert "request" in reasons, reasons


def hostile_frames_end_their_websocket():
    big = netcode.REQUEST_BYTES
    frames = (
        ("text", web.frame(web.TEXT, b"\x1b[31mhello"), 1003),
        ("too large", web.frame(web.BINARY, bytes(1226)), 1009),
        ("claims 2^62 bytes", b"\x82\xff" + (1 << 62).to_bytes(8, "big") + bytes(4), 1009),
        ("too large in fragments", web.frame(web.BINARY, bytes(900), final=False) +
         web.frame(web.CONTINUATION, bytes(900)), 1009),
        ("without a mask", web.frame(web.BINARY, bytes(20), masked=False), 1002),
        ("unknown opcode", web.frame(3, b"x"), 1002),
        ("unknown control opcode", web.frame(11, b"x"), 1002),
        ("reserved bit", web.frame(web.BINARY, b"x", reserved=4), 1002),
        ("long ping", web.frame(web.PING, bytes(126)), 1002),
        ("fragmented ping", web.frame(web.PING, b"x", final=False), 1002),
        ("continuation of nothing", web.frame(web.CONTINUATION, b"x"), 1002),
        ("new message inside another", web.frame(web.BINARY, b"x", final=False) +
         web.frame(web.BINARY, b"y"), 1002),
        ("size in too many bytes", b"\x82\xfe\0\5" + bytes(9), 1002),
        ("close with one byte", web.frame(web.CLOSE, b"x"), 1002))
    with Server(*OPTIONS) as server:
        for name, data, code in frames:
            socket = web.WebSocket(server)
            socket.link.sendall(data)
            assert socket.closed() == code, (name, code)
            socket.close()
        socket = web.WebSocket(server)  # controls: these messages are accepted
        socket.link.sendall(web.frame(web.PING, b"hello"))
        assert socket.frame() == (web.PONG, b"hello")
        token = web.new_token(server)
        request = token.request
        socket.link.sendall(web.frame(web.BINARY, request[:100], final=False) +
                            web.frame(web.PING, b"between") +
                            web.frame(web.CONTINUATION, request[100:]))
        assert len(request) == big and socket.frame() == (web.PONG, b"between")
        assert token.unpack(socket.recv())[0] == netcode.CHALLENGE
        socket.link.sendall(web.frame(web.CLOSE, (1000).to_bytes(2, "big")))
        assert socket.closed() == 1000
        reasons = session_goes_on(server)
        assert {"text frame", "malformed or large frame"} <= set(reasons), reasons


def junk_in_messages_is_counted_like_junk_in_datagrams():
    with Server(*OPTIONS) as server:
        socket = web.WebSocket(server)
        for size in (1, 16, 17, 100, 1078, 1225):
            socket.send(b"\x15" * size)
        client = web.Client(server)
        for _ in range(50):
            client.socket.send(b"\xff" * 40)
        while client.snapshot()[0] < 30:
            pass
        client.close()
        _, err = server.end()
        dropped = logged(err, "counters dropped")[-1]
        assert dropped["malformed"] == "54" and dropped["stranger"] == "2", err
        assert verify(server.log)[0] == 0


def floods_of_tiny_frames_delay_no_tick():
    with Server(*OPTIONS) as server:
        floods = [web.WebSocket(server) for _ in range(8)]
        empty = web.frame(web.BINARY, b"", final=False) + web.frame(web.CONTINUATION, b"",
                                                                    final=False) * 5000
        pings = web.frame(web.PING) * 5000
        requests = f"GET /healthz HTTP/1.1\r\nHost: {server.web}\r\n\r\n".encode() * 1000
        others = [(web.WebSocket(server).link, pings) for _ in range(8)]
        others += [(web.tcp(server), requests) for _ in range(8)]
        for link in [flood.link for flood in floods] + [link for link, _ in others]:
            link.setblocking(False)
        client, ticks = web.Client(server), []
        while len(ticks) < 200:
            for flood in floods:
                try:
                    flood.link.send(empty[6:] if ticks else empty)
                except (BlockingIOError, ConnectionError):
                    pass
            for link, data in others:
                try:
                    link.send(data)
                    link.recv(1 << 20)
                except (BlockingIOError, ConnectionError):
                    pass
            ticks.append(client.snapshot()[0])
        assert ticks == list(range(ticks[0], ticks[0] + 200)), ticks
        client.close()
        for flood in floods:
            flood.close()
        for link, _ in others:
            link.close()
        session_goes_on(server)


def a_websocket_may_ask_for_a_connection_twenty_times():
    with Server(*OPTIONS) as server:
        token = web.new_token(server)
        forged = token.request[:-1] + bytes([token.request[-1] ^ 1])
        socket = web.WebSocket(server)
        for _ in range(19):
            socket.send(forged)
        socket.send(token.request)
        assert token.unpack(socket.recv())[0] == netcode.CHALLENGE  # control
        socket.send(forged)
        assert socket.closed() == 1008
        assert session_goes_on(server) == ["many requests"]


def a_stalled_client_costs_others_nothing_and_is_dropped():
    with Server(*OPTIONS) as server:
        lonely = web.WebSocket(server)  # it never has a client
        stalled = web.Client(server, receive_bytes=4096)
        other = web.Client(server)
        ticks, left = [other.snapshot()[0]], False
        while not left:
            ticks.append(other.snapshot()[0])
            try:
                lonely.send(b"", web.PING)
                lonely.send(b"\x15" * 40)
            except ConnectionError:
                pass
            try:
                stalled.acknowledge()  # it sends, but does not read any more
            except ConnectionError:
                pass
            left = any("client left id=1 reason=timed_out" in line for line in server.lines)
        gaps = [b - a for a, b in zip(ticks, ticks[1:])]
        assert set(gaps) == {1}, gaps
        # the connection lasted for seconds in which it could have read
        assert len(ticks) > 300, len(ticks)
        assert not any("client left id=2" in line for line in server.lines)  # control
        server.wait_for('web refused reason=client')
        stalled.socket.close()
        other.close()
        assert "takes no bytes" in session_goes_on(server)


def a_connection_from_the_port_of_a_reset_one_replaces_it():
    with Server(*OPTIONS) as server:
        first = web.Client(server)
        _, port = first.socket.link.getsockname()
        pings = 250
        first.socket.link.sendall(web.frame(web.PING) * pings)
        while pings:
            pings -= first.socket.frame()[0] == web.PONG
        # the server reads nothing for a while, so it does not notice the reset
        web.reset(first.socket.link)
        second = web.Client(server, source=port)
        ticks = [second.snapshot()[0] for _ in range(30)]
        assert ticks == list(range(ticks[0], ticks[0] + 30)), ticks
        left = server.wait_for("client left id=1")
        assert fields_of(left)["reason"] == "asked", left
        second.close()
        assert session_goes_on(server) == []


def places_are_kept_for_questions_about_the_health():
    with Server(*OPTIONS) as server:
        links = []
        client = web.Client(server)
        for _ in range(600):
            links.append(web.tcp(server))
        files = pathlib.Path(f"/proc/{server.process.pid}/fd")
        while web.ask(server, "/v1/session")[0] != 503:  # all 512 places are taken
            client.snapshot()
        for _ in range(40):  # more than there are places: the oldest makes room
            before = client.snapshot()[0]
            status, headers, body = web.ask(server, "/healthz")
            assert status in (200, 503) and b'"tick"' in body, (status, body)
            assert headers["Connection"] == "close", headers
            # less than the 10 s after which others leave
            assert client.snapshot()[0] - before < 120, before
        for path in ("/", "/v1/session", "/v1/token"):
            status, _, body = web.ask(server, path)
            assert status == 503 and b"too many connections" in body, (path, status, body)
        assert web.WebSocket(server).status == 503
        assert len(list(files.iterdir())) < 512 + 60
        for link in links:
            link.close()
        while web.ask(server, "/v1/session")[0] != 200:
            client.snapshot()
        client.close()
        session_goes_on(server)


run([requests_of_foreign_pages_are_refused, malformed_requests_get_an_error_and_an_end,
     a_client_that_waits_with_its_body_is_answered_at_once,
     a_header_without_end_is_cut_off, slow_requests_are_closed_and_delay_nobody,
     hostile_frames_end_their_websocket, junk_in_messages_is_counted_like_junk_in_datagrams,
     floods_of_tiny_frames_delay_no_tick, a_websocket_may_ask_for_a_connection_twenty_times,
     a_stalled_client_costs_others_nothing_and_is_dropped,
     a_connection_from_the_port_of_a_reset_one_replaces_it,
     places_are_kept_for_questions_about_the_health,
     no_request_hides_in_another])
