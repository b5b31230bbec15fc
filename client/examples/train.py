#!/usr/bin/python3
# Steps 1,000 worlds at once, as in training, with a fixed controller in place of a learned policy.
"""usage: train.py [WORLDS [STEPS]]"""
import sys

import numpy as np
import orrery

SCENE = """{
  "gravity": [0, -9.81, 0],
  "bodies": [{"name": "drone", "mass": 2, "position": [3, 2, 1], "velocity": [0, 0, 4]}]
}"""

worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 100
env = orrery.Env(SCENE, worlds, ticks=4, steps=steps)
seen, _ = env.reset()
start = -env.reward(seen).mean()
gains = np.random.default_rng(1).uniform(2, 6, (worlds, 1))  # each world has its own controller
for _ in range(steps):
    position, velocity = seen[:, 0, :3], seen[:, 0, 3:]
    seen, reward, _, _, _ = env.step(-gains * (position + velocity) + np.array([0, 2 * 9.81, 0]))
best = reward.argmax()
print(f"{worlds} worlds, {steps} steps of 4 ticks: {worlds * steps * 4} ticks")
print(f"mean distance to the origin: {start:.3f} at first, {-reward.mean():.3f} at the end")
print(f"best gain {gains[best, 0]:.2f}: {-reward[best]:.6f}")
