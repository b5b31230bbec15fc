# Tests that players own their bodies by account: after a crash, and while they are away.
import json
import pathlib
import signal
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import netcode
import protocol
from orrery_server import Server, run, tool, verify

ANN, BOB = 2**40 + 1, 5
CRATE, SPAWNED = 1, 2  # a body of the scene, and the first spawned one
SCENE = {"spare_bodies": 4, "bodies": [{"kind": "anchor"}, {"control": "owner"}]}


class Session:
    """A server with a key file, so that its clients have accounts."""

    def __init__(self, **more):
        self.folder = tempfile.TemporaryDirectory(prefix="orrery-test-")
        self.path = pathlib.Path(self.folder.name)
        (self.path / "scene.json").write_text(json.dumps({**SCENE, **more}))
        self.key = self.path / "key"
        self.key.touch(0o600)
        self.key.write_text(bytes(range(32)).hex() + "\nprotocol-id 7\n")
        self.server = Server("--key-file", str(self.key), "--scene",
                             str(self.path / "scene.json"))

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *error):
        self.server.__exit__(*error)
        self.folder.cleanup()

    def client(self, account):
        token = netcode.Token(netcode.Key(self.key), self.server.address, account=account)
        return protocol.Client(self.server, token)

    def applied(self):
        """Ends the server. Returns the commands in its log, and checks the log."""
        code, err = self.server.end()
        assert code == 0, err
        code, report = verify(self.server.log)
        assert code == 0, report
        _, out, _ = tool("log", "export", self.server.log)
        return [c for line in out.splitlines()[1:] for c in json.loads(line)["commands"]]


def give(client, command, sequence=1):
    """Gives a command, and waits until a snapshot acknowledges it."""
    client.answer(lambda: client.say(protocol.INPUT, protocol.table([], command)),
                  netcode.PAYLOAD)
    while client.snapshot()[1] < sequence:
        client.say(protocol.INPUT, protocol.table([], command))


def ann_still_owns_her_body_after_a_crash_and_a_return_in_another_order():
    with Session() as session:
        ann, bob = session.client(ANN), session.client(BOB)
        assert (ann.client, bob.client) == (1, 2)
        give(ann, protocol.spawn(ann.client, CRATE, (0, 3, 0)))
        tick = ann.snapshot()[0]
        while session.server.durable_tick() < tick:
            pass
        session.server.end(signal.SIGKILL)
        session.server.resume("--key-file", str(session.key))
        bob, ann = session.client(BOB), session.client(ANN)
        assert (bob.client, ann.client) == (1, 2), "Bob has the number that Ann had"
        give(bob, protocol.impulse(0, bob.client, SPAWNED, (0, 1, 0)))
        give(ann, protocol.impulse(0, ann.client, SPAWNED, (0, 1, 0)))
        commands = session.applied()
        impulses = [c["client"] for c in commands if c["command"] == "impulse"]
        assert impulses == [ann.client], commands
        joins = [c.get("account") for c in commands if c["command"] == "join"]
        assert joins == [ANN, BOB, BOB, ANN], commands


def bodies_of_who_stays_away_lose_their_owner():
    with Session(absence_max=0.25) as session:
        ann = session.client(ANN)
        give(ann, protocol.spawn(ann.client, CRATE, (0, 3, 0)))
        ann.close()
        bob = session.client(BOB)
        first = bob.snapshot()[0]
        while bob.snapshot()[0] < first + 30:
            pass
        ann = session.client(ANN)
        give(ann, protocol.impulse(0, ann.client, SPAWNED, (0, 1, 0)))
        commands = session.applied()
        assert [c["account"] for c in commands if c["command"] == "disown"] == [ANN], commands
        assert not [c for c in commands if c["command"] == "impulse"], commands


def without_a_key_file_nobody_has_an_account():
    with Server("--scene", "tumble") as server:
        client = protocol.Client(server)
        client.snapshot()
        code, err = server.end()
        assert code == 0, err
        _, out, _ = tool("log", "export", server.log)
        assert '"account"' not in out and '"join"' in out, out
        client.close()


run([ann_still_owns_her_body_after_a_crash_and_a_return_in_another_order,
     bodies_of_who_stays_away_lose_their_owner,
     without_a_key_file_nobody_has_an_account])
