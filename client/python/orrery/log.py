# A session log: its header, records and states, and its verification.
import ctypes

from .binding import (COMMAND, END, LOG_INFO, RECORD, VERIFICATION, Handle, at, library, structs)
from .checks import integer, path
from .world import World, WorldView


class Log(Handle):
    """A session log: the path of its first file, or its bytes."""

    def __init__(self, source):
        if isinstance(source, bytes):
            self.make("orrery_log_from_bytes", source, ctypes.c_uint64(len(source)))
        else:
            self.make("orrery_log_from_file", path(source, "source"))
        info = structs(LOG_INFO)
        self.call("orrery_get_log_info", at(info))
        self.info = info[0]

    def __del__(self):
        library.orrery_log_destroy(self.handle)

    def __iter__(self):
        """Yields (record, commands) of every tick."""
        self.call("orrery_log_rewind")
        record, commands = structs(RECORD), structs(COMMAND, 8192)
        while self.call("orrery_log_next", at(record), at(commands), len(commands)) != END:
            yield record[0].copy(), commands[:record[0]["commands"]].copy()

    def seek(self, tick):
        """Returns the log's world after a tick. The next call moves this same world."""
        world = WorldView(self)
        tick = ctypes.c_uint64(integer(tick, "tick", most=2**64 - 1))
        self.call("orrery_log_seek", tick, 0, ctypes.byref(world.handle))
        return world

    def keep(self, bytes_max):
        """Keeps states that verify() and replay() pass, in `bytes_max` bytes: seek() steps less."""
        self.call("orrery_log_keep", ctypes.c_uint64(integer(bytes_max, "bytes_max",
                                                             most=2**64 - 1)))

    def replay(self):
        """Yields the world that replays the log, in tick 0 and after each tick. It ends with the
        log, or before the first state that differs."""
        found, world, ticks = structs(VERIFICATION), WorldView(self), 0
        while self.call("orrery_log_verify", ticks, int(ticks == 0), at(found),
                        ctypes.byref(world.handle)) != END:
            yield world
            ticks = 1

    def world(self):
        """Returns a world of your own, in the first state of the log."""
        scene = ctypes.create_string_buffer(int(self.info["scene_bytes"]))
        self.call("orrery_log_scene", scene, ctypes.c_uint64(len(scene)))
        return World(scene.raw)

    def verify(self, ticks=600, progress=lambda found: None):
        """Replays the log, `ticks` ticks for each call of `progress`. Returns the last result."""
        ticks = integer(ticks, "ticks", least=1)
        found, more = structs(VERIFICATION), True
        restart = 1
        while more:
            more = self.call("orrery_log_verify", ctypes.c_uint32(ticks), restart, at(found),
                             None) != END
            restart = 0
            progress(found[0])
        return found[0]
