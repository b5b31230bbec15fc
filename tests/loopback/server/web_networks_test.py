#!/usr/bin/env python3
# Tests the limit on web connections from one network: an IPv4 address, or 64 bits of IPv6.
import pathlib
import socket
import sys

sys.path.append(sys.path[0] + "/../support")
import namespaces
from namespaces import sh

LIMIT = 8  # kWebConnectionsPerAddressMax
SERVER = {4: "10.9.0.1", 6: "fd09::1"}
PORT = 4780


def have(*addresses):
    """Gives this machine addresses."""
    for address in addresses:
        sh("ip", "address", "replace", address, "dev", "lo")


def open_from(source):
    """Connects from an address, and asks for the health. Returns the connection, or nothing if the
    server closed it without an answer."""
    family, host = (6, f"[{SERVER[6]}]") if ":" in source else (4, SERVER[4])
    link = socket.socket(socket.AF_INET6 if family == 6 else socket.AF_INET)
    link.settimeout(20)
    link.bind((source, 0))
    link.connect((SERVER[family], PORT))
    try:
        link.sendall(f"GET /healthz HTTP/1.1\r\nHost: {host}:{PORT}\r\n\r\n".encode())
        answer = link.recv(4096)
    except ConnectionError:
        answer = b""
    if answer.startswith(b"HTTP/1.1 "):
        return link
    assert answer == b"", answer
    link.close()
    return None


def check(server, sources, other):
    """Opens a connection from each source until one is refused. `other` is in another network."""
    links = []
    for source in sources:
        link = open_from(source)
        if not link:
            break
        links.append(link)
    assert len(links) == LIMIT, len(links)
    line = server.wait_for("too many connections from one network")
    assert sources[LIMIT] in line, line
    link = open_from(other)
    assert link, other
    for each in (*links, link):
        each.close()


def main():
    sh("ip", "link", "set", "lo", "up")
    have(SERVER[4] + "/32", SERVER[6] + "/128")
    one_network = [f"fd0a::1:{i}:0:0:{i}" for i in range(1, LIMIT + 2)]
    neighbour = "fd0a:0:0:2::1"
    have(*(address + "/128" for address in (*one_network, neighbour)))
    have("10.9.1.1/32", "10.9.1.2/32")
    key_file = pathlib.Path(RUN_FOLDER) / "key"
    key_file.write_text("17" * 32 + "\n")
    key_file.chmod(0o600)
    options = ("--key-file", key_file, "--log-level", "debug")
    for family, sources, other in ((6, one_network, neighbour),
                                   (4, ["10.9.1.1"] * (LIMIT + 1), "10.9.1.2")):
        host = SERVER[4] if family == 4 else f"[{SERVER[6]}]"
        with Server("--web", f"{host}:{PORT}", *options) as server:
            check(server, sources, other)
            code, err = server.end()
            assert code == 0, err


if not namespaces.is_inside():
    sys.exit(namespaces.enter(__file__))
from orrery_server import RUN_FOLDER, Server

main()
