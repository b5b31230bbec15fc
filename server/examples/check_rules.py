#!/usr/bin/python3
# Replays a log of goals.py with its rule: leaves out the decisions of the log, and decides again.
"""usage: check_rules.py LOG"""
import sys

import numpy as np
import orrery

BALL = 2


def rules(world, decide):
    for event in world.events():
        if event["kind"] == orrery.SENSOR_BEGIN:
            decide(orrery.PLACE, BALL, first=(0, 3, 0))


def main(path):
    log, tick = orrery.Log(path), 0
    world = log.world()
    for record, commands in log:
        is_own = np.isin(commands["kind"], (orrery.JOIN, orrery.LEAVE, orrery.DISOWN))
        made = [commands[is_own]]

        def decide(kind, subject=0, **fields):
            number = sum(map(len, made)) + 1
            made.append(orrery.make_command(kind, subject, sequence=number, **fields))

        rules(world, decide)
        world.step(np.concatenate([*made, commands[commands["client"] != 0]]))
        tick = record["tick"]
        if world.info["hash"] != record["hash"]:
            sys.exit(f"tick {tick}: the rules decided otherwise")
    print(f"{tick} ticks: the rules decided the same")


main(sys.argv[1])
