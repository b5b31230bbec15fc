# Tests orrery.Client against a server: a follower, axes, events, refused commands, rays, and calls
# after close().
"""usage: python_client.py ADDR:PORT"""
import sys

import numpy
import orrery

BAD_ARGUMENT = -2
LOG, FLOOR = 37, 40  # ids of bodies of the playground: a piece of wood, and the floor


def refused(call):
    """Returns the code with which a call fails, or 0."""
    try:
        call()
    except orrery.Error as error:
        assert str(error)
        return error.code
    return 0


def follow(client):
    assert refused(client.world), "there is a world before the first state"
    while client.stats["ticks_checked"] < 30:
        client.update(wait=1 / 60)
    frame, world, scene = client.frame(orrery.FOLLOW), client.world(), client.scene()
    assert client.info["phase"] == orrery.CONNECTED and not client.stats["diverged"]
    assert world.info["tick"] == frame.tick and (world.ids() == frame.bodies["id"]).all()
    assert (world.read() == frame.poses).all() and (frame.bodies["quality"] == orrery.EXACT).all()
    assert scene.info["tick"] == 0 and scene.info["bodies"] == len(frame.bodies)
    client.set_space(orrery.Z_UP_LEFT, units=100, origin=(1, 2, 3))
    unreal = client.frame(orrery.FOLLOW)
    assert unreal.tick == frame.tick
    x, y, z = (frame.poses[:, :3] - (1, 2, 3)).T
    assert numpy.allclose(unreal.poses[:, :3], numpy.transpose((100 * x, 100 * z, 100 * y)))
    assert refused(lambda: client.set_space(axes=4)) == BAD_ARGUMENT
    client.close()
    assert {refused(call) for call in (client.update, world.ids, scene.read)} == {-1}


def hear_landing(client):
    """Throws the piece of wood, and waits until it touches the floor."""
    while not len(client.frame().bodies):
        client.update(wait=1 / 60)
    client.command(orrery.IMPULSE, LOG, (0, 10, 0))
    while True:
        client.update(wait=1 / 60)
        for tick, events in client.events():
            begins = events[events["kind"] == orrery.CONTACT_BEGIN]
            if ((begins["a"] == LOG) & (begins["b"] == FLOOR)).any():
                return tick


def learn_why(client):
    """Gives two commands that the server refuses, and one that it does not."""
    numbers = [client.command(orrery.IMPULSE, FLOOR, (0, 1, 0)), client.command(orrery.RELEASE),
               client.command(orrery.IMPULSE, 900, (0, 1, 0))]
    assert numbers == list(range(numbers[0], numbers[0] + 3))
    told = []
    while len(told) < 2:
        client.update(wait=1 / 60)
        told += [(each["command"], each["reason"]) for each in client.refusals()]
    assert told == [(numbers[0], orrery.REFUSED_FIXED), (numbers[2], orrery.REFUSED_NO_BODY)], told
    assert client.stats["refused"] == 2 and not len(client.refusals())


def ask(client):
    """Asks the server what is below a point above the piece of wood, and compares with a ray in a
    world of this process."""
    frame = client.frame()
    above = frame.poses[frame.bodies["id"] == LOG][0, :3] + (0, 20, 0)
    number = client.cast_ray(above, (0, -40, 0))
    answers = []
    while not answers:
        client.update(wait=1 / 60)
        answers = list(client.hits())
    (asked, tick, hit), = answers
    assert asked == number and tick > 0 and hit["hits"] == 1 and hit["body"] == LOG, answers
    scene = orrery.World(client.scene().scene())
    bodies = scene.read()[scene.ids() == LOG][0, :3]
    own, = scene.cast_rays(bodies + (0, 20, 0), (0, -40, 0))
    assert own["hits"] == 1 and own["body"] == LOG
    assert numpy.allclose(own["position"][::2], bodies[::2])


with orrery.Client(sys.argv[1], follow=True) as opened:
    follow(opened)
for mode in ({}, {"plain": True}, {"follow": True}):
    with orrery.Client(sys.argv[1], events=True, **mode) as opened:
        assert hear_landing(opened) > 0
        learn_why(opened)
        ask(opened)
assert refused(lambda: orrery.Client("nowhere")) == -16
