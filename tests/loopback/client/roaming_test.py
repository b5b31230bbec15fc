#!/usr/bin/env python3
# Tests that a client returns after a change of its address, in network namespaces of this test.
#
# usage: roaming_test.py BINARIES [ROUNDS]
#
# The server is in one namespace and the client in another. Two links join them, "wifi" and "lte".
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import namespaces
from namespaces import sh

PORT = 4770
SERVER = {4: "10.9.0.1", 6: "fd09::1"}
ELSEWHERE = "10.9.0.2"
LINKS = {"wifi": 1, "lte": 2}


def make_network(hosts):
    """Makes the client's namespace "laptop" and both links. `hosts` takes the place of
    /etc/hosts."""
    sh("mount", "-t", "tmpfs", "none", "/run")
    sh("mount", "--bind", hosts, "/etc/hosts")
    sh("ip", "netns", "add", "laptop")
    sh("ip", "link", "set", "lo", "up")
    for address in (SERVER[4] + "/32", ELSEWHERE + "/32", SERVER[6] + "/128"):
        sh("ip", "address", "add", address, "dev", "lo")
    for link, net in LINKS.items():
        sh("ip", "link", "add", link, "type", "veth", "peer", "name", link, "netns", "laptop")
        for namespace in ([], ["-n", "laptop"]):
            sh("ip", *namespace, "link", "set", link, "up")
        sh("ip", "address", "add", f"10.{net}.0.1/24", "dev", link)
        sh("ip", "address", "add", f"fd0{net}::1/64", "dev", link, "nodad")


def join(link):
    """Gives the laptop an address of a link, and the routes through it."""
    net = LINKS[link]
    sh("ip", "-n", "laptop", "address", "add", f"10.{net}.0.2/24", "dev", link)
    sh("ip", "-n", "laptop", "address", "add", f"fd0{net}::2/64", "dev", link, "nodad")
    sh("ip", "-n", "laptop", "route", "add", "default", "via", f"10.{net}.0.1")
    sh("ip", "-n", "laptop", "-6", "route", "add", "default", "via", f"fd0{net}::1")


def leave(link):
    """Takes the address and the routes away, as a station out of reach does."""
    sh("ip", "-n", "laptop", "address", "flush", "dev", link, "scope", "global")
    sh("ip", "-n", "laptop", "-6", "route", "flush", "default")


def server_at(listen, *options):
    """Starts a server at an address."""

    class ServerAt(Server):
        def start(self, *options):
            super().start(*options, listen=listen)

    return ServerAt(*options)


def bot(*arguments):
    """Starts a test client on the laptop."""
    command = ["nsenter", "--net=/run/netns/laptop", BINARIES / "orrery", "bot", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(client):
    out, err = client.communicate(timeout=120)
    assert client.returncode == 0, (client.returncode, out, err)


def key_file(folder):
    path = folder / "key"
    if not path.exists():
        path.write_text("17" * 32 + "\n")
        path.chmod(0o600)
    return path


def test_the_connection_moves(folder, family):
    """A client with a token for one connection keeps it, over both kinds of addresses."""
    host = SERVER[4] if family == 4 else f"[{SERVER[6]}]"
    with server_at(f"{host}:{PORT}", "--key-file", key_file(folder), "--web", "off") as server:
        token = folder / f"token{family}"
        token.unlink(missing_ok=True)  # of another round
        code, _, err = tool("token", "--key-file", key_file(folder), "--server", f"{host}:{PORT}",
                            "--out", token)
        assert code == 0, err
        join("wifi")
        client = bot(f"{host}:{PORT}", "--token", token, "--seconds", "12")
        server.wait_for("client joined")
        leave("wifi")
        join("lte")
        server.wait_for("client moved")
        leave("lte")
        join("wifi")
        finish(client)
        leave("wifi")
        code, err = server.end()
        assert code == 0, err
        assert len(logged(err, "client moved")) == 2, err
        assert len(logged(err, "client joined")) == 1, err
        assert [left["reason"] for left in logged(err, "client left")] == ["asked"], err


def test_names(folder, hosts):
    """A name stands for an address of each kind, and only one answers. After a restart elsewhere,
    the name is looked up again."""
    name = f"server.test:{PORT}"
    join("wifi")
    hosts.write_text(f"{SERVER[6]} server.test\n{SERVER[4]} server.test\n")
    options = ("--key-file", key_file(folder), "--web", "off", "--public", name)
    with server_at(f"{SERVER[4]}:{PORT}", *options) as server:
        client = bot(name, "--key-file", key_file(folder), "--seconds", "20")
        server.wait_for("client joined")
        # The old address answers no longer, and the name has another one.
        hosts.write_text(f"{ELSEWHERE} server.test\n")
        server.end()
    with server_at(f"{ELSEWHERE}:{PORT}", *options) as server:
        server.wait_for("client joined")
        finish(client)
    leave("wifi")
    code, _, err = tool("watch", "nobody.test:4770", "--once", "--key-file", key_file(folder))
    assert code == 2 and err.count("\n") == 1, (code, err)
    assert "nobody.test:4770: no address for this name" in err, err


def main():
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
        folder = pathlib.Path(name)
        hosts = folder / "hosts"
        hosts.write_text("")
        make_network(hosts)
        for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
            test_the_connection_moves(folder, 4)
            test_the_connection_moves(folder, 6)
            test_names(folder, hosts)


if not namespaces.is_inside():
    sys.exit(namespaces.enter(__file__))
from orrery_server import BINARIES, Server, logged, tool

main()
