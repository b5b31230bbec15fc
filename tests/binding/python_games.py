# Plays server/examples/doors.cpp or arena.c with two clients, until a round or a lap each is over.
"""usage: python_games.py doors|arena ADDR:PORT
       python_games.py lift LOG

The second form prints how far the lift of doors has carried its crate, and how far the crate left
the lift meanwhile."""
import json
import sys
import time

import numpy
import orrery

SECONDS_MAX = 120
FLAT = [0, 2]  # x and z
LIFT, CRATE, SETTLED = 6, 11, 10  # ids in doors.json; ticks until the crate rests on the lift


class Bot:
    """A player."""

    def __init__(self, server):
        self.client, self.notices, self.refused, self.steps = orrery.Client(server), [], 0, 0
        self.own = None  # its body or car

    def update(self):
        self.client.update(wait=1 / 240)
        assert self.client.info["phase"] != orrery.ENDED, self.client.info["problem"]
        self.refused += len(self.client.refusals())
        for _, text in self.client.notices():
            self.notices.append(text.decode())
            if text.startswith(b"You are "):
                self.own = int(text.split()[-1][:-1])
                self.start()
        self.steps += 1
        if self.own is None or self.steps % 8:
            return
        frame = self.client.frame(orrery.INTERPOLATE)
        places = dict(zip(frame.bodies["id"].tolist(), frame.poses[:, :3]))
        if places:
            self.play(places)

    def start(self):
        pass


class Runner(Bot):
    """A player of doors. Both cross the bridge together at first, so that it breaks."""

    WAY = [(-9, 0, 1.5), (-6.2, 0, 0), (-3.2, 2.8, 0), (0, 3, -1.5), (1, 3, -1.6), (2.4, 3, 0),
           (8.6, 3, 0), (9.5, 3, 0), (12, 3, 0)]
    RIDE, EDGE = 2, 5  # places in WAY: the lift, and before the bridge
    BESIDE = (-3.9, 0, 2.2)  # the lift: it comes down when nobody is under it
    bots, has_broken = [], False

    def __init__(self, server):
        super().__init__(server)
        self.bots.append(self)
        self.at, self.lane = 0, 0.42 * (-1) ** len(self.bots)  # of the bridge
        self.is_ready = False  # to cross it
        self.rested = self.before_door = 0  # turns before the bridge and the door

    def start(self):
        self.client.command(orrery.REMOVE, self.own)  # the rules drop it

    def play(self, places):
        me = places[self.own]
        if me[0] < -10.5:
            self.at = 0  # at home again
        Runner.has_broken |= any(text.startswith("The bridge") for text in self.notices)
        self.before_door = self.before_door + 1 if self.at == self.RIDE and me[0] < -4.8 else 0
        if self.before_door > 60:
            self.at = 0  # the door has closed: back to the button
        waits = self.at == self.RIDE and me[0] > -4.8 and me[1] < 1 < places[LIFT][1] + 0.8
        way = numpy.array(self.BESIDE if waits else self.WAY[self.at])[FLAT] - me[FLAT]
        way[1] += self.lane * (self.EDGE <= self.at <= self.EDGE + 1)
        is_there = numpy.hypot(*way) < 0.35 and me[1] > self.WAY[self.at][1]
        is_at_edge = is_there and self.at == self.EDGE
        self.rested = self.rested + 1 if is_at_edge else 0
        self.is_ready = self.rested > 20
        if is_at_edge and not Runner.has_broken:
            is_there = all(bot.is_ready or bot.at > self.EDGE for bot in self.bots)
        if is_there and self.at + 1 < len(self.WAY):
            self.at += 1
        force = 120 * way
        force *= min(1, 270 / max(numpy.hypot(*force), 1e-9))
        self.client.command(orrery.THRUST, self.own, (force[0], 0, force[1]))

    def is_done(self):
        return any(" wins in " in text for text in self.notices)


