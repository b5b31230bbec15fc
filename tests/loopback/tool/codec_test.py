#!/usr/bin/env python3
# Tests `orrery codec` and `orrery record-frames`: figures, errors, and memory. The files of frames
# are written and read here from schema/frames.md.
"""usage: codec_test.py FOLDER_OF_PROGRAMS"""

import ctypes
import ctypes.util
import math
import pathlib
import re
import resource
import struct
import subprocess
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import ORRERY, ROOT, Cli

ZSTD = ctypes.CDLL(ctypes.util.find_library("zstd"))
HEAD = struct.Struct("<8s3I4d")
FRAME = struct.Struct("<Q2I")
BODY = struct.Struct("<2I8i")
RECORD = struct.Struct("<8i")
DISTANCE = 6
MEMORY = 64 << 20  # of a process that reads a hostile file


def compress(content, level=3):
    """Returns the content as one frame of zstd. It has no checksum."""
    out = ctypes.create_string_buffer(len(content) + (len(content) >> 8) + 1024)
    size = ZSTD.ZSTD_compress(out, len(out), content, len(content), level)
    return out.raw[:size]


def decompress(packed, size_max=1 << 26):
    out = ctypes.create_string_buffer(size_max)
    size = ctypes.c_size_t(ZSTD.ZSTD_decompress(out, size_max, packed, len(packed))).value
    assert size <= size_max
    return out.raw[:size]


def header(magic=b"ORRYFRM1", slots=4, prototypes=None, bits=9, step=1 / 512, gravity=(0, 0, -1),
           radii=(64.0, 32.0)):
    count = len(radii) if prototypes is None else prototypes
    return (HEAD.pack(magic, slots, count, bits, step, *gravity) +
            struct.pack(f"<{len(radii)}d", *radii))


def body(slot=0, prototype=0, largest=3, orientation=(256, 256, 256), position=(0, 0, 0), active=1):
    return slot, prototype, largest, *orientation, *position, active


def frame(tick, bodies=(), references=(), counts=None):
    """Returns a frame. `counts` claims other numbers of references and bodies."""
    claimed = counts or (len(references), len(bodies))
    return (FRAME.pack(tick, *claimed) + struct.pack(f"<{len(references)}I", *references) +
            b"".join(BODY.pack(*b) for b in bodies))


