#!/usr/bin/env python3
# Tests the limit of connections in the proxy example of server/OPERATING.md: for each IPv4 address,
# and for each IPv6 network of 64 bits. Runs nginx if it is installed, and else only the pattern.
import http.server
import ipaddress
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import run

OPERATING = pathlib.Path(__file__).resolve().parents[3] / "server" / "OPERATING.md"
EXAMPLE = re.search(r"```nginx\n(.*?)```", OPERATING.read_text(), re.DOTALL)[1]
LIMIT = int(re.search(r"limit_conn orrery (\d+);", EXAMPLE)[1])

# Addresses that share one limit. The first bytes of the IPv6 addresses have every kind of byte that
# is special in a pattern.
USERS = [["198.51.100.7"], ["198.51.100.8"],
         ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1:ffff:ffff:ffff:ffff"],
         ["2001:db8:0:2::1"], ["2001:db8:a0d:0::1", "2001:db8:a0d:0:a0a:a0a:a0a:a0a"],
         ["2001:db8:ff80:5c2e::1", "2001:db8:ff80:5c2e::a"]]


def one_user_has_one_key():
    """Applies the pattern of the example as nginx does: to the bytes of an address."""
    pattern = re.search(r'"~(\(\?s\).*?)" \$ipv6_network;', EXAMPLE)[1].replace("(?<", "(?P<")
    pattern = re.compile(pattern.encode())

    def key(address):
        packed = ipaddress.ip_address(address).packed
        found = pattern.search(packed)
        return found["ipv6_network"] if found else packed

    keys = [{key(address) for address in user} for user in USERS]
    assert [len(k) for k in keys] == [1] * len(USERS), keys
    assert len(set.union(*keys)) == len(USERS), keys
    assert "limit_conn_zone $network zone=orrery:" in EXAMPLE


class Waiting(http.server.BaseHTTPRequestHandler):
    """Answers a request when the test allows it."""

    allowed = threading.Event()

    def do_GET(self):
        if self.path != "/now":
            self.allowed.wait(60)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def proxy_config(folder, port, upstream):
    """Returns the example with plain HTTP. The address of a user comes from a header."""
    example = EXAMPLE.replace("listen 443 ssl;",
                              f"listen 127.0.0.1:{port}; real_ip_header X-User; "
                              "set_real_ip_from 127.0.0.1;")
    example = re.sub(r" +ssl_certificate.*\n", "", example)
    example = example.replace("http://127.0.0.1:4780", f"http://127.0.0.1:{upstream}")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    return (f"daemon off;\npid {folder}/pid;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{paths}\n{example}}}\n")


def ask(port, user, path):
    """Sends a request of a user. Returns its socket."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: game.example\r\nX-User: {user}\r\n"
                       "Connection: close\r\n\r\n".encode())
    return connection


def status(connection):
    with connection:
        return int(connection.makefile("rb").readline().split()[1])


def await_status(port, user, wanted):
    """Asks until the answer has this status: other requests of the user may begin or end yet."""
    for _ in range(500):
        if status(ask(port, user, "/now")) == wanted:
            return
        time.sleep(0.02)
    assert False, f"{user} never gets {wanted}"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as holder:
        return holder.getsockname()[1]


def await_proxy(process, port):
    while True:
        assert process.poll() is None, "nginx ended"
        try:
            return status(ask(port, "203.0.113.1", "/now"))
        except OSError:
            time.sleep(0.02)


def nginx_limits_each_user():
    """Each user holds as many requests as the limit allows, from all their addresses in turn. One
    more is refused, whatever address of the user it has."""
    if not shutil.which("nginx"):
        print("nginx is not installed: only the pattern was tested")
        return
    backend = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Waiting)
    threading.Thread(target=backend.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        port = free_port()
        config = pathlib.Path(folder) / "nginx.conf"
        config.write_text(proxy_config(folder, port, backend.server_port))
        nginx = subprocess.Popen(["nginx", "-p", folder, "-e", f"{folder}/errors", "-c", config])
        try:
            assert await_proxy(nginx, port) == 204
            held = [ask(port, user[i % len(user)], "/wait")
                    for user in USERS for i in range(LIMIT)]
            for user in USERS:
                for address in user:
                    await_status(port, address, 503)
            Waiting.allowed.set()
            assert [status(connection) for connection in held] == [204] * len(held)
            await_status(port, USERS[0][0], 204)
        finally:
            nginx.terminate()
            nginx.wait(timeout=20)
            backend.shutdown()


run([one_user_has_one_key, nginx_limits_each_user])