class Driver(Bot):
    """A driver of the arena. The second one drives by messages."""

    WAY = [(12, 10), (17, 6), (17, -6), (12, -10), (-12, -10), (-17, -6), (-17, 6), (-12, 10)]
    bots = []

    def __init__(self, server):
        super().__init__(server)
        self.bots.append(self)
        self.talks = len(self.bots) == 2
        self.at, self.sent, self.slow = 0, {}, 0

    def start(self):
        chassis = 6 + 6 * self.own
        self.client.command(orrery.THRUST, chassis, (0, 9000, 0))  # the rules drop it
        self.client.command(orrery.SET_MOTOR, 5 * self.own + 1, (20, 1e6, 0))  # and limit this

    def give(self, what, number):
        """Gives commands if the number has changed: a client has one a tick."""
        if self.sent.get(what) == number:
            return
        self.sent[what] = number
        if self.talks:
            self.client.command(orrery.MESSAGE, text=f"{what} {number}")
        elif what == "steer":
            self.client.command(orrery.SET_TARGET, 5 * self.own, (number, 4, 1))
        else:
            for wheel in (1, 2):
                self.client.command(orrery.SET_MOTOR, 5 * self.own + wheel, (number, 200, 0))

    def play(self, places):
        chassis = 6 + 6 * self.own
        me = places[chassis][FLAT]
        ahead = sum(places[chassis + 4 + i] - places[chassis + 2 + i] for i in range(2))[FLAT]
        lane = 1.04 if self.talks else 0.96
        way = numpy.array(self.WAY[self.at]) * lane - me
        if numpy.hypot(*way) < 5:
            self.at = (self.at + 1) % len(self.WAY)
        angle = numpy.arctan2(ahead[1] * way[0] - ahead[0] * way[1], ahead @ way)
        self.give("steer", round(float(numpy.clip(angle, -0.45, 0.45)), 1))
        self.give("drive", 28 if abs(angle) < 0.35 else 16)
        self.slow = 0 if self.moves(me) else self.slow + 1
        if self.slow > 90:
            self.client.command(orrery.MESSAGE, text="reset")
            self.at, self.sent, self.slow = 0, {}, 0

    def moves(self, me):
        """Returns True if the car has moved since the last call."""
        before, self.before = getattr(self, "before", me), me
        return numpy.hypot(*(me - before)) > 0.01

    def is_done(self):
        leaders = self.client.values().values()
        return sum(b" 0 laps" not in text for text in leaders) == len(self.bots)


def ride(path):
    """Returns how far the crate rose with the lift, and the change of its height over the lift."""
    over, heights = [], []
    for world in orrery.Log(path).replay():
        lift, crate = world.read(orrery.POSITION | orrery.DOUBLE)[[LIFT, CRATE]]
        if abs(crate - lift)[FLAT].max() < 1.2:
            over.append(crate[1] - lift[1])
            heights.append(crate[1])
    settled = over[SETTLED:]
    return {"rise": max(heights) - min(heights), "slip": max(settled) - min(settled)}


def play(kind, server):
    """Returns what two players have seen."""
    bots = [kind(server) for _ in range(2)]
    end = time.monotonic() + SECONDS_MAX
    while not all(bot.is_done() for bot in bots):
        assert time.monotonic() < end, [bot.notices for bot in bots]
        for each in bots:
            each.update()
    return [{
        "own": bot.own, "notices": bot.notices, "refused": bot.refused,
        "late": int(bot.client.stats["late_reports"]),
        "commands": int(bot.client.stats["commands"]),
        "values": {key.decode(): value.decode() for key, value in bot.client.values().items()}}
        for bot in bots]


if sys.argv[1] == "lift":
    print(json.dumps(ride(sys.argv[2])))
else:
    print(json.dumps(play({"doors": Runner, "arena": Driver}[sys.argv[1]], sys.argv[2])))
