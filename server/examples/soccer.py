#!/usr/bin/python3
# Soccer for two teams of three: goals, score, clock, kick-off and whistle.
"""usage: soccer.py SECONDS_OF_A_MATCH --scene soccer.json [OPTION OF ORRERYD]...

A client that joins plays for the team with fewer players. It runs with thrusts of its body, and the
message "kick" kicks the ball, if it is near. The scene has the keys for the page."""
import sys

import numpy as np
import orrery

BALL = 1
GOALS = {2: "blue", 3: "red"}  # the team that scores in each goal
BODIES = {"red": (4, 6, 8), "blue": (5, 7, 9)}  # ids in soccer.json
REACH, KICK, LIFT = 1.4, 6.0, 1.2  # distance of a kick in m; its change of momentum in kg m/s
KICK_EVERY, PAUSE, BREAK = 0.5, 2, 5  # seconds: between kicks, after a goal, after a match


class Match:
    """The state of a match. A crash loses it, except score and clock: they are values."""

    def __init__(self, server, seconds):
        self.server, self.world, self.seconds = server, server.world, seconds
        self.rate = int(self.world.info["tick_rate"])
        self.spots = orrery.World(self.world.scene()).read(orrery.POSITION | orrery.DOUBLE)
        self.players = {}  # by client
        shown = self.world.values()
        self.score = dict(zip(("red", "blue"), minutes(shown.get(b"hud/score", b"0:0"))))
        left, rest = minutes(shown.get(b"hud/clock", b"0:0"))
        self.begin = left == rest == 0  # the next kick-off begins a match
        self.left = (60 * left + rest) * self.rate  # ticks until the match is over
        self.kick_off_in = self.rate

    def tick(self):
        self.drop_cheats()
        for command in self.world.applied():
            if command["kind"] == orrery.JOIN and command["role"] == orrery.PLAY:
                self.join(int(command["subject"]), int(command["account"]))
            elif command["kind"] == orrery.LEAVE:
                self.leave(int(command["subject"]))
            elif command["kind"] == orrery.MESSAGE:
                self.hear(int(command["client"]), bytes(command["bytes"][:command["bytes_size"]]))
        places = self.world.read(orrery.POSITION | orrery.DOUBLE)
        self.bring_back(places)
        if self.kick_off_in:
            self.kick_off_in -= 1
            if not self.kick_off_in:
                self.kick_off()
        elif len({player["team"] for player in self.players.values()}) == 2:
            self.play()

    def drop_cheats(self):
        """Players own their bodies, but may not remove them."""
        for index, command in enumerate(self.server.commands()):
            if command["client"] and command["kind"] == orrery.REMOVE:
                self.server.change(index)

    def join(self, client, account):
        """Gives a client a free body of the team with most free ones."""
        taken = {player["body"] for player in self.players.values()}
        free = {team: [body for body in bodies if body not in taken]
                for team, bodies in BODIES.items()}
        team = max(free, key=lambda one: len(free[one]))
        if not free[team]:
            return self.tell("There is no free player: you watch.", client)
        body = free[team][0]
        self.players[client] = {"team": team, "body": body, "next_kick": 0}
        self.server.command(orrery.SET_CONTROL, body, control=orrery.OWNER,
                            account=account or client)
        self.tell(f"You are {team}, body {body}.", client)

    def leave(self, client):
        player = self.players.pop(client, None)
        if player:
            self.server.command(orrery.SET_CONTROL, player["body"], control=orrery.OWNER)
            self.put(player["body"])

    def hear(self, client, text):
        player, now = self.players.get(client), self.world.info["tick"]
        if not player or text != b"kick" or now < player["next_kick"]:
            return
        places = self.world.read(orrery.POSITION | orrery.DOUBLE)
        way = (places[BALL] - places[player["body"]]) * (1, 0, 1)
        distance = np.linalg.norm(way)
        if 0 < distance < REACH:
            player["next_kick"] = now + KICK_EVERY * self.rate
            way *= KICK / distance
            self.server.command(orrery.IMPULSE, BALL, first=(way[0], LIFT, way[2]))

    def bring_back(self, places):
        """Puts players and the ball that left the pitch back on their spots."""
        outside = (abs(places) > (14.2, 4, 8.2)).any(axis=1)
        for body in (BALL, *BODIES["red"], *BODIES["blue"]):
            if outside[body]:
                self.put(body)

    def play(self):
        self.left -= 1
        if self.left % self.rate == 0:
            self.show()
        for event in self.world.events():
            goal = {int(event["a"]), int(event["b"])} - {BALL}
            if event["kind"] == orrery.SENSOR_BEGIN and len(goal) == 1 and not self.kick_off_in:
                team = GOALS[goal.pop()]
                self.score[team] += 1
                self.show()
                self.tell(f"Goal for {team}! Red {self.score['red']}, blue {self.score['blue']}.")
                self.kick_off_in = PAUSE * self.rate
        if self.left == 0:
            self.tell(f"Full time. Red {self.score['red']}, blue {self.score['blue']}.")
            self.kick_off_in, self.begin = BREAK * self.rate, True

    def kick_off(self):
        if self.begin:
            self.score, self.begin = {"red": 0, "blue": 0}, False
            self.left = self.seconds * self.rate
        for body in (BALL, *BODIES["red"], *BODIES["blue"]):
            self.put(body)
        self.show()
        self.tell("Whistle: kick-off.")

    def put(self, body):
        self.server.command(orrery.PLACE, body, first=self.spots[body])

    def show(self):
        seconds = -(-self.left // self.rate)
        for key, value in (("hud/score", f"{self.score['red']}:{self.score['blue']}"),
                           ("hud/clock", f"{seconds // 60}:{seconds % 60:02}")):
            self.server.command(orrery.SET_VALUE, key=key, text=value)

    def tell(self, text, client=0):
        print(f"{self.world.info['tick']} to {client or 'all'}: {text}", file=sys.stderr)
        self.server.command(orrery.TELL, client, text=text)


def minutes(text):
    """Returns the two numbers of b"2:05"."""
    return [int(number) for number in text.split(b":")]


with orrery.Server(*sys.argv[2:]) as opened:
    print("udp", opened.info["address"].decode())
    print("web http://" + opened.info["web"].decode())
    print("ready", flush=True)
    match = Match(opened, int(sys.argv[1]))
    for _ in opened:
        match.tick()
