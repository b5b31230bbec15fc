# Tests the web side of a server: its routes, the page, the log, and its options.
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import protocol
import web
from orrery_server import BINARIES, Server, run, tool, verify

WEB = ("--web", "127.0.0.1:0")
POLICY = ("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; frame-ancestors 'none'; "
          "base-uri 'none'; form-action 'none'")


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
        status, headers, metrics = web.ask(server, "/metrics")
        assert status == 200 and headers["Content-Type"].startswith("text/plain; version=0.0.4")
        assert b"\norrery_connections 1\n" in metrics, metrics
        assert b'\norrery_dropped_total{reason="flood"} 0\n' in metrics, metrics
        later = web.ask_json(server, "/v1/session")
        assert later["clients"] == 1 and later["tick"] >= session["tick"], later
        assert later["session"] == session["session"], later
        client.close()
        code, err = server.end()
        assert code == 0, err
        _, out, _ = tool("log", "info", server.log, "--json")
        assert json.loads(out)["rules"] == session["rules"], out


def a_server_whose_log_was_removed_is_not_healthy():
    with Server(*WEB, "--scene", "tumble") as server:
        assert web.ask(server, "/healthz")[0] == 200  # control
        os.unlink(server.log)
        while (answer := web.ask(server, "/healthz"))[0] == 200:
            pass
        health = json.loads(answer[2])
        assert answer[0] == 503 and health["problem"] == "log damaged", answer
        assert not health["healthy"], health
        client = web.Client(server)  # the session continues
        client.close()
        assert server.end()[0] == 1


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
        status, headers, _ = web.ask(server, "/v1/token", "PUT")
        assert (status, headers["Allow"]) == (405, "GET, HEAD, POST"), (status, headers["Allow"])
        for path in ("/x", "/v1", "/v1/", "/v1/log/x", "/v1/log/-1", "/v1/log/99999999999",
                     "/v1/logs", "/healthz/", "//healthz"):
            assert web.ask(server, path)[0] == 404, path
        assert web.ask(server, "/healthz?x=1")[0] == 200
        for method in ("GET", "POST"):  # a page asks by POST why its WebSocket was refused
            status, headers, body = web.ask(server, "/v1/ws", method)
            assert status == 426 and headers["Upgrade"] == "websocket", (method, status, headers)
            assert b"a proxy must pass" in body, body
        for method in ("PUT", "OPTIONS"):
            assert web.ask(server, "/v1/ws", method)[1]["Allow"] == "GET, HEAD, POST"


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

    FILES = {"index.html.gz": b"<!doctype html><title>page</title>", "app-0a1b2c3d.js.gz": b"1;",
             "core-4e5f6a7b.wasm.gz": b"\0asm\1\0\0\0", "about.txt": b"plain"}

    def __init__(self, page=True):
        self.page = page

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-installed-")
        top = pathlib.Path(self.folder.name)
        (top / "bin").mkdir()
        shutil.copy(BINARIES / "orreryd", top / "bin/orreryd")
        if self.page:
            self.install(top)
        self.server = Server.__new__(Server)
        self.server.popen_options = {}
        self.server.folder = tempfile.TemporaryDirectory(prefix="orrery-test-")
        said = self.server.launch(top / "bin/orreryd", "--listen", "127.0.0.1:0", *WEB, "--log",
                                  top / "session.orrery")
        self.server.web = said["web"].removeprefix("http://")
        return self.server

    def install(self, top):
        page = top / "share/orrery/web"
        page.mkdir(parents=True)
        for name, data in self.FILES.items():
            (page / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        (top / "share/secret.txt").write_text("secret")
        (page / "link.txt").symlink_to(top / "share/secret.txt")
        (page / "sub").mkdir()
        (page / "sub/part.css.gz").write_bytes(gzip.compress(b"a{}"))

    def __exit__(self, *exception):
        self.server.__exit__(*exception)
        self.folder.cleanup()


def the_installed_page_is_compressed_and_kept_by_browsers():
    accept = {"Accept": "text/html", "Accept-Encoding": "gzip, deflate"}
    with Installed() as server:
        for path, kind, immutable, data in (
                ("/", "text/html; charset=utf-8", False, "index.html.gz"),
                ("/index.html", "text/html; charset=utf-8", False, "index.html.gz"),
                ("/app-0a1b2c3d.js", "text/javascript; charset=utf-8", True, "app-0a1b2c3d.js.gz"),
                ("/core-4e5f6a7b.wasm", "application/wasm", True, "core-4e5f6a7b.wasm.gz")):
            status, headers, body = web.ask(server, path, headers=accept)
            assert status == 200 and headers["Content-Type"] == kind, (path, status, headers)
            assert headers["Content-Encoding"] == "gzip", (path, headers)
            assert ("immutable" in headers["Cache-Control"]) == immutable, (path, headers)
            assert immutable or headers["Cache-Control"] == "no-cache", (path, headers)
            assert gzip.decompress(body) == Installed.FILES[data], path
        assert web.ask(server, "/sub/part.css", headers=accept)[0] == 200
        plain = web.ask(server, "/about.txt")
        assert plain[2] == b"plain" and plain[1]["Content-Encoding"] is None, plain
        for refused in ("", "identity", "gzip;q=0", "br"):
            fields = {"Accept-Encoding": refused} if refused else {}
            status, headers, body = web.ask(server, "/app-0a1b2c3d.js", headers=fields)
            assert status == 200 and headers["Content-Encoding"] is None, (refused, headers)
            assert body == b"1;" and headers["Vary"] == "Accept-Encoding", (refused, body)


def programs_that_ask_for_the_page_get_a_text():
    for page in (True, False):
        with Installed(page) as server:
            for fields in ({}, {"Accept": "*/*"}, {"Accept": "*/*", "Accept-Encoding": "gzip"}):
                status, headers, body = web.ask(server, "/", headers=fields)
                assert status == 200 and headers["Content-Type"].startswith("text/plain"), headers
                assert "Accept" in headers["Vary"] and body.startswith(b"This is orreryd. "), body
                assert headers["Content-Encoding"] is None, headers
                for path in (b"/healthz", b"/v1/session", b"/v1/token", b"/v1/log", b"/v1/ws"):
                    assert path in body, body
            _, headers, body = web.ask(server, "/", headers={"Accept": "text/html,*/*;q=0.8"})
            assert (b"<title>page" in body) == page, body
            if page:  # no Accept-Encoding, so the page is not compressed
                assert headers["Content-Type"].startswith("text/html"), headers


def no_path_leads_out_of_the_page():
    with Installed() as server:
        for path in ("/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt",
                     "/..%2fsecret.txt", "/link.txt", "/sub/../about.txt", "/about.txt.gz",
                     "/etc/passwd", "//etc/passwd", "/about.txt%00", "/sub", "/sub/", "/\\..\\x"):
            assert web.ask(server, path)[0] == 404, path
        assert web.ask(server, "/about.txt")[0] == 200  # control


def ranged(server, text, **headers):
    return web.ask(server, "/v1/log", headers={"Range": text, **headers})


def a_range_is_for_get_only():
    with Server(*WEB, "--scene", "tumble") as server:
        while web.ask_json(server, "/v1/session")["durable_tick"] < 20:
            pass
        for text in ("bytes=0-99", "bytes=99999999-"):
            status, headers, body = web.ask(server, "/v1/log", "HEAD", {"Range": text})
            assert status == 200 and body == b"" and headers["Content-Range"] is None, headers
            assert int(headers["Content-Length"]) > 100, headers
        assert ranged(server, "bytes=0-99")[0] == 206  # control


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


def options_decide_whether_there_is_a_web_side():
    for options in ((), ("--web", "off")):
        with Server(*options) as server:
            assert server.web == ""
    with Server(*WEB) as server:
        taken = server.web
        for options, words in ((("--web", taken), "cannot listen"),
                               (("--web", "0.0.0.0:0"), "needs --key-file"),
                               (("--web", "nowhere"), "--web nowhere"),
                               (("--web", "127.0.0.1:0", "--web-hosts", "a,http://b"),
                                "--web-hosts http://b: not a host")):
            done = start(*options)
            assert done[0] == 2 and words in done[1] and done[1].count("\n") == 1, done


def raw(server, text):
    """Sends bytes, and returns everything that the server says until it closes."""
    with web.tcp(server) as link:
        link.sendall(text)
        heard = b""
        try:
            while data := link.recv(65536):
                heard += data
        except ConnectionError:
            pass
    return heard


def requests_have_all_forms_of_the_standard():
    """RFC 9112, section 3, and RFC 9110, section 7.2."""
    with Server(*WEB) as server:
        port = server.web.rpartition(":")[2]
        close = "Connection: close\r\n\r\n"
        for request, status in (
                ("GET /healthz HTTP/1.0\r\n\r\n", 200),
                (f"GET /healthz HTTP/1.1\r\nHost: LocalHost:{port}\r\n{close}", 200),
                (f"GET /healthz HTTP/1.1\r\nHost: LOCALHOST\r\n{close}", 200),
                (f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:\r\n{close}", 200),
                (f"GET http://{server.web}/healthz HTTP/1.1\r\nHost: {server.web}\r\n{close}", 200),
                (f"GET HTTP://LocalHost/healthz?a=b HTTP/1.1\r\nHost: x.example\r\n{close}", 200),
                (f"GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n{close}", 403),
                (f"GET http://localhost HTTP/1.1\r\nHost: localhost\r\n{close}", 200),
                (f"GET http://localhost/healthz HTTP/1.1\r\n{close}", 400),
                (f"GET healthz HTTP/1.1\r\nHost: localhost\r\n{close}", 400),
                (f"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n{close}", 405),
                (f"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n{close}", 405)):
            heard = raw(server, request.encode())
            assert heard.startswith(b"HTTP/1.1 %d " % status), (request, heard[:100])


def listed_hosts_are_answered_and_no_others():
    with tempfile.TemporaryDirectory(prefix="orrery-key-") as folder:
        key = pathlib.Path(folder) / "orrery.key"
        key.touch(0o600)
        key.write_text("42" * 32 + "\n")
        for mode in ((), ("--key-file", key)):
            with Server(*WEB, *mode, "--web-hosts", "game.example, play.example:8443") as server:
                for host, status in (("game.example", 200), ("GAME.example:81", 200),
                                     ("play.example:8443", 200), (server.web, 200),
                                     ("localhost", 200), ("play.example", 403),
                                     ("evil.example", 403), ("10.0.0.1", 403)):
                    found = web.ask(server, "/healthz", headers={"Host": host})[0]
                    assert found == status, (host, found)
                # a proxy has rewritten Host
                for origin, status in (("https://game.example", 101),
                                       ("http://game.example:9", 101),
                                       ("https://play.example:8443", 101),
                                       ("https://play.example", 403),
                                       ("https://evil.example", 403)):
                    socket = web.WebSocket(server, {"Origin": origin})
                    assert socket.status == status, (origin, socket.status)
                    socket.close()
                body = web.ask(server, "/", headers={"Host": "evil.example"})[2]
                assert b"--web-hosts" in body, body
        with Server(*WEB, "--key-file", key) as server:  # control: without the option, all hosts
            assert web.ask(server, "/healthz", headers={"Host": "evil.example"})[0] == 200
            fields = {"Origin": "https://game.example"}
            status, _, body = web.ask(server, "/v1/ws", "POST", fields)
            assert status == 403 and b"--web-hosts" in body, body


def start(*options):
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        done = subprocess.run([BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--log",
                               f"{folder}/log", "--ticks", "1", *options], capture_output=True,
                              text=True, timeout=20)
    return done.returncode, done.stderr


run([the_health_and_the_session_are_json, a_server_whose_log_was_removed_is_not_healthy,
     every_answer_has_the_headers_that_protect_a_page,
     a_method_or_path_that_nothing_answers_is_refused, requests_share_a_connection,
     the_installed_page_is_compressed_and_kept_by_browsers, no_path_leads_out_of_the_page,
     programs_that_ask_for_the_page_get_a_text, the_log_is_served_in_ranges,
     a_range_is_for_get_only,
     the_served_part_of_a_running_log_is_durable_and_verifies,
     options_decide_whether_there_is_a_web_side, requests_have_all_forms_of_the_standard,
     listed_hosts_are_answered_and_no_others])
