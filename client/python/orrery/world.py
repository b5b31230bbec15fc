# A world that you step yourself.
import ctypes

import numpy as np

from .binding import (BODY, COMMAND, DIFFERENCE, DOUBLE, END, EVENT, LINK, ORIENTATION, POSITION,
                      RAY_HIT, TOTALS, WORLD_INFO, Handle, at, rays, row_of, rows_for, structs,
                      values_of)
from .checks import array, data, integer, rows, text


class World(Handle):
    """A world of a built-in scene ("boxes:10"), JSON text ("{...") or the bytes of a scene."""

    def __init__(self, scene):
        given = scene if isinstance(scene, bytes) else text(scene, "scene")
        if isinstance(scene, bytes):
            self.make("orrery_world_from_bytes", given, ctypes.c_uint64(len(given)))
        elif given.lstrip().startswith(b"{"):
            self.make("orrery_world_from_json", given, ctypes.c_uint64(len(given)))
        else:
            self.make("orrery_world_from_name", given)

    def __del__(self):
        self.api.orrery_world_destroy(self.handle)

    def step(self, commands=None):
        """Advances one tick with commands: an array that structs(COMMAND, n) returned."""
        commands = structs(COMMAND, 0) if commands is None else commands
        self.call("orrery_world_step", at(rows(commands, "commands", COMMAND)), len(commands))

    @property
    def info(self):
        """The fields of orrery_world_info: info["tick"], info["hash"], ..."""
        info = structs(WORLD_INFO)
        self.call("orrery_get_world_info", at(info))
        return info[0]

    def ids(self):
        """Returns the ids of all bodies, in the order of read()."""
        ids = np.empty(self.info["bodies"], np.uint32)
        self.call("orrery_world_ids", at(ids), len(ids))
        return ids

    def read(self, what=POSITION | ORIENTATION | DOUBLE, out=None):
        """Returns an array with a row for each body: the numbers that `what` selects. `out` is an
        array that is written and returned: it has the type of the numbers, and room for all
        bodies."""
        dtype, numbers = row_of(what)
        out = rows_for(what, self.info["bodies"]) if out is None else out
        array(out, "out", dtype, (None, numbers), writable=True)
        self.call("orrery_world_read", None, int(what), at(out), numbers * dtype.itemsize, len(out))
        return out

    def cast_rays(self, origins, along):
        """Returns an array of RAY_HIT: the first part that each ray hits, from its origin to
        origin + along. Both are n x 3, or 3 numbers for one ray."""
        asked = rays(origins, along)
        found = structs(RAY_HIT, len(asked))
        self.call("orrery_world_cast_rays", at(asked), at(found), len(asked))
        return found

    def events(self):
        """Returns an array of EVENT: the contacts and hits of the last tick."""
        return self._list("orrery_world_events", EVENT, "events")

    def applied(self):
        """Returns an array of COMMAND: those of the last tick that changed something."""
        return self._list("orrery_world_applied", COMMAND, "applied")

    def values(self):
        """Returns the values of the session: bytes by key, both of type bytes."""
        return values_of(self, "orrery_world_values")

    def _list(self, function, dtype, count):
        found = structs(dtype, self.info[count])
        self.call(function, at(found), len(found))
        return found

    def body(self, body):
        """Returns BODY, what the scene says of a body: body["name"], body["owner"], ..."""
        found = structs(BODY)
        self.call("orrery_get_body", integer(body, "body"), at(found))
        return found[0]

    def links(self):
        """Returns an array of LINK: the springs, tethers and joints of the scene."""
        found = [structs(LINK)]
        while self.call("orrery_get_link", len(found) - 1, at(found[-1])) != END:
            found.append(structs(LINK))
        return np.concatenate(found)[:-1]

    def totals(self):
        """Returns TOTALS: energy, momentum and angular momentum of all bodies."""
        totals = structs(TOTALS)
        self.call("orrery_get_totals", at(totals))
        return totals[0]

    def compare(self, other):
        """Returns DIFFERENCE: how many bodies of another world differ, and the first number."""
        difference = structs(DIFFERENCE)
        self.call("orrery_worlds_compare", other.handle, at(difference))
        return difference[0]

    def flip_bit(self, body, field, bit):
        """Flips a bit of a number of a body, such as "velocity.x". Bit 0 is the lowest."""
        self.call("orrery_world_flip_bit", integer(body, "body"), text(field, "field"),
                  integer(bit, "bit"))

    def scene(self):
        """Returns the binary form of the scene. World() takes it."""
        return self._bytes("orrery_world_scene")

    def save(self):
        """Returns the image: the exact state as bytes."""
        return self._bytes("orrery_world_save")

    def _bytes(self, function):
        size = ctypes.c_uint64()
        getattr(self.api, function)(self.handle, None, ctypes.c_uint64(0), ctypes.byref(size))
        found = ctypes.create_string_buffer(size.value)
        self.call(function, found, size, ctypes.byref(size))
        return found.raw

    def restore(self, image):
        """Replaces the state by an image."""
        image = data(image, "image")
        self.call("orrery_world_restore", image, ctypes.c_uint64(len(image)))


class WorldView(World):
    """The world of a log or client, its owner. It can be read only, as long as the owner lives."""

    def __init__(self, owner):  # pylint: disable=super-init-not-called
        self.handle, self.owner = ctypes.c_void_p(), owner

    def __del__(self):
        pass
