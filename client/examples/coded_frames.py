#!/usr/bin/python3
# A decoder of coded frames, without the C++ library: schema/coding.md in Python.
"""Decodes the frames of mode delta. The sections have the names of those in schema/coding.md."""
import copy
import struct

from coded_bits import BitReader, Model, RangeDecoder, after, number
from coded_motion import (COMPONENT_MAX, HALF, POSITION_MAX, CheapBodies, FastBodies, Malformed,
                          square, sub, times, whole)

CHEAP, FAST = 0, 1
REFERENCES_MAX = 64
MASK = (1 << 64) - 1


class Scene:
    """The numbers of the welcome."""

    def __init__(self, slots, prototypes, bits, step, gravity):
        self.slots, self.prototypes, self.bits, self.step = slots, prototypes, bits, step
        self.gravity = gravity  # steps per tick squared
        self.most = (1 << bits) - 1
        self.turn_step = 2 * COMPONENT_MAX / self.most


class Body:
    """A body on the grid."""
    __slots__ = ("generation", "prototype", "size", "position", "orientation", "largest", "active")

    def __init__(self, generation, prototype, size, position, orientation, largest, active):
        self.generation, self.prototype, self.size = generation, prototype, size
        self.position, self.orientation = position, orientation
        self.largest, self.active = largest, active


class Motion:
    """How a body moved from the baseline to the frame, and the errors of its predictions."""
    __slots__ = ("displacement", "turn", "position_errors", "rotation_errors")

    def __init__(self):
        self.displacement, self.turn = [0, 0, 0], [0.0, 0.0, 0.0]
        self.position_errors, self.rotation_errors = [0.0] * 4, [0.0] * 5


class Frame:
    """A decoded frame. The default is the baseline of a client that has nothing."""

    def __init__(self, tick=0, bodies=None):
        self.tick, self.span = tick, 0
        self.bodies = bodies or {}   # by slot
        self.motions = {}            # by slot, ascending: bodies that changed
        self.references = []         # slots


# --- Frames ---------------------------------------------------------------------------------------

