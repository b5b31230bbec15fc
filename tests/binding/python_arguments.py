# Gives the Python package wrong arrays and numbers. The memory after each array may not be touched.
"""usage: python_arguments.py [CALLS [SEED]]

Each array ends at a page that cannot be read or written, so a call that reads or writes past the
array ends this program. A wrong argument must raise TypeError or ValueError, and a right one must
be accepted."""
import ctypes
import faulthandler
import mmap
import pathlib
import random
import sys
import tempfile

import numpy
import orrery

PAGE = mmap.PAGESIZE
PROT_NONE = 0
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"
SCENE = "boxes:3"
WORLDS = 4
EVERYTHING = orrery.POSITION | orrery.ORIENTATION | orrery.DOUBLE
libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


def at_guard(array):
    """Returns a copy of an array whose last byte is the last one before a guarded page."""
    size = (array.nbytes + PAGE - 1) // PAGE * PAGE
    memory = mmap.mmap(-1, size + PAGE)
    start = numpy.frombuffer(memory, numpy.uint8).ctypes.data
    assert libc.mprotect(start + size, PAGE, PROT_NONE) == 0, ctypes.get_errno()
    copy = numpy.frombuffer(memory, numpy.uint8)[size - array.nbytes:size]
    copy = copy.view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


# Each makes another argument from a right array that is not empty. Some stay right.
CHANGES = {
    "fewer": lambda a: a[:-1],
    "more": lambda a: numpy.repeat(a, 2, axis=0),
    "none": lambda a: a[:0],
    "narrower": lambda a: a[..., :-1],
    "another type": lambda a: a.view(numpy.uint8) if a.dtype.names else a.astype(numpy.int16),
    "swapped bytes": lambda a: a.view(a.dtype.newbyteorder()),
    "backwards": lambda a: a[::-1],
    "every second": lambda a: numpy.repeat(a, 2, axis=0)[::2],
    "one more dimension": lambda a: a[numpy.newaxis],
    "one dimension less": lambda a: a[0, ...],
    "a list": lambda a: a.tolist(),
    "bytes": lambda a: a.tobytes(),
    "an address": lambda a: a.ctypes.data,
    "an object": lambda a: object(),
}


def changed(draw, array):
    """Returns an array at a guarded page, or something else in its place."""
    array = at_guard(array)
    if draw.random() < 0.4 or not len(array):
        return array
    given = draw.choice(list(CHANGES.values()))(array)
    keep = not isinstance(given, numpy.ndarray) or not given.flags.c_contiguous
    return given if keep else at_guard(given)


def fits(given, array):
    """Returns whether C can use the memory of `given` like that of `array`, but for its length."""
    return (isinstance(given, numpy.ndarray) and given.dtype == array.dtype
            and given.ndim == array.ndim and given.shape[1:] == array.shape[1:]
            and given.flags.c_contiguous)


def commands_of(draw, count):
    """Returns commands that every world takes, except that some have wrong sizes."""
    commands = orrery.structs(orrery.COMMAND, count)
    commands["kind"], commands["client"] = orrery.IMPULSE, 1
    if count and draw.random() < 0.2:
        sizes = 0, 4, 40, 52, 4096, 0xFFFFFFFF
        commands["size"][draw.randrange(count) if draw.random() < 0.5 else slice(None)] = \
            draw.choice(sizes)
    return commands


def fit_commands(given, commands):
    return fits(given, commands) and (given["size"] == orrery.COMMAND.itemsize).all()


def step_world(draw, things):
    commands = commands_of(draw, draw.choice((0, 1, 2, 100)))
    given = changed(draw, commands)
    return fit_commands(given, commands), lambda: things.world.step(given)


def step_batch(draw, things):
    each = draw.choice((0, 1, 3))
    right_counts = numpy.full(WORLDS, each, numpy.uint32)
    if draw.random() < 0.3:
        right_counts[draw.randrange(WORLDS)] = draw.choice((5, 2**31, 2**32 - 1))
    right_commands = commands_of(draw, each * WORLDS)
    commands, counts = changed(draw, right_commands), changed(draw, right_counts)
    ticks = draw.choice((1, 2, numpy.int64(1), -1, 2**32, 1.5, "1"))
    right = (fit_commands(commands, right_commands) and fits(counts, right_counts)
             and len(counts) == WORLDS
             and int(counts.sum(dtype=numpy.uint64)) == len(commands)
             and not isinstance(ticks, (float, str)) and 0 <= ticks < 2**32)
    if draw.random() < 0.1:
        right, counts = False, None
    elif draw.random() < 0.1:
        right, commands = False, None
    return right, lambda: things.batch.step(commands, counts, ticks)


