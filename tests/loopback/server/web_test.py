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
    accept = {"Accept-Encoding": "gzip, deflate"}
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
    with Installed(page=False) as server:
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


run([the_health_and_the_session_are_json, a_server_whose_log_was_removed_is_not_healthy,
     every_answer_has_the_headers_that_protect_a_page,
     a_method_or_path_that_nothing_answers_is_refused, requests_share_a_connection,
     the_installed_page_is_compressed_and_kept_by_browsers, no_path_leads_out_of_the_page,
     without_a_page_there_is_one_that_names_the_routes, the_log_is_served_in_ranges,
     the_served_part_of_a_running_log_is_durable_and_verifies,
     options_decide_whether_there_is_a_web_side])
