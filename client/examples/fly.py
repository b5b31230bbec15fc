#!/usr/bin/python3
# Connects to a server, pushes a wooden log of the scene `playground` upwards, and prints where it
# flies.
"""usage: fly.py ADDR:PORT"""
import sys

import orrery

LOG, WALL = 37, 43  # ids of bodies


def say(frame, places):
    log, wall = (", ".join(f"{x:.3f}" for x in places[body]) for body in (LOG, WALL))
    print(f"tick {frame.tick:.2f}: log at {log}; wall at {wall}")


def fly(client):
    start = None
    while client.info["phase"] != orrery.ENDED:
        client.update(wait=1 / 60)
        frame = client.frame(orrery.INTERPOLATE)
        places = dict(zip(frame.bodies["id"], frame.poses[:, :3]))
        if LOG not in places:
            continue  # no state has arrived
        if start is None:
            start = places[LOG][1]
            say(frame, places)
            client.command(orrery.IMPULSE, LOG, (0, 30, 0))
        elif places[LOG][1] > start + 1:
            return say(frame, places)
    sys.exit(client.info["problem"].decode())


with orrery.Client(sys.argv[1]) as opened:
    fly(opened)
    print(f"round trip {1e3 * opened.stats['round_trip']:.1f} ms")
