#!/usr/bin/env python3
# Tests the shadow of a real server. While it runs, a bit of its memory is flipped, as by failing
# memory: once in the session's world and once in the shadow's.
import json
import os
import pathlib
import re
import struct
import sys
import tempfile
import time

sys.path.append(sys.path[0] + "/../support")
from orrery_server import BINARIES, Server, fields_of, logged, run, tool, verify

# Two rigid bodies at rest. No force acts on them, so their coordinates stay in memory exactly as
# given here.
X = 1234.5678
STILL = {"name": "still", "gravity": {"x": 0, "y": 0, "z": 0},
         "bodies": [{"position": [X, 0, 0]}, {"position": [5, 0, 0]}]}
WRONG = struct.unpack("=d", struct.pack("=Q", struct.unpack("=Q", struct.pack("=d", X))[0] ^ 64))[0]
LARGE = 1 << 30  # larger mappings belong to sanitizers and are not searched


def places_of_positions(pid):
    """Returns the addresses of position.x of worlds with room for 64 bodies."""
    wanted = struct.pack("=dd", X, 5) + bytes(62 * 8)
    places = []
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            begin, end = (int(part, 16) for part in line.split()[0].split("-"))
            if " rw" not in line or "[v" in line or end - begin > LARGE:
                continue
            memory.seek(begin)
            content = memory.read(end - begin)
            places += [begin + found.start() for found in re.finditer(re.escape(wanted), content)]
    return places


def flip(pid, place):
    """Flips a bit. A process may do that where it may attach a debugger; a parent almost always
    may."""
    with open(f"/proc/{pid}/mem", "r+b", 0) as memory:
        memory.seek(place)
        memory.write(struct.pack("=d", WRONG))


def flights(server):
    return sorted(path for path in server.log.parent.iterdir() if ".flight-" in path.name)


def session_with_a_flip(scene, which):
    """Plays until the shadow has noticed. Returns True if the session was hit, not its shadow."""
    with Server("--shadow", "--scene", scene) as server:
        places = places_of_positions(server.process.pid)
        assert len(places) == 2, places  # one in the session's world, one in the shadow's
        while not any(" shadow diverged " in line for line in list(server.lines)):
            assert server.process.poll() is None, server.lines
            # Flip it again and again, because a tick may overwrite the flipped bit.
            flip(server.process.pid, places[which])
            time.sleep(0.01)
        line = server.wait_for(" error shadow diverged tick=")
        alarm = fields_of(line)
        tick = int(alarm["tick"])
        saved = fields_of(server.wait_for(" error flight saved file="))
        assert saved == {"file": f"{server.log}.flight-{tick}"}, saved
        code, out, err = tool("bot", server.name, "--count", 2, "--seconds", 1, "--json")
        assert code == 0, err  # the session continued
        code, err = server.end()
        assert code == 1 and err.endswith(
            "orreryd: the shadow diverged from the session; the log line `shadow diverged` says "
            "where\n"), (code, err)
        assert len(logged(err, "shadow diverged")) == 1, err
        assert logged(err, "counters shadow")[-1] == {
            "differs": "true", "tick": str(tick), "ticks_passed_over": "0"}, err
        assert [path.name for path in flights(server)] == [
            f"{server.log.name}.flight-{tick}", f"{server.log.name}.flight-{tick}.0001"]
        code, found = verify(server.log)
        flight_code, flight = verify(flights(server)[0])
        assert code == flight_code and flight["ticks"] >= tick, (found, flight)
        if code == 0:
            assert "the session is right" in alarm["reason"] and found["verified"] > tick, (
                line, found)
            return False
        assert [alarm[key] for key in ("body", "field", "value", "ulps")] == [
            "0", "position.x", repr(WRONG), "64"], line
        assert found["first_divergent_tick"] == flight["first_divergent_tick"] == tick
        assert flight["divergence"]["known_a"] == "checkpoint", flight
        for report in (found["divergence"], flight["divergence"]):
            assert (report["body"], report["field"], report["ulps"]) == (0, "position.x", 64)
            assert (report["a"]["decimal"], report["b"]["decimal"]) == (WRONG, X), report
        return True


def a_bit_that_flips_raises_the_alarm_and_is_named():
    if b"__sanitizer" in (BINARIES / "orreryd").read_bytes():
        return print("a sanitizer keeps worlds that are gone")
    with tempfile.TemporaryDirectory() as folder:
        scene = pathlib.Path(folder) / "still.json"
        scene.write_text(json.dumps(STILL))
        assert sorted(session_with_a_flip(scene, which) for which in (0, 1)) == [False, True]


def a_shadow_is_silent_while_all_is_well():
    with Server("--shadow") as server:
        code, _, err = tool("bot", server.name, "--count", 8, "--seconds", 1)
        assert code == 0, err
        code, err = server.end()
        assert code == 0 and not logged(err, "shadow .*"), err
        agrees = logged(err, "counters shadow")[-1]
        assert agrees["differs"] == "false" and agrees["ticks_passed_over"] == "0", err
        assert int(agrees["tick"]) > 30, err
        assert flights(server) == []
        assert verify(server.log)[0] == 0


run([a_shadow_is_silent_while_all_is_well, a_bit_that_flips_raises_the_alarm_and_is_named])
