#!/usr/bin/env python3
# Tests that `orrery record-frames` writes a file as a whole or not at all.
"""usage: record_frames_test.py FOLDER_OF_PROGRAMS"""

import signal
import subprocess
import sys
import time
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import ORRERY, Cli

OLD = b"an old file"


class RecordFrames(Cli):
    def names(self):
        return {path.name for path in self.folder.iterdir()}

    def test_a_file_of_frames(self):
        """The file has a frame for each tick, and its size is as reported."""
        log = self.record(50)
        self.write("a.zst", OLD)
        done = self.json("record-frames", log, "-o", "a.zst")
        self.assertEqual((done["file"], done["frames"]), ("a.zst", 50))
        self.assertEqual((self.folder / "a.zst").stat().st_size, done["bytes"])
        # The first frame has no baseline.
        self.assertEqual(self.json("codec", "a.zst", "--baseline-distance", 1)["frames"], 49)
        self.assertEqual(self.names(), {log.name, "a.zst"})

    def test_a_failure_keeps_the_old_file(self):
        """A replay that differs, or a folder that is missing, leaves no other file."""
        self.succeed("run", "playground", "--ticks", 50, "--break", "ulp@30:8.velocity.x", "--log",
                     "broken")
        self.write("a.zst", OLD)
        self.refuse("record-frames", "broken", "-o", "a.zst", naming="diverges at tick 30", code=1)
        log = self.record(1)
        self.refuse("record-frames", log, "-o", "none/a.zst",
                    naming="-o: none/a.zst: cannot be written: ")
        self.assertEqual((self.folder / "a.zst").read_bytes(), OLD)
        self.assertEqual(self.names(), {"broken", log.name, "a.zst"})

    def test_an_interruption_keeps_the_old_file(self):
        """The signal arrives while the verb waits for the end of the log. The checkpoint of tick
        600 is long, so that the verb has read the header by then."""
        log = self.record(600, "free:2000").read_bytes()
        self.write("a.zst", OLD)
        before = self.names()
        with subprocess.Popen([ORRERY, "record-frames", "/dev/stdin", "-o", "a.zst"],
                              cwd=self.folder, stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as verb:
            verb.stdin.write(log[:-100])
            verb.stdin.flush()
            end = time.monotonic() + 60
            while self.names() == before and time.monotonic() < end:
                self.assertIsNone(verb.poll())
            self.assertEqual(self.names() - before, {"a.zst.0.tmp"})
            verb.send_signal(signal.SIGINT)
            _, stderr = verb.communicate(log[-100:], timeout=60)
        self.assertEqual(verb.returncode, 1, stderr)
        self.assertEqual(stderr,
                         b"orrery: record-frames: interrupted; no file was written\n")
        self.assertEqual((self.folder / "a.zst").read_bytes(), OLD)
        self.assertEqual(self.names(), before)


if __name__ == "__main__":
    unittest.main()
