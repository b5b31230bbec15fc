# Tests that an admin can kick and ban clients, and that a resumed session keeps the bans.
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
from orrery_server import BINARIES, Server, logged, run, tool, verify

ADMIN, BOB, EVE = 4, 5, 2**40 + 6  # accounts
ADMIN_ROLE = 2
KICK, BAN = 23, 24
KICKED, BANNED = 11, 12  # reasons of goodbyes
REFUSED_BANNED = b"\x09"


def packed(kind, giver, sequence, client, reason):
    """Returns a command for the next tick."""
    text = reason.encode()
    return (bytes([0, giver << 4 | 15, kind - 15]) + protocol.varint(sequence) +
            protocol.varint(client) + protocol.varint(len(text)) + text)


class Session:
    """A server with a key file, so that its clients have accounts."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-test-")
        self.key = pathlib.Path(self.folder.name) / "key"
        self.key.touch(0o600)
        self.key.write_text(bytes(range(32)).hex() + "\nprotocol-id 7\n")
        self.server = Server("--key-file", str(self.key), "--scene", "boxes:5")

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)
        self.folder.cleanup()

    def token(self, account, role=netcode.PLAY):
        return netcode.Token(netcode.Key(self.key), self.server.address, account=account,
                             role=role)

    def client(self, account, role=netcode.PLAY):
        return protocol.Client(self.server, self.token(account, role))

    def is_refused(self, account):
        """Asks with a new token. Returns true if the answer says that the account is banned."""
        token = self.token(account)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(0.2)
            for _ in range(50):
                udp.sendto(token.request, self.server.address)
                try:
                    kind, _, text = token.unpack(udp.recv(2048))
                    return (kind, text) == (netcode.DENIED, REFUSED_BANNED)
                except TimeoutError:
                    pass
        raise TimeoutError("the server did not answer")

    def commands(self):
        code, err = self.server.end()
        assert code == 0, err
        code, report = verify(self.server.log)
        assert code == 0 and not report["torn"], report
        _, out, _ = tool("log", "export", self.server.log)
        return [c for line in out.splitlines()[1:] for c in json.loads(line)["commands"]], err


def give(admin, kind, sequence, client, reason):
    """Gives a command until the server acknowledges it."""
    command = packed(kind, admin.client, sequence, client, reason)
    admin.say(protocol.INPUT, protocol.table([], command))
    while admin.snapshot()[1] < sequence:
        admin.say(protocol.INPUT, protocol.table([], command))


def goodbye(client):
    """Returns the reason and the text of the goodbye."""
    message = client.hear(protocol.GOODBYE)
    at, count = message.vector(1)
    return message.scalar(0, "B"), message.data[at:at + count].decode()


def programs_show_the_reason():
    with Session() as session:
        admin = session.client(ADMIN, ADMIN_ROLE)
        programs = [["watch", "--seconds", "30"], ["watch", "--follow", "--seconds", "30"],
                    ["bot", "--seconds", "4"]]  # a bot ends with its time
        for sequence, (verb, *options) in enumerate(programs, 1):
            program = subprocess.Popen(
                [BINARIES / "orrery", verb, session.server.name, "--key-file", session.key,
                 *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True)
            while sum("client joined" in line for line in session.server.lines) <= sequence:
                assert program.poll() is None, program.communicate()
                time.sleep(0.01)
            give(admin, KICK, sequence, 2, f"no spam, \u00e9 {sequence}")
            _, said = program.communicate(timeout=20)
            assert program.returncode == 1, (verb, options, said)
            assert f" removed this client: no spam, \u00e9 {sequence}" in said, (verb, said)
        commands, err = session.commands()
        kicks = [c for c in commands if c["command"] == "kick"]
        assert [k["kicks"] for k in kicks] == [2, 2, 2] and {k["client"] for k in kicks} == {1}
        assert kicks[0]["reason"] == {"hex": "no spam, \u00e9 1".encode().hex()}, kicks
        assert err.count("reason=kicked") == 3, err


def a_ban_lasts_until_the_session_ends():
    with Session() as session:
        admin = session.client(ADMIN, ADMIN_ROLE)
        bob, eve = session.client(BOB), session.client(EVE)
        give(admin, KICK, 1, bob.client, "go")
        give(admin, BAN, 2, eve.client, "cheats")
        assert goodbye(bob) == (KICKED, "go")
        assert goodbye(eve) == (BANNED, "cheats")
        assert session.is_refused(EVE) and not session.is_refused(BOB)
        tick = admin.snapshot()[0]
        while session.server.durable_tick() < tick:
            pass
        session.server.end(signal.SIGKILL)
        session.server.resume("--key-file", str(session.key))
        assert session.is_refused(EVE)
        bob = session.client(BOB)
        give(bob, BAN, 1, bob.client, "I may not")
        commands, err = session.commands()
        assert [c["bans"] for c in commands if c["command"] == "ban"] == [eve.client], commands
        assert logged(err, "counters dropped")[-1]["banned"] != "0", err


run([programs_show_the_reason, a_ban_lasts_until_the_session_ends])
