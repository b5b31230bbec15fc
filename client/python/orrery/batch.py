# Many worlds at once: stepped by one call, and as an environment for training.
import ctypes

import numpy as np

from .binding import (ADMIN, COMMAND, JOIN, POSITION, THRUST, VELOCITY, Error, at, library, row_of,
                      rows_for, structs)
from .checks import array, integer, rows
from .world import World


class WorldBatch:
    """Worlds of one scene, stepped and read by one call each. Client 1 is their admin."""

    def __init__(self, scene, count, what=POSITION | VELOCITY):
        count = integer(count, "count", least=1)
        self.dtype, self.numbers = row_of(what)
        self.what = int(what)
        self.worlds = [World(scene) for _ in range(count)]
        self.handles = (ctypes.c_void_p * count)(*[world.handle for world in self.worlds])
        join = structs(COMMAND)
        join["kind"], join["subject"], join["role"] = JOIN, 1, ADMIN
        self.step(np.repeat(join, count), np.ones(count, np.uint32))
        self.start = self.worlds[0].save()
        self.rows = rows_for(what, count, self.worlds[0].info["bodies"])

    def step(self, commands=None, counts=None, ticks=1):
        """Advances all worlds by `ticks` ticks. The first tick of world i takes the next counts[i]
        commands. `commands` is an array that structs(COMMAND, n) returned, and `counts` an array of
        numpy.uint32 with a number for each world. The numbers add up to n."""
        ticks = integer(ticks, "ticks")
        if (commands is None) != (counts is None):
            raise TypeError("commands and counts go together: pass both, or none")
        if commands is not None:
            rows(commands, "commands", COMMAND)
            array(counts, "counts", np.uint32, (len(self.handles),))
            total = int(counts.sum(dtype=np.uint64))
            if total != len(commands):
                raise ValueError(f"counts add up to {total}; there are {len(commands)} commands")
        self._call("orrery_worlds_step", at(commands), at(counts), ctypes.c_uint32(ticks))

    def read(self):
        """Returns the array [world, body, number] of all bodies. The next call overwrites it."""
        array(self.rows, "rows", self.dtype, (len(self.handles), None, self.numbers), writable=True)
        self._call("orrery_worlds_read", self.what, at(self.rows),
                   self.numbers * self.dtype.itemsize, self.rows.shape[1])
        return self.rows

    def reset(self, chosen=None):
        """Restores the state after construction: in the worlds where the array `chosen` is true,
        or in all."""
        if chosen is None:
            chosen = np.ones(len(self.worlds), bool)
        for i in np.flatnonzero(array(chosen, "chosen", bool, (len(self.worlds),))):
            self.worlds[i].restore(self.start)

    def _call(self, function, *arguments):
        failed = ctypes.c_uint32()
        code = getattr(library, function)(self.handles, len(self.handles), *arguments,
                                          ctypes.byref(failed))
        if code < 0:
            why = ctypes.create_string_buffer(512)
            library.orrery_last_error(self.worlds[failed.value].handle, why, 512)
            raise Error(code, f"world {failed.value}: {why.value.decode()}")


class Env:
    """A vector of environments in the style of Gymnasium: a force moves a body to the origin.

    Observations are the positions and velocities of all bodies, [world, body, 6]. Actions are
    forces on one body, [world, 3]. Derive from it and override reward() for a task of your own.
    A task with random parts draws from `np_random`, a generator of numpy. `np_random_seed` is its
    seed."""

    def __init__(self, scene, count, body=0, ticks=4, steps=200):
        self.batch = WorldBatch(scene, count)
        self.body, self.ticks, self.steps = integer(body, "body"), ticks, steps
        self.taken = np.zeros(count, np.int64)
        self.thrusts = structs(COMMAND, count)
        self.thrusts["kind"], self.thrusts["client"], self.thrusts["subject"] = THRUST, 1, body
        self.counts = np.ones(count, np.uint32)
        self._seed(None)

    def _seed(self, seed):
        sequence = np.random.SeedSequence(seed)
        self.np_random_seed = sequence.entropy
        self.np_random = np.random.Generator(np.random.PCG64(sequence))

    def reset(self, seed=None, options=None):
        """Returns the first observation, and an empty dictionary. A `seed` starts `np_random` again
        from this number. Without one, `np_random` continues. At first it has a random seed."""
        if seed is not None:
            self._seed(seed)
        self.batch.reset()
        self.taken[:] = 0
        return self.batch.read().copy(), {}

    def step(self, action):
        """Returns observation, reward, terminated, truncated, info. Worlds that ended in this step
        are already restarted; their observation is the one from before."""
        self.thrusts["first"] = action
        self.batch.step(self.thrusts, self.counts, self.ticks)
        self.taken += 1
        seen = self.batch.read().copy()
        reward, truncated = self.reward(seen), self.taken >= self.steps
        if truncated.any():
            self.batch.reset(truncated)
            self.taken[truncated] = 0
        return seen, reward, np.zeros_like(truncated), truncated, {}

    def reward(self, seen):
        """Returns the reward of each world."""
        return -np.linalg.norm(seen[:, self.body, :3], axis=1)