def read_world(draw, things):
    what = draw.choice((EVERYTHING, orrery.POSITION, 15 | orrery.DOUBLE, 0, orrery.DOUBLE, 16, -1,
                        2**32 + 1, 1.0, "1"))
    right = isinstance(what, int) and 0 < what < 512 and what & 15 and not what & 0xF0
    rows = orrery.rows_for(what if right else EVERYTHING, things.world.info["bodies"])
    out = changed(draw, rows)
    right = right and fits(out, rows) and len(out) >= len(rows)
    if right and draw.random() < 0.1:
        out.flags.writeable = right = False
    return right, lambda: things.world.read(what, out)


def read_batch(draw, things):
    right = orrery.rows_for(things.batch.what, WORLDS, things.world.info["bodies"])
    rows = changed(draw, right)

    def read():
        kept, things.batch.rows = things.batch.rows, rows
        try:
            things.batch.read()
        finally:
            things.batch.rows = kept

    return fits(rows, right) and len(rows) == WORLDS, read


def reset_batch(draw, things):
    right = numpy.ones(WORLDS, bool)
    chosen = changed(draw, right)
    return fits(chosen, right) and len(chosen) == WORLDS, lambda: things.batch.reset(chosen)


def restore(draw, things):
    image = things.world.save()
    wrong = draw.choice((image[:-1], b"", image.hex(), None, 7, object()))
    right = draw.random() < 0.4
    given = draw.choice((image, bytearray(image), memoryview(image))) if right else wrong
    return right, lambda: things.world.restore(given)


def flip_bit(draw, things):
    field, bit = draw.choice((("position.y", 3), ("mass", 3), ("position.y", 64), ("", 3)))

    def flip():
        world = orrery.World(things.world.scene())
        world.restore(things.world.save())
        world.flip_bit(world.ids()[-1], field, bit)
        found = world.compare(things.world)
        assert found["bodies"] == 1 and found["field"] == field.encode()
        assert found["distance"] == abs(found["a"] - found["b"]) > 0
        assert world.totals()["energy"] == things.world.totals()["energy"]
        assert not len(world.links())

    return bit == 3 and field == "position.y", flip


def numbers(draw, things):
    """Calls with single numbers and texts, all wrong."""
    world, log = things.world, things.log
    return False, draw.choice((
        lambda: orrery.World(None), lambda: orrery.World(7), lambda: orrery.World("boxes:3\0"),
        lambda: orrery.Log(7), lambda: orrery.Log("a\0b"), lambda: log.seek(-1),
        lambda: log.seek(2**64), lambda: log.verify(0), lambda: log.verify(-1),
        lambda: orrery.WorldBatch(SCENE, 0), lambda: orrery.WorldBatch(SCENE, -1),
        lambda: orrery.WorldBatch(SCENE, 2, 0), lambda: orrery.WorldBatch(SCENE, 2, 1 << 40),
        lambda: world.cast_rays((0, 0), (1, 1)), lambda: world.cast_rays([[[0, 0, 0]]], (1, 1, 1)),
        lambda: world.flip_bit(-1, "position.x", 3), lambda: world.flip_bit(1, None, 3),
        lambda: world.flip_bit(1, "position.x", -1), lambda: log.keep(-1),
        lambda: world.set_space(axes=-1), lambda: world.set_space(origin=(1, 2)),
        lambda: world.set_space(origin="abc"), lambda: orrery.structs(orrery.COMMAND, -1),
        lambda: orrery.Env(SCENE, 2, body=-1)))


def clients(draw, things):
    """Calls of a client that never connects, and of a server that is not open. All are wrong."""
    client, server = things.client, things.server
    command = orrery.make_command(orrery.IMPULSE)
    return False, draw.choice((
        lambda: orrery.Client(None), lambda: orrery.Client("127.0.0.1:1", access=7),
        lambda: orrery.Client("a\0b"), lambda: orrery.Client("127.0.0.1:1", "/nowhere"),
        lambda: client.update(-1), lambda: client.update(float("nan")),
        lambda: client.update("1"), lambda: client.frame(-1), lambda: client.frame("1"),
        lambda: client.command(orrery.IMPULSE), lambda: client.command(-1),
        lambda: client.command(orrery.IMPULSE, first=(1, 2)), lambda: client.world(),
        lambda: client.cast_ray((0, 0), (1, 1, 1)), lambda: client.cast_ray((0, 0, 0), None),
        lambda: client.cast_ray((0, 0, 0), (1, 0, 0)), lambda: client.save_flight(7),
        lambda: client.save_flight("a\0b"), lambda: client.save_flight("nowhere"),
        lambda: client.set_space(axes=-1), lambda: client.scene(),
        lambda: server.change(-1), lambda: server.change(2**32), lambda: server.change("1"),
        lambda: server.change(0, command[:0]), lambda: server.change(0, numpy.repeat(command, 2)),
        lambda: server.change(0, command.tobytes()), lambda: server.command(-1),
        lambda: server.change(0, command.view(numpy.uint8)), lambda: server.command(1.5)))


