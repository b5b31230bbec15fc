# Snapshots of a server, in both forms: wire.md 8 in Python.
"""Assembles snapshots from messages. Needs the modules of flatc, as minimal_client.py says."""
from coded_frames import Decoder, Frame, Scene, checksum
from coded_motion import Malformed
from orrery.wire import SnapshotPart, Vec3


class Snapshots:
    """Assembles snapshots from their parts. Holds the newest position of each body."""

    def __init__(self):
        self.tick, self.bodies = 0, {}  # newest snapshot: tick, and positions by body id
        self.newer, self.parts = 0, {}  # incomplete snapshot: tick, and bodies by part
        self.some = 0, set()  # newest selection (some bodies): tick, and the parts that came
        self.complete = 0  # tick of the newest snapshot of which all parts came
        self.fresh = False

    def take(self, message):
        """Takes a part. Returns the number of the last settled command."""
        part = SnapshotPart.SnapshotPart.GetRootAs(message)
        self.fresh |= self.add(part)
        return part.Head().Input()

    def update(self):
        """Returns True if a snapshot is complete since the last call."""
        fresh, self.fresh = self.fresh, False
        return fresh

    def add(self, part):
        head = part.Head()
        if not part.PresentIsNone():
            return self.add_some(part)
        if head.Tick() <= self.tick:
            return False
        if head.Tick() > self.newer:
            self.newer, self.parts = head.Tick(), {}
        if head.Tick() < self.newer or head.Part() in self.parts:
            return False
        self.parts[head.Part()] = {}
        for i in range(part.BodiesLength()):
            body = part.Bodies(i)
            at = body.Position(Vec3.Vec3())
            self.parts[head.Part()][body.Id()] = (at.X(), at.Y(), at.Z())
        if len(self.parts) < head.Parts():
            return False
        self.tick = self.complete = self.newer
        self.bodies = {body: at for part in self.parts.values() for body, at in part.items()}
        return True

    def add_some(self, part):
        """Adds a part of a snapshot of some bodies (schema/wire.md 8.3)."""
        head = part.Head()
        if head.Tick() < self.tick:
            return False
        self.tick = head.Tick()
        if self.some[0] < self.tick:
            self.some = self.tick, set()
        self.some[1].add(head.Part())
        if len(self.some[1]) == head.Parts():
            self.complete = self.tick
        slots = {body % 2**20: body for body in self.bodies}
        for slot, body in slots.items():
            tile, bit = divmod(slot - part.First(), 64)
            if 0 <= tile < part.PresentLength() and not part.Present(tile) >> bit & 1:
                del self.bodies[body]
        for i in range(part.BodiesLength()):
            body = part.Bodies(i)
            self.bodies.pop(slots.get(body.Id() % 2**20), None)
            at = body.Position(Vec3.Vec3())
            self.bodies[body.Id()] = (at.X(), at.Y(), at.Z())
        return head.Part() + 1 == head.Parts()


class CodedSnapshots:
    """Assembles and decodes the frames of mode delta. Holds the newest position of each body."""

    def __init__(self, welcome):
        gravity = welcome.Gravity()
        self.scene = Scene(welcome.Slots(), welcome.SceneBodies(), welcome.OrientationBits(),
                           welcome.PositionStep(), [gravity.X(), gravity.Y(), gravity.Z()])
        self.frames = {0: Frame()}  # that may become baselines, by tick
        self.tick, self.bodies = 0, {}  # newest frame: tick, and positions by body id
        self.newer, self.parts = 0, {}  # frame that arrives: tick, and bytes by part
        self.waiting = None  # newest frame that has arrived: the arguments of decode()
        self.complete = 0  # the tick to acknowledge: 0 if a baseline is lacking

    def take(self, message):
        """Takes a part. Returns the number of the last settled command."""
        tick, at = varint_at(message, 0)
        distance, at = varint_at(message, at)
        check = int.from_bytes(message[at:at + 2], "little")
        part, at = varint_at(message, at + 2)
        form, at = varint_at(message, at)
        commands, at = varint_at(message, at)
        _, at = varint_at(message, at)
        if tick > self.newer:
            self.newer, self.parts = tick, {}
        if tick == self.newer:
            self.parts[part] = message[at:]
            if len(self.parts) == form // 4:
                data = b"".join(self.parts[i] for i in sorted(self.parts))
                self.waiting = tick, tick - distance if distance else 0, check, form % 4, data
        return commands

    def update(self):
        """Decodes the newest frame that has arrived. Returns True if there is one. Frames that
        arrived before it are not needed."""
        waiting, self.waiting = self.waiting, None
        return bool(waiting) and self.decode(*waiting)

    def decode(self, tick, baseline_tick, check, level, data):
        baseline, self.complete = self.frames.get(baseline_tick), 0
        if baseline is None or baseline.tick and checksum(baseline) & 0xFFFF != check:
            return False
        try:
            frame = Decoder(self.scene, baseline, tick, level, data).run()
        except Malformed:
            return False
        self.frames = {t: f for t, f in self.frames.items() if t == 0 or t >= baseline.tick}
        self.frames[tick] = frame
        self.tick = self.complete = tick
        self.bodies = {body.generation << 20 | slot: [self.scene.step * x for x in body.position]
                       for slot, body in frame.bodies.items()}
        return True


def varint_at(data, at):
    """Returns an unsigned LEB128 at a place, and the place after it."""
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 128:
            return value, at
