#!/usr/bin/env python3
# Tests sealed logs with an independent implementation in Python (BLAKE2b), and the messages about
# logs that were changed.
"""usage: seal_test.py FOLDER_OF_PROGRAMS"""

import hashlib
import signal
import struct
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import BINARIES, Cli

HEADER, END, CHECKPOINT, SEAL, TICK = 1, 3, 4, 6, 7


def records(log):
    """Returns type and payload of each record, following schema/log.md 4."""
    at = 12
    while at < len(log):
        kind, size, shift = log[at], 0, 0
        at += 1
        while True:
            size |= (log[at] & 127) << shift
            shift += 7
            at += 1
            if log[at - 1] < 128:
                break
        yield kind, log[at:at + size]
        at += size + 8


class Seal(Cli):
    def setUp(self):
        super().setUp()
        self.key = bytes(range(32))
        self.key_file = self.write("seal.key", self.key.hex() + "\n")
        self.key_file.chmod(0o600)

    def check(self, log, seal, code):
        found = self.json("log", "check", log, "--seal-key", self.key_file, code=code)
        self.assertEqual(found["seal"], seal)
        return found

    def sealed(self, name, ticks=700):
        self.succeed("run", "playground", "--ticks", ticks, "--log", name, "--seal-key",
                     self.key_file)
        return self.folder / name

    def test_seal_is_what_the_specification_says(self):
        log = self.sealed("log").read_bytes()
        mac = hashlib.blake2b(key=self.key, digest_size=32)
        sealed = []
        before = None
        for kind, payload in records(log):
            if kind == SEAL:
                self.assertEqual(payload, mac.digest())
                sealed.append(before)
            if kind in (HEADER, TICK, END, CHECKPOINT, SEAL):
                mac.update(struct.pack("<BQ", kind, len(payload)) + payload)
            before = kind
        self.assertEqual(sealed, [HEADER, CHECKPOINT, END])

    def test_verdicts(self):
        log = self.sealed("log")
        self.check(log, "intact", 0)
        self.assertIn("sealed: nothing was changed",
                      self.succeed("log", "check", log, "--seal-key", self.key_file))
        self.assertEqual(self.json("verify", log)["verified"], 700)
        self.assertFalse(self.json("verify", log)["torn"])
        self.assertEqual(self.json("replay", log, "--at", 650)["tick"], 650)
        other = self.write("other.key", "00" * 32)
        other.chmod(0o600)
        self.assertEqual(self.json("log", "check", log, "--seal-key", other, code=1)["seal"],
                         "broken")
        whole = log.read_bytes()
        self.check(self.write("cut", whole[:-42]), "unfinished", 1)
        self.check(self.write("crashed", whole[:-1000]), "unfinished", 1)
        crashed = self.json("log", "check", "crashed", "--seal-key", self.key_file, code=1)
        self.assertEqual(crashed["sealed_ticks"], 600)
        self.check(self.write("longer", whole + b"more"), "loose", 1)
        self.check(self.record(), "unsealed", 1)
        self.succeed("log", "export", "--single", log, "-o", "joined")
        self.check(self.folder / "joined", "intact", 0)
        self.succeed("log", "repair", "longer", "-o", "repaired")
        self.check(self.folder / "repaired", "intact", 0)
        self.succeed("log", "repair", "crashed", "-o", "repaired crash")
        self.check(self.folder / "repaired crash", "unfinished", 1)

    def test_refusals(self):
        log = self.sealed("log", 5)
        self.refuse("run", "tumble", "--ticks", 1, "--seal-key", self.key_file, naming="--log")
        self.key_file.chmod(0o644)
        for verb in (("log", "check", log), ("run", "tumble", "--ticks", 1, "--log", "new")):
            self.refuse(*verb, "--seal-key", self.key_file, naming="--seal-key: ")
        self.assertFalse((self.folder / "new").exists())

    def serve(self, *options, end):
        server = subprocess.Popen(
            [BINARIES / "orreryd", "--listen", "127.0.0.1:0", "--seal-key", self.key_file,
             *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        for line in server.stdout:
            if line == b"ready\n":
                break
        server.send_signal(end)
        _, said = server.communicate(timeout=60)
        return server.returncode, said.decode()

    def test_sessions_that_are_served(self):
        log = self.folder / "served"
        self.assertEqual(self.serve("--log", log, end=signal.SIGTERM)[0], 0)
        self.check(log, "intact", 0)
        crashed = self.folder / "crashed"
        self.serve("--log", crashed, end=signal.SIGKILL)
        self.check(crashed, "unfinished", 1)
        unsealed = self.write("unsealed", self.record().read_bytes()[:-20])
        code, said = self.serve("--resume", unsealed, "--ticks", 90, end=signal.SIGTERM)
        self.assertEqual(code, 2, said)
        self.assertIn(f"--resume {unsealed}: not sealed", said)
        code, said = self.serve("--resume", crashed, "--ticks", 30, end=signal.SIGTERM)
        self.assertEqual(code, 0, said)
        self.check(crashed, "intact", 0)
        self.succeed("log", "export", "--single", crashed, "-o", "one")
        self.assertEqual(self.json("log", "check", "one")["segments"], 1)
        self.check(self.folder / "one", "intact", 0)

    def test_what_was_sealed_at_a_resume_is_named(self):
        log = self.sealed("log")
        self.assertEqual(self.check(log, "intact", 0)["sealed_at_resume"], [])
        self.write("crashed", log.read_bytes()[:-1000])
        last = self.json("log", "check", "crashed")["ticks"]
        self.assertGreater(last, 601)
        code, said = self.serve("--resume", "crashed", end=signal.SIGTERM)
        self.assertEqual(code, 0, said)
        self.succeed("log", "export", "--single", "crashed", "-o", "one")
        self.succeed("log", "repair", "one", "-o", "again")
        line = (f"; ticks 601 to {last} were sealed only when the session was resumed, as they "
                "stood then\n")
        for name in ("crashed", "one", "again"):
            loose = name == "crashed"  # the crashed log ends with bytes of an incomplete record
            found = self.check(name, "loose" if loose else "intact", 1 if loose else 0)
            self.assertEqual(found["sealed_at_resume"], [{"from": 601, "to": last}])
            said = self.orrery("log", "check", name, "--seal-key", self.key_file).stdout.decode()
            self.assertTrue(said.endswith(line), said)


if __name__ == "__main__":
    unittest.main()