def client_reads(draw, things):
    """Reads of a client that never connects. There is nothing to read."""

    def read():
        things.client.update()
        assert not len(things.client.frame(draw.choice((0, 1, 2))).bodies)
        for found in (things.client.refusals(), things.client.notices(),
                      list(things.client.hits()), list(things.client.events())):
            assert not len(found)
        assert things.client.info["phase"] >= 0 and things.client.stats["commands"] == 0

    return True, read


# Right and wrong values of each field of a command.
FIELDS = {
    "subject": ((0, 2**32 - 1, numpy.int64(1)), (-1, 2**32, 1.5, None)),
    "client": ((0, 7), (-1, 2**32, "1")),
    "sequence": ((0, 7), (-1, 2**32)),
    "account": ((0, 2**64 - 1), (-1, 2**64)),
    "control": ((0, orrery.NOBODY), (-1, 2**31)),
    "ticks": ((0, 7), (-1, 2**32)),
    "first": (((1, 2, 3), numpy.ones(3)), ((1, 2), (1, 2, 3, 4), None, "abc", 1)),
    "orientation": (((0, 0, 0, 1),), ((0, 0, 1), (), object())),
    "key": ((b"", b"key", "key", bytearray(b"key")), (bytes(4096), 7, None)),
    "text": ((b"", "text", memoryview(b"text")), ("x" * 65536, 7, object())),
}


def make_command(draw, things):
    right, fields = True, {}
    for name in draw.sample(sorted(FIELDS), 3):
        wrong = draw.random() < 0.2
        right = right and not wrong
        fields[name] = draw.choice(FIELDS[name][wrong])
    kind = draw.choice((orrery.IMPULSE, orrery.PLACE, 2**31 - 1) if right else (-1, 2**31, 1.5))

    def make():
        made = orrery.make_command(kind, **fields)
        assert len(made) == 1 and made["kind"][0] == kind
        assert all(made[name][0] == fields[name] for name in fields if name in ("client", "ticks"))

    return right, make


CALLS = (step_world, step_batch, read_world, read_batch, reset_batch, restore, flip_bit, numbers,
         clients, client_reads, make_command)
REFUSALS = (TypeError, ValueError, orrery.Error)  # Error: C saw it, and touched nothing


def client_of_nobody():
    with tempfile.NamedTemporaryFile("w") as key:
        key.write(bytes(32).hex() + "\n")
        key.flush()
        return orrery.Client("127.0.0.1:1", access=key.name)


class Things:
    world = orrery.World(SCENE)
    batch = orrery.WorldBatch(SCENE, WORLDS)
    client = client_of_nobody()
    server = orrery.Server.__new__(orrery.Server)  # as after close()
    log = orrery.Log(GOLDEN / "logs" / "rules-20-format-8.orrery")


def main(calls=4000, seed=None):
    seed = random.randrange(2**32) if seed is None else seed
    print(f"seed {seed}", flush=True)
    faulthandler.enable()
    numpy.seterr(invalid="ignore")  # arrays of rows are not initialised
    draw, taken = random.Random(seed), 0
    Things.log.keep(1 << 20)
    states = {world.info["tick"]: world.info["hash"] for world in Things.log.replay()}
    assert list(states) == list(range(int(Things.log.info["last_tick"]) + 1))
    assert all(Things.log.seek(tick).info["hash"] == states[tick] for tick in (300, 77, 620))
    join = orrery.structs(orrery.COMMAND)
    join["kind"], join["subject"], join["role"] = orrery.JOIN, 1, orrery.ADMIN
    Things.world.step(join)
    assert (Things.world.applied() == join).all()
    assert len(Things.world.events()) == Things.world.info["events"]
    for i in range(calls):
        make = draw.choice(CALLS)
        right, call = make(draw, Things)
        try:
            call()
        except REFUSALS as error:
            assert not right, f"call {i}, {make.__name__}: a right argument is refused: {error}"
            assert str(error), f"call {i}, {make.__name__}: a refusal without a reason"
        else:
            assert right, f"call {i}, {make.__name__}: a wrong argument is accepted"
            taken += 1
    assert 0.02 * calls < taken < 0.8 * calls, taken
    print(f"{calls} calls, {taken} of them right")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
