# Plays server/examples/soccer.py with two clients, until the end of a match with a goal.
"""usage: python_soccer.py ADDR:PORT"""
import json
import random
import sys

import numpy
import orrery

BALL = 1
GOALS = {"red": (14, 0, 0), "blue": (-14, 0, 0)}  # where each team wants the ball
BESIDE, NEAR = 1.2, 1.5  # m: how far it passes the ball, and from where it kicks


def flat(vector):
    """Returns a vector without its height, and its length."""
    vector = vector * (1, 0, 1)
    return vector, max(numpy.linalg.norm(vector), 1e-9)


class Bot:
    """A player. It runs behind the ball, and pushes and kicks it to a place near the goal."""

    def __init__(self, server, seed):
        self.random, self.miss = random.Random(seed), 0
        self.force = 60 + 190 * seed  # one is slow, so that goals come soon
        self.client = orrery.Client(server)
        self.team = self.body = None
        self.notices, self.steps, self.refused = [], 0, 0

    def update(self):
        self.client.update(wait=1 / 120)
        self.refused += len(self.client.refusals())
        for _, text in self.client.notices():
            self.notices.append(text.decode())
            if text.startswith(b"You are "):
                self.team, _, body = text[8:-1].decode().split()
                self.team, self.body = self.team.strip(","), int(body)
                self.client.command(orrery.REMOVE, self.body)  # the rules drop it
                self.client.command(orrery.IMPULSE, BALL, (0, 1, 0))  # it is nobody's
        self.steps += 1
        if self.body and self.steps % 6 == 0:
            self.run()

    def run(self):
        frame = self.client.frame(orrery.INTERPOLATE)
        places = dict(zip(frame.bodies["id"].tolist(), frame.poses[:, :3]))
        if self.body not in places:
            return
        me, ball = places[self.body], places[BALL]
        if self.steps % 60 == 0:
            self.miss = self.random.uniform(-3, 3)
        aim, length = flat(GOALS[self.team] + numpy.array((0, 0, self.miss)) - ball)
        aim /= length
        to_ball, distance = flat(ball - me)
        if to_ball @ aim > 0.8 * distance:  # behind the ball
            target = ball + aim
            if distance < NEAR and to_ball @ aim > 0.95 * distance:
                self.client.command(orrery.MESSAGE, text="kick")
        else:
            side = numpy.cross(aim, (0, 1, 0))
            side *= numpy.sign(side @ -to_ball) or 1
            target = ball - BESIDE * aim + BESIDE * side * (to_ball @ aim < 0)
        way, length = flat(target - me)
        self.client.command(orrery.THRUST, self.body, way * (self.force / length))


def has_seen_a_match(bot):
    """Returns True if a goal was scored, and the match is over."""
    texts = [text[:4] for text in bot.notices if text[:4] in ("Goal", "Full")]
    return "Goal" in texts and texts[-1] == "Full"


bots = [Bot(sys.argv[1], seed) for seed in range(2)]
while not all(has_seen_a_match(bot) for bot in bots):
    for each in bots:
        assert each.client.info["phase"] != orrery.ENDED, each.client.info["problem"]
        each.update()
print(json.dumps([{
    "team": bot.team, "notices": bot.notices, "refused": bot.refused,
    "has_body": bot.body in bot.client.frame().bodies["id"],
    "values": {key.decode(): value.decode() for key, value in bot.client.values().items()}}
    for bot in bots]))
