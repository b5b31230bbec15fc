#!/usr/bin/env python3
# Tests pictures of `orrery draw`: valid files that show the bodies of the right tick.
"""usage: draw_test.py FOLDER_OF_PROGRAMS"""

import struct
import sys
import unittest
import xml.etree.ElementTree as ElementTree
import zlib

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import Cli

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = """{
  "name": "pair <&>",
  "bodies": [
    {"name": "<b>&amp;", "position": [0, 0, 0], "velocity": [0, 3, 0]},
    {"name": "&\\"]]>", "position": [1e11, -1e11, 1e11], "half_extents": [1, 2, 3]}
  ]
}
"""


def chunks(png):
    """Yields the chunks of a PNG file, with their checksums checked."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n", png[:8]
    at = 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        data = png[at + 8:at + 8 + length]
        assert zlib.crc32(kind + data) == struct.unpack(">I", png[at + 8 + length:][:4])[0], kind
        yield kind, data
        at += 12 + length


def nearest(left, above, corner):
    """Paeth's predictor."""
    guess = left + above - corner
    return min((left, above, corner), key=lambda value: abs(guess - value))


def pixels(png):
    """Returns width, height and the rows of a PNG file of 8 bits RGB, as bytes."""
    parts = list(chunks(png))
    width, height, *kind = struct.unpack(">IIBBBBB", parts[0][1])
    assert parts[0][0] == b"IHDR" and kind == [8, 2, 0, 0, 0], parts[0]
    assert parts[-1][0] == b"IEND", parts[-1]
    raw = zlib.decompress(b"".join(data for kind, data in parts if kind == b"IDAT"))
    size = 3 * width
    assert len(raw) == height * (size + 1)
    rows, above = [], bytes(size)
    for y in range(height):
        how, line = raw[y * (size + 1)], bytearray(raw[y * (size + 1) + 1:][:size])
        for i in range(size):
            left = line[i - 3] if i >= 3 else 0
            corner = above[i - 3] if i >= 3 else 0
            guess = (0, left, above[i], (left + above[i]) // 2, nearest(left, above[i], corner))
            line[i] = (line[i] + guess[how]) & 255
        rows.append(bytes(line))
        above = rows[-1]
    return width, height, rows


def colours(rows):
    return {row[i:i + 3] for row in rows for i in range(0, len(row), 3)}


class Draw(Cli):
    def svg(self, *arguments):
        self.succeed("draw", *arguments, "-o", "a.svg")
        return ElementTree.fromstring((self.folder / "a.svg").read_text())

    def texts(self, svg):
        return [text.text for text in svg.iter(SVG + "text")]

    def test_a_png_shows_bodies(self):
        log = self.record()
        self.succeed("draw", log, "-o", "a.png", "--size", "320x200")
        width, height, rows = pixels((self.folder / "a.png").read_bytes())
        self.assertEqual((width, height), (320, 200))
        self.assertGreater(len(colours(rows)), 100)
        empty = self.write("empty.json", '{"name": "empty", "bodies": [{"kind": "anchor",'
                                         ' "half_extents": [1e-9, 1e-9, 1e-9]}]}')
        self.succeed("run", empty, "--ticks", 1, "--log", "empty.orrery")
        self.succeed("draw", "empty.orrery", "-o", "a.png", "--size", "320x200")
        self.assertLess(len(colours(pixels((self.folder / "a.png").read_bytes())[2])), 40)

    def test_an_svg_shows_every_body_of_the_tick(self):
        log = self.record(scene="springs:30")
        for tick in (0, 20, 50):
            svg = self.svg(log, "--at", tick, "--view", "top")
            state = self.json("replay", log, "--at", tick, "--bodies")
            caption = " ".join(self.texts(svg))
            self.assertIn(f"tick {tick} ", caption)
            self.assertIn(state["hash"], caption)
            self.assertIn("top view", caption)
            titles = {title.text for title in svg.iter(SVG + "title")}
            self.assertEqual(titles, {f"body {body['id']}" for body in state["bodies"]})

    def test_the_default_is_the_last_tick(self):
        log = self.record(ticks=37)
        self.assertIn("tick 37, hash", self.succeed("draw", log, "-o", "a.svg"))

    def test_the_fastest_body_is_named(self):
        log = self.record(scene="solar")
        bodies = self.json("replay", log, "--bodies")["bodies"]
        fastest = max(bodies, key=lambda body: sum(v * v for v in body["velocity"]))
        texts = self.texts(self.svg(log))
        self.assertIn(f"fastest {fastest['name']}, speed", " ".join(texts))
        self.assertIn(fastest["name"], texts)
        self.assertIn("Neptune", texts)

    def test_names_and_places_from_a_stranger_do_no_harm(self):
        self.write("pair.json", HOSTILE)
        self.succeed("run", "pair.json", "--ticks", 5, "--log", "pair.orrery")
        for view in ("front", "side", "top"):
            text = " ".join(self.texts(self.svg("pair.orrery", "--view", view)))
            self.assertIn("pair <&>", text)
            self.assertTrue(text.isprintable() and text.isascii(), text)
            for word in ("nan", "inf"):
                self.assertNotIn(word, (self.folder / "a.svg").read_text())
            self.succeed("draw", "pair.orrery", "--view", view, "-o", "a.png")

    def test_wrong_use_is_one_line(self):
        log = self.record(ticks=20)
        self.refuse("draw", log, "-o", "a.gif", naming="-o: a.gif: must end in .svg or .png")
        self.refuse("draw", log, "-o", "a.svg", "--at", 21, naming="its last tick is 20")
        self.refuse("draw", log, naming="-o")
        self.refuse("draw", "none.orrery", "-o", "a.svg", naming="none.orrery")
        self.refuse("draw", log, "-o", "no/a.svg", naming="no/a.svg")
        self.refuse("draw", log, "-o", "a.svg", "--view", "back", naming="front, side or top")
        for size in ("0x0", "960", "960x", "x600", "159x600", "960x4097", "-5x600", "9e2x600",
                     "960x600x3"):
            self.refuse("draw", log, "-o", "a.svg", f"--size={size}", naming="960x600")
        self.assertEqual([path.name for path in self.folder.glob("a.*")], [])

    def test_a_damaged_log_shows_the_state_before_the_damage(self):
        log = self.record(ticks=200)
        whole = bytearray(log.read_bytes())
        whole[len(whole) // 2] ^= 255
        damaged = self.write("damaged.orrery", bytes(whole))
        done = self.orrery("draw", damaged, "-o", "a.svg")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("damaged", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
