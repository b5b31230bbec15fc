#!/usr/bin/python3
# Counts how often the ball enters the goal, and puts it back on its spot: a first rule.
"""usage: goals.py --scene goals.json [OPTION OF ORRERYD]..."""
import sys

import orrery

BALL, goals = 2, 0  # the id of the ball in goals.json

with orrery.Server(*sys.argv[1:]) as server:
    for world in server:  # before each tick
        for event in world.events():
            if event["kind"] == orrery.SENSOR_BEGIN:
                goals += 1
                print("goals", goals, file=sys.stderr)
                server.command(orrery.PLACE, BALL, first=(0, 3, 0))
