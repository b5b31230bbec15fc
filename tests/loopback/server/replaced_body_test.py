# Tests a body that takes the slot of another in the same tick, in a scene where bodies sleep.
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../support")
import protocol
from orrery_server import BINARIES, Server, run, tool, verify

# A box slides on a plane. A ball, body 2, is far above. Two ticks a second: a body that is still
# for a tick soon sleeps.
SCENE = {
    "name": "slots", "gravity": [0, -10, 0], "tick_rate": 2, "sleeping": True, "spare_bodies": 1,
    "shapes": [{"parts": [{"kind": "plane"}]}, {"parts": [{"kind": "box", "friction": 0}]},
               {"parts": [{"kind": "sphere"}]}],
    "bodies": [{"kind": "anchor", "shape": 0},
               {"shape": 1, "position": [0, 0.5, 0], "velocity": [1, 0, 0]},
               {"shape": 2, "position": [0, 50, 0]}]}
BOX, BALL, NEW_BALL = 1, 2, 1 + (1 << 20)
TICKS = 45  # with two checkpoints, one every 20 ticks
COMMANDS = [
    {"tick": 1, "commands": [{"client": 0, "command": "join", "joins": 1, "role": "play"}]},
    {"tick": 3, "commands": [{"client": 1, "command": "remove", "body": BOX},
                             {"client": 1, "command": "spawn", "like": BALL,
                              "position": [0, 9, 0], "velocity": [0, 0, 0]}]},
    {"tick": 5, "commands": [{"client": 1, "command": "impulse", "body": NEW_BALL,
                              "impulse": [0, 1, 0]}]}]


def write_scene(folder):
    scene = pathlib.Path(folder) / "scene.json"
    scene.write_text(json.dumps(SCENE))
    return scene


def require(*arguments, code=0):
    done, out, err = tool(*arguments)
    assert done == code, (arguments, done, out, err)
    return out


def height(log, tick):
    state = json.loads(require("replay", log, "--at", tick, "--bodies", "--json"))
    return next(body["position"][1] for body in state["bodies"] if body["id"] == NEW_BALL)


def every_program_reads_such_a_log():
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
        folder = pathlib.Path(name)
        scene, commands, log = write_scene(folder), folder / "commands", folder / "log.orrery"
        commands.write_text("".join(json.dumps(record) + "\n" for record in COMMANDS))
        require("run", scene, "--ticks", TICKS, "--commands", commands, "--log", log)
        code, report = verify(log)
        assert code == 0 and report["verified"] == TICKS, report
        assert height(log, 3) > 5 > 2 > height(log, TICKS), "the new body does not fall"
        require("log", "info", log)
        require("log", "check", log)
        require("diff", log, log)
        require("fork", log, "--at", 4, "--set", "gravity=0,-1,0", "-o", folder / "fork")
        require("verify", folder / "fork")
        require("draw", log, "--at", 4, "-o", folder / "picture.png")
        torn = folder / "torn.orrery"
        torn.write_bytes(log.read_bytes()[:-60])
        done = subprocess.run([BINARIES / "orreryd", "--resume", torn, "--listen", "127.0.0.1:0",
                               "--ticks", str(TICKS + 1)], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 0, done.stderr
        assert verify(torn)[0] == 0


def give(server, client, commands):
    """Sends packed commands with the next sequence numbers until the server has taken them."""
    client.given = getattr(client, "given", 0) + len(commands)
    first = client.given - len(commands) + 1
    message = b""
    for i, (kind, fields) in enumerate(commands):
        giver = bytes([client.client << 4 | kind, first]) if i == 0 else bytes([0xE0 | kind])
        message += protocol.varint(0) + giver + fields
    taken = 0
    while taken < client.given:
        client.say(protocol.INPUT, protocol.table([], message))
        _, taken, bodies = client.snapshot()
    assert server.process.poll() is None, server.lines
    return bodies


def a_player_replaces_a_body_and_pushes_the_new_one():
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder, \
            Server("--scene", write_scene(folder)) as server:
        client = protocol.Client(server)
        while client.snapshot()[0] < 2:
            pass  # the box touches the plane from tick 1 on
        remove = 7, protocol.varint(BOX)
        spawn = 6, protocol.varint(BALL) + struct.pack("<6f", 0, 9, 0, 0, 0, 0)
        impulse = 2, protocol.varint(NEW_BALL) + struct.pack("<3f", 0, 1, 0)
        give(server, client, [remove, spawn])
        tick, _, bodies = client.snapshot()
        while NEW_BALL not in bodies:
            tick, _, bodies = client.snapshot()
        require("bot", server.name, "--follow", "--behaviour", "idle", "--seconds", 2)
        give(server, client, [impulse])
        after, _, _ = client.snapshot()
        assert after > tick
        client.close()
        code, err = server.end()
        assert code == 0, err
        assert verify(server.log)[0] == 0


run([every_program_reads_such_a_log, a_player_replaces_a_body_and_pushes_the_new_one])