class Decoder:
    """Decodes one frame."""

    def __init__(self, scene, baseline, tick, level, data):
        self.scene, self.baseline, self.level = scene, baseline, level
        self.coder = RangeDecoder(data) if level == FAST else BitReader(data)
        self.frame = Frame(tick, dict(baseline.bodies))
        self.frame.span = min(tick - baseline.tick, 1 << 16)
        self.ratio = self.frame.span / baseline.span if baseline.span else 0.0
        fall = 0.5 * self.frame.span * (self.frame.span + baseline.span)
        self.gravity = times(fall, scene.gravity)
        self.arrivals, self.changed, self.references = [], [], {}

    def run(self):
        self.read_arrivals()
        self.read_references()
        self.read_changes()
        if self.level == FAST:
            self.order()
        bodies = FastBodies(self) if self.level == FAST else CheapBodies(self)
        for slot in self.changed:
            before = self.baseline.bodies[slot]
            self.frame.bodies[slot] = copy.copy(before)
            motion = self.baseline.motions.get(slot) or Motion()
            bodies.read(slot, before, self.frame.bodies[slot], motion, self.frame.motions[slot])
        if not self.coder.ended():
            raise Malformed("bytes after the frame")
        return self.frame

    def kept(self, slot):
        """Returns True if the baseline and the frame have the same body in this slot."""
        before, now = self.baseline.bodies.get(slot), self.frame.bodies.get(slot)
        return (before is not None and now is not None and before.generation == now.generation and
                before.prototype == now.prototype)

    # --- Bodies that came or left ---

    def read_arrivals(self):
        coder, scene, rare = self.coder, self.scene, Model(HALF // 32, 8)
        comes, active = Model(15 * HALF // 8, 2), Model(HALF, 0)
        resized, self.rare = Model(HALF // 8, 2), rare
        if not coder.bit(rare):
            return
        following, prototype, size, position = 0, -1, 0, [0, 0, 0]
        count = number(coder)
        if count > scene.slots:
            raise Malformed("arrivals")
        for _ in range(count):
            slot = after(coder, following)
            if not following <= slot < scene.slots:
                raise Malformed("slot")
            following = slot + 1
            self.arrivals.append(slot)
            self.frame.bodies.pop(slot, None)
            if not coder.bit(comes):
                continue
            generation = number(coder)
            prototype = after(coder, prototype + 1)
            if generation >= 4096 or prototype >= scene.prototypes:
                raise Malformed("body")
            if coder.bit(resized):
                size = coder.raw(16)
            position = [whole(after(coder, x & 0xFFFFFFFF)) for x in position]
            largest = coder.raw(2)
            orientation = [coder.raw(scene.bits) for _ in range(3)]
            self.frame.bodies[slot] = Body(generation, prototype, size, position, orientation,
                                           largest, coder.bit(active))
            if max(map(abs, position)) > POSITION_MAX or self.kept(slot):
                raise Malformed("position")

    # --- References ---

    def read_references(self):
        slots = self.baseline.references
        if self.coder.bit(self.rare):
            count = number(self.coder)
            if count > REFERENCES_MAX:
                raise Malformed("references")
            slots = [number(self.coder) for _ in range(count)]
        self.frame.references = slots
        for slot in slots:
            if slot >= self.scene.slots:
                raise Malformed("reference")
            if self.kept(slot):
                at = self.baseline.bodies[slot].position
                self.references[slot] = (at, at, [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0])

    # --- Bodies that changed ---

    def read_changes(self):
        wakes = Model(HALF // 32, 6), Model(HALF // 4, 3)
        changes = (Model(HALF // 6, 3), Model(HALF, 3), Model(3 * HALF // 2, 3),
                   Model(15 * HALF // 8, 4), Model(63 * HALF // 32, 6))
        end = self.scene.slots if self.baseline.tick else 0
        for begin in range(0, end, 32):
            block = range(begin, min(begin + 32, end))
            moved = any(slot in self.baseline.motions for slot in block)
            any_wakes = self.coder.bit(wakes[moved])
            for slot in block:
                motion = self.baseline.motions.get(slot)
                if (motion or any_wakes) and self.kept(slot):
                    if self.coder.bit(changes[self.speed(motion)]):
                        self.changed.append(slot)
                        self.frame.motions[slot] = Motion()

    def speed(self, motion):
        if not motion:
            return 0
        moved = square(motion.displacement) + square(times(1 / self.scene.turn_step, motion.turn))
        return 1 if moved < 3 else 2 if moved < 24 else 3 if moved < 200 else 4

    def order(self):
        """Sorts the changed bodies by the distance to their nearest reference."""
        self.nearest, distances = {}, {}
        for slot in self.changed:
            at, best = self.baseline.bodies[slot].position, (0, None)
            for reference, (start, _, _, _) in self.references.items():
                distance = -1 if reference == slot else square([float(x) for x in sub(at, start)])
                if best[1] is None or distance < best[0]:
                    best = distance, reference
            distances[slot], self.nearest[slot] = best
        self.changed.sort(key=lambda slot: (distances[slot], slot))


def bits(x):
    """Returns the bits of a number as binary32."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def mixed(words):
    """Returns a hash of 64 bits of words."""
    value = 0
    for word in words:
        value = (value ^ word & MASK) * 0x9E3779B97F4A7C15 & MASK
        value ^= value >> 32
    return mix(value)


def mix(value):
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & MASK
    return value ^ value >> 33


def pair(high, low):
    return (high & 0xFFFFFFFF) << 32 | low & 0xFFFFFFFF


def hash_of_body(slot, body):
    a, b, c = body.orientation
    return mixed([pair(slot, body.generation << 20 | slot), pair(body.prototype, body.position[0]),
                  pair(*body.position[1:]), pair(a << 16 | b, c << 16 | body.size),
                  pair(body.largest, body.active)])


def hash_of_motion(slot, motion):
    x, y, z = map(bits, motion.turn)
    a, b, c = motion.displacement
    errors = list(map(bits, motion.rotation_errors))
    return mixed([pair(slot, x), pair(y, z), pair(a, b), pair(0, c),
                  *(pair(bits(p), r) for p, r in zip(motion.position_errors, errors)), errors[4]])


def checksum(frame):
    """Returns the checksum of a frame."""
    bodies = sum(hash_of_body(slot, body) for slot, body in frame.bodies.items())
    motions = sum(hash_of_motion(slot, motion) for slot, motion in frame.motions.items())
    return mixed([bodies, motions, frame.tick, frame.span, *frame.references])
