#!/usr/bin/env python3
# Tests the games doors.cpp and arena.c of server/examples with two players each. Their logs must
# verify without the rules.
"""usage: games_test.py FOLDER_OF_PROGRAMS"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../loopback/support")
from orrery_server import BINARIES, run
from server_test import EXAMPLES, PYTHON_ENV, ROOT, Program, check_log, commands_of, decisions

LINES_MAX = 150  # of code
SLIP_MAX = 0.001  # m


def bots(*words):
    """Runs python_games.py. Returns what it prints."""
    done = subprocess.run(
        ["/usr/bin/python3", "-B", ROOT / "tests" / "binding" / "python_games.py", *words],
        capture_output=True, text=True, timeout=240, env={**os.environ, **PYTHON_ENV})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def play(game, log):
    """Lets two bots play a game. Returns what each has seen."""
    with Program(BINARIES / game, "--scene", EXAMPLES / f"{game}.json", "--log", log) as program:
        program.wait_until_open()
        seen = bots(game, program.name)
        program.end()
    check_log(log)
    return seen


def two_players_find_the_treasure():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        seen = play("doors", log)
        assert sorted(player["own"] for player in seen) == [13, 14], seen
        for player in seen:
            said = " ".join(player["notices"])
            for text in ("has the key.", "The bridge breaks", "opens the gate.", " wins in "):
                assert text in said, (text, player)
            assert player["refused"] == 0 and int(player["values"]["hud/best"]) > 5, player
        made = decisions(log)
        for joint in range(3):  # door, gate, bridge
            assert [c for c in made if c["command"] == "set_target" and c["joint"] == joint], joint
        assert not [c for c in commands_of(log) if c["client"] and c["command"] != "thrust"]
        ride = bots("lift", log)
        assert ride["rise"] > 2.9 and ride["slip"] < SLIP_MAX, ride


def two_cars_drive_a_lap():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        seen = play("arena", log)
        for player in seen:
            leaders = [player["values"][f"hud/{rank}"].split()[0] for rank in range(1, 5)]
            assert sorted(leaders[:2]) == ["blue:", "red:"], player
            laps = [text for text in player["notices"] if text.endswith(" s")]
            assert player["refused"] == 0 and len(laps) >= 2, player
        made = commands_of(log)
        # The rules drop a thrust, and limit motors.
        assert not [c for c in made if c["command"] == "thrust"]
        motors = [c for c in made if c["command"] == "set_motor" and c["client"]]
        assert motors and max(c["max"] for c in motors) == 200, motors
        assert [c for c in made if c["command"] == "message" and c["client"]]
        spawned = [c for c in made if c["command"] == "spawn"]
        assert len(spawned) >= 6 and {c["client"] for c in spawned} == {0}, spawned


def the_games_are_short():
    for name in ("doors.cpp", "arena.c"):
        lines = (EXAMPLES / name).read_text().splitlines()
        code = [line for line in lines if line.strip() and not line.strip().startswith("//")]
        assert len(code) <= LINES_MAX, (name, len(code))


if __name__ == "__main__":
    run([the_games_are_short, two_players_find_the_treasure, two_cars_drive_a_lap])
