#!/usr/bin/env python3
# Decodes the golden frames with the decoder of client/examples, which shares no code with the
# codec.
"""usage: frames_test.py"""
import pathlib
import random
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "client/examples"))

from coded_frames import Decoder, Frame, Scene, checksum
from coded_motion import Malformed

SEED = 7


def sessions():
    """Returns scenes, each with its frames: tick, baseline, level, checksum, bytes."""
    found = []
    for line in (ROOT / "tests/golden/frames.txt").read_text().splitlines():
        kind, *fields = line.split()
        if kind == "scene":
            step, *gravity = map(float.fromhex, fields[3:])
            found.append((Scene(*map(int, fields[:3]), step, gravity), []))
        else:
            tick, baseline, level = map(int, fields[:3])
            found[-1][1].append((tick, baseline, level, int(fields[3], 16),
                                 bytes.fromhex(fields[4])))
    return found


class Frames(unittest.TestCase):
    def test_every_frame_decodes(self):
        count = 0
        for scene, frames in sessions():
            known = {0: Frame()}
            for tick, baseline, level, expected, data in frames:
                frame = Decoder(scene, known[baseline], tick, level, data).run()
                self.assertEqual(checksum(frame), expected, f"tick {tick}, level {level}")
                known[tick] = frame
                count += 1
        self.assertEqual(count, 80)

    def test_other_bytes_are_malformed_or_another_frame(self):
        draw = random.Random(SEED)
        scene, frames = sessions()[0]
        refused = others = 0
        for tick, baseline, level, expected, data in frames[:2]:
            self.assertEqual(baseline, 0)
            for _ in range(40):
                changed = bytearray(data)
                changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
                try:
                    frame = Decoder(scene, Frame(), tick, level, bytes(changed)).run()
                    self.assertNotEqual(checksum(frame), expected)
                    others += 1
                except Malformed:
                    refused += 1
        self.assertGreater(min(refused, others), 0, f"seed {SEED}")


if __name__ == "__main__":
    unittest.main()