def moving(tick):
    """Bodies of which two move, one rests, and one comes and goes."""
    bodies = [body(0, position=(7 * tick, 0, 400 - tick * tick // 2)),
              body(1, 1, position=(-300, 50 - 3 * tick, 64)), body(2, position=(900, 0, 64))]
    if tick % 20 >= 10:
        bodies.append(body(3 + (tick // 20 << 20), 1, active=0, position=(0, tick, 64)))
    return bodies


def good(frames=30, first=header()):
    return first + b"".join(frame(t, moving(t), [0]) for t in range(1, frames + 1))


def published(frames=1, changed=None):
    """Returns a file without a header. `changed` sets numbers: (frame, body, field): value."""
    content = bytearray()
    for _ in range(frames):
        for slot in range(901):
            content += RECORD.pack(3, 256, 256, 256, slot % 30 * 300, slot // 30 * 300, 102, 0)
    for (at, slot, field), value in (changed or {}).items():
        struct.pack_into("<i", content, at * 28832 + slot * 32 + field * 4, value)
    return bytes(content)


def read_frames(content):
    """Returns the fields of the header, and (tick, references, bodies) of each frame."""
    first = HEAD.unpack_from(content)
    at = HEAD.size + 8 * first[2]
    frames = []
    while at < len(content):
        tick, references, bodies = FRAME.unpack_from(content, at)
        at += FRAME.size
        slots = struct.unpack_from(f"<{references}I", content, at)
        at += 4 * references
        frames.append((tick, slots, list(BODY.iter_unpack(content[at:at + BODY.size * bodies]))))
        at += BODY.size * bodies
    assert at == len(content)
    return first, frames


class Figures(Cli):
    def check(self, name, content, frames, *options, distance=DISTANCE):
        """Checks the figures of a file against those that follow from each other, and returns
        them."""
        path = self.write(name, content)
        found = self.json("codec", path, *options)
        self.assertEqual(found["frames"], frames - distance)
        self.assertEqual(found["baseline_distance"], distance)
        self.assertEqual(found["mismatches"], 0)
        self.assertAlmostEqual(found["kbit_per_s"], found["bytes_per_frame"] * 8 * 60 / 1000, 9)
        whole = found["bytes_per_frame"] * found["frames"]
        self.assertAlmostEqual(whole, round(whole), 6)  # a whole number of bytes in all
        self.assertGreater(found["encode_us"], 0)
        self.assertGreater(found["decode_us"], 0)
        return found

    def test_both_forms_plain_and_compressed(self):
        for name, content, frames in (("a.bin", good(30), 30), ("b.bin", published(9), 9)):
            plain = self.check(name, content, frames)
            packed = self.check(name + ".zst", compress(content), frames)
            self.assertEqual(packed["bytes_per_frame"], plain["bytes_per_frame"])
            self.assertEqual(plain["level"], "fast")
        two = compress(good(30)[:700]) + compress(good(30)[700:])
        self.assertEqual(self.check("two.zst", two, 30)["bytes_per_frame"],
                         self.check("a.bin", good(30), 30)["bytes_per_frame"])

    def test_options(self):
        for distance in (1, 5, 29):
            self.check("a.bin", good(30), 30, "--baseline-distance", distance, distance=distance)
        self.succeed("record-frames", self.record(30), "-o", "b.zst")
        cheap, fast = (self.json("codec", "b.zst", "--level", level) for level in ("cheap", "fast"))
        self.assertEqual((cheap["level"], fast["level"]), ("cheap", "fast"))
        self.assertGreater(cheap["bytes_per_frame"], fast["bytes_per_frame"])
        path = self.write("a.bin", good(6))
        self.refuse("codec", path, naming="too few frames; give it more than --baseline-distance")
        self.succeed("codec", path, "--baseline-distance", 5)

    def test_bodies_that_rest_cost_a_byte_or_two(self):
        rest = header() + b"".join(frame(t, moving(5)) for t in range(1, 31))
        self.assertLessEqual(self.check("rest.bin", rest, 30)["bytes_per_frame"], 2)
        self.assertGreater(self.check("a.bin", good(30), 30)["bytes_per_frame"], 6)

    def test_numbers_at_their_bounds(self):
        """Every number may be at its bound, and every frame still comes back."""
        far = 1 << 30
        for gravity, radius, step in ((1e30, 1.0, 1e-30), (-1e30, 1e30, 1e30), (1e-300, 7.0, 1.0)):
            for bits in (6, 15):
                most = (1 << bits) - 1
                content = header(slots=1 << 20, gravity=[gravity] * 3, radii=[radius] * 2,
                                 step=step, bits=bits)
                for t in range(1, 31):
                    sign = 1 if t % 4 < 2 else -1
                    turn = (most, 0, most) if t % 3 else (most // 2,) * 3
                    content += frame(t * (1 << 58 if t % 5 == 0 else 1 << 55) if t > 1 else 1,
                                     [body(0, 0, t % 4, turn, (sign * far, -far, far)),
                                      body(4000, 1, 0, turn, (0, t * far // 30, 0))],
                                     range(80)) if t % 5 else b""
                frames = len(read_frames(content)[1])
                for level in ("fast", "cheap"):
                    self.check("far.bin", content, frames, "--level", level,
                               "--baseline-distance", 2, distance=2)

    def test_a_recorded_session(self):
        """The frames are the bodies that `orrery replay` prints, rounded as the page says."""
        log = self.record(40)
        self.assertEqual(self.json("record-frames", log, "-o", "a.bin.zst")["frames"], 40)
        content = decompress((self.folder / "a.bin.zst").read_bytes())
        first, frames = read_frames(content)
        _, slots, prototypes, bits, step, *_ = first
        self.assertEqual([f[0] for f in frames], list(range(1, 41)))
        self.assertLessEqual(prototypes, slots)
        for tick in (1, 17, 40):
            bodies = self.json("replay", log, "--at", tick, "--bodies")["bodies"]
            recorded = frames[tick - 1][2]
            self.assertEqual([b[0] for b in recorded], [b["id"] for b in bodies])
            for got, exact in zip(recorded, bodies):
                self.assert_rounded(got, exact, bits, step)
        self.check("copy.bin", content, 40)

    def assert_rounded(self, got, exact, bits, step):
        for steps, metres in zip(got[6:9], exact["position"]):
            self.assertLessEqual(abs(steps - metres / step), 0.5)
        turn = exact["orientation"]
        largest = got[2]
        self.assertAlmostEqual(abs(turn[largest]), max(map(abs, turn)), 12)
        sign = math.copysign(1, turn[largest])
        rest = [sign * x for i, x in enumerate(turn) if i != largest]
        root = math.sqrt(0.5)
        for steps, x in zip(got[3:6], rest):
            share = (x + root) / (2 * root) * ((1 << bits) - 1)
            self.assertLessEqual(abs(steps - share), 0.5 + 1e-9)


class Errors(Cli):
    def refuse_file(self, content, naming):
        """Checks the error of a file, plain and compressed."""
        for name, packed in (("bad.bin", content), ("bad.bin.zst", compress(content))):
            line = self.refuse("codec", self.write(name, packed), naming=f"{name}: {naming}")
            self.assertTrue(line.endswith(f"{naming}\n") or naming.endswith(" "), line)

    def test_header(self):
        for change, naming in (
                ({"slots": (1 << 20) + 1}, "slots is 1048577; must be 0 to 1048576"),
                ({"prototypes": (1 << 20) + 1}, "prototypes is 1048577; must be 0 to 1048576"),
                ({"bits": 5}, "orientation_bits is 5; must be 6 to 15"),
                ({"bits": 16}, "orientation_bits is 16; must be 6 to 15"),
                ({"step": 0.0}, "position_step is 0; must be 1e-30 to 1e+30"),
                ({"step": -1.0}, "position_step is -1; must be 1e-30 to 1e+30"),
                ({"step": 1e31}, "position_step is 1e+31; must be 1e-30 to 1e+30"),
                ({"step": -math.nan}, "position_step is -nan; must be 1e-30 to 1e+30"),
                ({"gravity": (math.nan, 0, 0)}, "gravity x is nan; must be -1e+30 to 1e+30"),
                ({"gravity": (0, math.inf, 0)}, "gravity y is inf; must be -1e+30 to 1e+30"),
                ({"gravity": (0, 0, -2e30)}, "gravity z is -2e+30; must be -1e+30 to 1e+30"),
                ({"radii": (64, 0.5)}, "prototype 1: radius is 0.5; must be 1 to 1e+30"),
                ({"radii": (math.nan, 64)}, "prototype 0: radius is nan; must be 1 to 1e+30"),
                ({"magic": b"ORRYFRM2"}, "magic is ORRYFRM2; must be ORRYFRM1"),
                ({"magic": b"ORRYFRM\x1b"}, "magic is ORRYFRM\\x1b; must be ORRYFRM1")):
            self.refuse_file(good(8, header(**change)), f"header: {naming}")

    def test_frames(self):
        low, high = -(1 << 30), 1 << 30
        position = f"must be {low} to {high}"
        for change, naming in (
                ({"largest": 4}, "largest is 4; must be 0 to 3"),
                ({"largest": -1}, "largest is 4294967295; must be 0 to 3"),
                ({"orientation": (512, 0, 0)}, "orientation a is 512; must be 0 to 511"),
                ({"orientation": (0, -1, 0)}, "orientation b is 4294967295; must be 0 to 511"),
                ({"orientation": (0, 0, 1 << 16)}, "orientation c is 65536; must be 0 to 511"),
                ({"position": (high + 1, 0, 0)}, f"position x is {high + 1}; {position}"),
                ({"position": (0, low - 1, 0)}, f"position y is {low - 1}; {position}"),
                ({"position": (0, 0, 2 * low)}, f"position z is {2 * low}; {position}"),
                ({"active": 2}, "active is 2; must be 0 to 1"),
                ({"prototype": 2}, "prototype is 2; must be below 2, the number in the header"),
                ({"slot": 4}, "slot of the id is 4; must be below 4, the slots of the header"),
                ({"slot": 1 << 20}, "slot of the id is 0, which an earlier body has")):
            bad = [body(0), body(**{"slot": 1, **change})]
            self.refuse_file(good(9) + frame(10, bad), f"frame 10: body 1: {naming}")
            self.refuse_file(header() + frame(10, bad), f"frame 1: body 1: {naming}")
        for tail, naming in (
                (frame(9), "tick is 9; must be above 9"), (frame(0), "tick is 0; must be above 9"),
                (frame(10, counts=(5, 0)), "references is 5; must be 0 to 4"),
                (frame(10, counts=(0, 5)), "bodies is 5; must be 0 to 4"),
                (frame(10, references=[0, 4]),
                 "reference 1: slot is 4; must be below 4, the slots of the header")):
            self.refuse_file(good(9) + tail, f"frame 10: {naming}")

    def test_frames_without_a_header(self):
        hint = "; the file has no header, so a frame is 901 records of 32 bytes"
        self.refuse_file(published(1, {(0, 7, 0): 9}),
                         f"frame 1: body 7: largest is 9; must be 0 to 3{hint}")
        self.refuse_file(published(3, {(2, 900, 7): -1}),
                         "frame 3: body 900: active is 4294967295; must be 0 to 1")
        self.refuse_file(published(8)[:-1], f"frame 8: ends after 28831 of 28832 bytes{hint}")
        self.refuse_file(b"hello, world", f"frame 1: ends after 12 of 28832 bytes{hint}")
        self.refuse_file(b"hello", "has no frames; `orrery record-frames` writes such files")
        log = self.record(5)
        self.refuse("codec", log, naming="is a session log; `orrery record-frames` makes a file")

    def test_truncations(self):
        """Wherever a file ends early, the error says where. Between frames it is a shorter file."""
        whole = good(3)
        ends = {len(good(n)): n for n in range(4)}
        sizes = {len(good(n)) - len(good(n - 1)): n for n in (1, 2, 3)}
        self.assertEqual(len(sizes), 1)  # all three frames have three bodies
        size = next(iter(sizes))
        start = len(header())
        borders = [*ends, 8, HEAD.size, start + FRAME.size, start + FRAME.size + 4]
        near = {border + at for border in borders for at in (-1, 0, 1)}
        for cut in sorted({*range(0, len(whole), 13), *near} - {-1, len(whole), len(whole) + 1}):
            naming = "has no frames; "
            if 8 <= cut < start:
                claimed = HEAD.size if cut < HEAD.size else start
                naming = f"header: ends after {cut} of {claimed} bytes\n"
            elif cut in ends:
                naming = "too few frames; "
            elif cut > start:
                number, at = divmod(cut - start, size)
                naming = f"frame {number + 1}: ends "
                if at < FRAME.size:
                    naming += f"after {at} of the first {FRAME.size} bytes\n"
                elif at < FRAME.size + 4:
                    naming += "in its references\n"
                else:
                    naming += f"in body {(at - FRAME.size - 4) // BODY.size} of 3\n"
            line = self.refuse("codec", self.write("cut.bin", whole[:cut]), naming="cut.bin: ")
            self.assertIn(naming, line, cut)

    def test_zstd(self):
        packed = compress(good(200))
        for cut in (4, 5, 20, len(packed) // 2, len(packed) - 1):
            line = self.refuse("codec", self.write("cut.bin.zst", packed[:cut]),
                               naming="the compressed data ends early")
            self.assertRegex(line, r"cut\.bin\.zst: (frame \d+: )?the compressed data ends early\n")
        damaged = bytearray(packed)
        damaged[len(damaged) // 2:] = bytes(len(damaged) - len(damaged) // 2)
        self.refuse("codec", self.write("bad.bin.zst", bytes(damaged)),
                    naming="the compressed data is damaged")
        self.refuse("codec", self.write("more.bin.zst", packed + b"more"),
                    naming="frame 201: the compressed data is damaged")
        line = self.refuse("codec", self.write("plain.bin.zst", b"text " * 9000), naming="frame 1")
        self.assertIn("; in spite of its name, zstd has not compressed it\n", line)
        self.assertEqual(self.json("codec", self.write("fine.bin.zst", good(9)))["frames"], 3)

    def test_files_that_cannot_be_read(self):
        self.refuse("codec", "none.bin", naming="none.bin: cannot be read: No such file")
        self.refuse("codec", self.folder, naming="is a directory")
        self.refuse("codec", "/proc/self/mem", naming="Input/output error")
        self.refuse("record-frames", self.write("a.bin", good()), "-o", "b.zst",
                    naming="a.bin: is not a session log")


@unittest.skipIf(b"__sanitizer" in pathlib.Path(ORRERY).read_bytes(),
                 "a sanitizer takes a larger address space")
class Memory(Cli):
    """A header may claim anything: memory grows with the bytes that are there."""

    def limited(self, path, *options):
        """Runs `orrery codec` with an address space of 64 MiB."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        return subprocess.run([ORRERY, "codec", path, *options], capture_output=True, text=True,
                              timeout=100, check=False, preexec_fn=limit)

    def test_claims_without_bytes(self):
        million = 1 << 20
        empty = b"".join(frame(t) for t in range(1, 101))
        cases = {
            "prototypes": (header(prototypes=million), f"header: ends after {HEAD.size + 16} of "
                           f"{HEAD.size + 8 * million} bytes"),
            "references": (header(slots=million) + frame(1, counts=(million, 0)),
                           "frame 1: ends in its references"),
            "bodies": (header(slots=million) + frame(1, counts=(0, million)),
                       f"frame 1: ends in body 0 of {million}"),
            "both": (header(slots=million) + empty + frame(101, counts=(million, million)),
                     "frame 101: ends in its references"),
            "far": (header(slots=million) + empty + frame(101, [body(million - 1)]),
                    "frame 101: body 0: slot of the id is 1048575; must be below 4097, 4096 and "
                    "one for each body of the largest frame so far")}
        for name, (content, naming) in cases.items():
            for path, packed in ((f"{name}.bin", content), (f"{name}.bin.zst", compress(content))):
                done = self.limited(self.write(path, packed), "--baseline-distance", "64")
                self.assertEqual((done.returncode, done.stdout), (2, ""), (path, done.stderr))
                self.assertIn(f"{path}: ", done.stderr)
                self.assertIn(f"{naming}\n", done.stderr, path)
        done = self.limited(self.write("slots.bin", header(slots=million) + empty),
                            "--baseline-distance", "64")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_the_limit_can_fail(self):
        """A file that has the bytes of many bodies needs more memory than the limit."""
        bodies = [body(slot) for slot in range(1 << 17)]
        content = header(slots=1 << 17) + b"".join(frame(t, bodies) for t in range(1, 12))
        path = self.write("large.bin.zst", compress(content, 1))
        self.assertNotEqual(self.limited(path, "--baseline-distance", "9").returncode, 0)
        self.assertEqual(self.json("codec", path, "--baseline-distance", 9)["frames"], 2)


class Text(Cli):
    def test_the_example_of_the_page(self):
        page = (ROOT / "schema/frames.md").read_text().split("### 2.3 Example")[1].split("```")[1]
        content = b""
        for line in page.strip().splitlines():
            numbers = bytes.fromhex(re.match(r"(?:[0-9a-f]{2} +)+", line)[0])
            content += numbers * (2 if "(twice)" in line else 1)
        example = (header(slots=1, radii=[64.0]) + frame(1, [body(position=(512, 0, 64))]))
        self.assertEqual(content, example)

    def test_the_lines_for_people(self):
        path = self.write("a.bin", good(30))
        lines = self.succeed("codec", path, "--baseline-distance", 2).splitlines()
        found = self.json("codec", path, "--baseline-distance", 2)
        self.assertEqual(lines[0], "28 frames, each coded against the one 2 before, level fast")
        self.assertEqual(lines[1], f"{found['bytes_per_frame']:.1f} bytes a frame, "
                                   f"{found['kbit_per_s']:.1f} kbit/s at 60 frames a second")
        self.assertTrue(re.fullmatch(r"CPU time a frame: encode [\d.]+ us, decode [\d.]+ us",
                                     lines[2]), lines)
        self.assertEqual(lines[3:], ["every decoded frame equals the frame that was encoded"])


if __name__ == "__main__":
    unittest.main()
