# Tests a body that takes the slot of another in the same tick, in a scene where bodies sleep.
import importlib.util
import json
import os
import pathlib
import shutil
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


# Verifies a log through the C header, and moves to its ticks, backwards. Prints the same JSON as
# verify_log.mjs.
C_HEADER = """
import json, sys, orrery
log = orrery.Log(sys.argv[1])
found = log.verify()
first = int(found["first_divergent_tick"]) if found["diverged"] else None
ticks = int(found["ticks"])
last = ticks if first is None else first - 1
hashes = {tick: f'0x{int(log.seek(tick).info["hash"]):016x}' for tick in range(last, -1, -1)}
print(json.dumps({"first_divergent_tick": first, "ticks": ticks, "hashes": hashes}))
"""
ROOT = pathlib.Path(__file__).resolve().parents[3]
LIBRARY = BINARIES.parent / "lib/liborrery.so"
MODULE = BINARIES.parent / "lib/orrery.wasm"
FILM = BINARIES.parent / "share/orrery/web/film.html"


def record(folder, *options):
    """Runs the scene with the commands. Returns the log."""
    scene, commands, log = write_scene(folder), folder / "commands", folder / "log.orrery"
    commands.write_text("".join(json.dumps(tick) + "\n" for tick in COMMANDS))
    require("run", scene, "--ticks", TICKS, "--commands", commands, "--log", log, *options)
    return log


def libraries_say(log):
    """Returns the findings of the C header, and of the module of the page if it was built."""
    found = []
    has_numpy = importlib.util.find_spec("numpy")
    if has_numpy and b"__asan_init" not in LIBRARY.read_bytes():  # it needs a program like itself
        done = subprocess.run([sys.executable, "-c", C_HEADER, log], capture_output=True, text=True,
                              timeout=60, env={**os.environ, "ORRERY_LIBRARY": str(LIBRARY),
                                               "PYTHONPATH": str(ROOT / "client/python")})
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    if MODULE.exists() and shutil.which("node"):
        done = subprocess.run(["node", ROOT / "tests/browser/verify_log.mjs", MODULE, log],
                              capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    return found


def every_library_reads_such_a_log():
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        log = record(pathlib.Path(folder))
        lines = [json.loads(line) for line in require("log", "export", log).splitlines()]
        hashes = {str(line["tick"]): line["hash"] for line in lines if "tick" in line}
        found = libraries_say(log)
        for said in found:
            assert said["first_divergent_tick"] is None and said["ticks"] == TICKS, said
            assert {tick: said["hashes"][tick] for tick in hashes} == hashes, said
        print(f"{len(found)} libraries read it")
        if FILM.exists():
            require("film", log, "-o", pathlib.Path(folder) / "film.html")


def every_reader_finds_the_fault_of_a_forged_log():
    """In tick 4 the log has another state than its commands give."""
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
        folder = pathlib.Path(name)
        log = record(folder, "--break", f"ulp@4:{NEW_BALL}.velocity.y")
        code, report = verify(log)
        assert code == 1 and report["first_divergent_tick"] == 4, report
        assert report["divergence"]["body"] == NEW_BALL, report
        for said in libraries_say(log):
            assert said["first_divergent_tick"] == 4, said
        require("replay", log, "--at", 3)
        require("replay", log, "--at", 5, code=1)
        require("log", "info", log)
        require("diff", log, log)
        require("fork", log, "--at", 3, "-o", folder / "fork")
        assert verify(folder / "fork")[0] == 0
        require("draw", log, "--at", 3, "-o", folder / "picture.png")


def every_program_reads_such_a_log():
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
        folder = pathlib.Path(name)
        log = record(folder)
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


run([every_program_reads_such_a_log, every_library_reads_such_a_log,
     every_reader_finds_the_fault_of_a_forged_log,
     a_player_replaces_a_body_and_pushes_the_new_one])
