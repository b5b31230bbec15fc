#!/usr/bin/env python3
# Tests the game server/examples/soccer.py with two players. Its log must verify without the rules.
"""usage: soccer_test.py FOLDER_OF_PROGRAMS"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.append(sys.path[0] + "/../loopback/support")
from orrery_server import Program, run, verify
from server_test import EXAMPLES, PYTHON_ENV, ROOT, commands_of

SECONDS = 15  # of a match
LINES_MAX = 150
BALL, PLAYERS = 1, range(4, 10)


class Soccer(Program):
    """A server with the rules of soccer."""

    popen_options = {"env": {**os.environ, **PYTHON_ENV}}

    def __init__(self, *options):
        self.launch("/usr/bin/python3", "-B", EXAMPLES / "soccer.py", str(SECONDS), *options,
                    "--listen", "127.0.0.1:0")

    def play(self):
        """Lets two bots play. Returns what each has seen."""
        done = subprocess.run(
            ["/usr/bin/python3", "-B", ROOT / "tests" / "binding" / "python_soccer.py", self.name],
            capture_output=True, text=True, timeout=240, env=self.popen_options["env"])
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def check_players(seen):
    assert {player["team"] for player in seen} == {"red", "blue"}, seen
    for player in seen:
        # The impulse of the ball is refused. The rules drop the removal of the own body.
        assert player["refused"] == 1 and player["has_body"], player
        goals = [text for text in player["notices"] if text.startswith("Goal for ")]
        assert goals and player["notices"][-1].startswith("Full time."), player
        assert player["values"]["hud/clock"] == "0:00", player
        red, blue = player["values"]["hud/score"].split(":")
        assert player["notices"][-1] == f"Full time. Red {red}, blue {blue}.", player


def check_commands(commands):
    placed = [c["body"] for c in commands if c["client"] == 0 and c["command"] == "place"]
    assert {BALL, *PLAYERS} == set(placed), placed
    kicks = [c for c in commands if c["client"] == 0 and c["command"] == "impulse"]
    assert kicks and {c["body"] for c in kicks} == {BALL}, kicks
    whistles = [c for c in commands if c["command"] == "tell" and "Whistle" in c["text"]]
    assert len(whistles) >= 2, whistles
    assert not [c for c in commands if c["command"] == "remove"]


def two_players_play_a_match():
    with tempfile.TemporaryDirectory() as folder:
        log = f"{folder}/log"
        with Soccer("--scene", EXAMPLES / "soccer.json", "--log", log) as server:
            check_players(server.play())
            code, rest = server.end()
            assert code == 0, rest
        code, report = verify(log)
        assert code == 0 and not report["torn"] and report["verified"] == report["ticks"], report
        check_commands(commands_of(log))


def the_game_is_short():
    lines = (EXAMPLES / "soccer.py").read_text().splitlines()
    assert len(lines) <= LINES_MAX, len(lines)


if __name__ == "__main__":
    run([the_game_is_short, two_players_play_a_match])
