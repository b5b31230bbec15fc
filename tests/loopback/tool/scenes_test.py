#!/usr/bin/env python3
# Tests scene files: built-in scenes are written and read again, bodies have names, and reports
# have units.
"""usage: scenes_test.py FOLDER_OF_PROGRAMS"""

import json
import re
import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import ROOT, Cli


class Scenes(Cli):
    def hash(self, scene, ticks):
        return self.json("run", scene, "--ticks", ticks)["hash"]

    def test_every_built_in_scene_is_the_same_as_a_file(self):
        for scene in self.json("scenes")["scenes"]:
            counted = f"{scene['name']}[:N]" in self.succeed("scenes")
            spec = scene["name"] + (":7" if counted else "")
            text = self.succeed("scenes", spec, "--json")
            found = json.loads(text)
            self.assertEqual((found["name"], found["about"]), (scene["name"], scene["about"]))
            self.assertEqual(self.hash(self.write("scene.json", text), 20), self.hash(spec, 20),
                             spec)
            longest = max(text.splitlines(), key=len)
            is_long = any(key in longest for key in ("points", "heights", "parts"))
            self.assertTrue(len(longest) < 400 or is_long, longest)

    def test_every_small_count_can_be_written_and_run(self):
        """A small scene may have only immovable bodies, and no body of some kinds."""
        for scene in re.findall(r"(\w+)\[:N\]", self.succeed("scenes")):
            for count in range(1, 13):
                spec = f"{scene}:{count}"
                with self.subTest(spec):
                    text = self.succeed("scenes", spec, "--json")
                    self.hash(self.write("scene.json", text), 1)

    def test_the_binary_form_is_written_as_json_too(self):
        path = self.write("a.json", '{"name": "a", "bodies": [{"position": [1, 0.1, -0]}]}')
        self.assertEqual(self.succeed("scenes", path, "--json"), """{
  "name": "a",
  "bodies": [
    {"position": [1, 0.1, -0]}
  ]
}
""")

    def test_what_cannot_be_written(self):
        self.refuse("scenes", "cubs", "--json", naming="did you mean cubes?")
        self.refuse("scenes", "cubes", naming="--json")
        self.refuse("scenes", "", "--json", naming="the name is empty")
        self.refuse("scenes", "free:100000", "--json",
                    naming="bytes as JSON, but a scene file has at most 16777216; give a smaller")

    def guide(self):
        return (ROOT / "schema" / "scenes.md").read_text()

    def test_a_wrong_name_is_one_line(self):
        """The error is the one in the guide, for its scene."""
        scene = self.guide().split("```json\n")[1].split("```")[0]
        line = re.search(r"(?m)^orrery: (pendulum\.json:.* there is no body .*)$", self.guide())[1]
        wrong = scene.replace('"b": "bob"', '"b": "bop"')
        self.write("pendulum.json", wrong)
        self.refuse("run", "./pendulum.json", naming=line)

    def test_a_body_by_its_name(self):
        names = self.guide().split("```json\n")[3].split("```")[0]
        self.assertIn('"a": "lift", "b": "rod"', names)
        ids = names.replace('"a": "lift", "b": "rod"', '"a": 0, "b": 2')
        self.assertEqual(self.hash(self.write("names.json", names), 60),
                         self.hash(self.write("ids.json", ids), 60))

    def test_highest_centre_of_nothing(self):
        """If nothing can move there is no height and no energy."""
        path = self.write("still.json", """{"shapes": [{"parts": [{}]}], "bodies": [
            {"kind": "anchor", "shape": 0}, {"kind": "kinematic", "velocity": [0, 1, 0]}]}""")
        text = self.succeed("run", path, "--ticks", 1)
        self.assertIn("\n0 contacts, 0 points; no dynamic bodies\n", text)
        self.assertNotIn("inf", text)
        self.assertIsNone(self.json("run", path, "--ticks", 1)["top"])

    def test_run_names_units_of_si_only_for_scenes_in_si(self):
        """A scene that sets the length of a tick may have any units."""
        pile = {"shapes": [{"parts": [{}]}],
                "bodies": [{"mass": 2, "shape": 0, "velocity": [3, 0, 0]},
                           {"mass": 2, "shape": 0, "position": [0, 2, 0]}],
                "joints": [{"a": 0, "b": 1, "at_b": [0, -2, 0]}]}
        # a unit after each length, and after the energy
        forms = (r"highest centre \S+{m}, kinetic energy \S+{J}$",
                 r"^\d+ overlaps?: \S+{m} on average, \S+{m} at most$",
                 r"^1 joint, largest error \S+{m}$")
        own_time = {"tick_time_numerator": 1, "tick_time_denominator": 60}
        for settings, units in (({}, {"m": " m", "J": " J"}), (own_time, {"m": "", "J": ""})):
            scene = self.write("pile.json", json.dumps(pile | settings))
            text = self.succeed("run", scene, "--ticks", 1)
            for form in forms:
                self.assertRegex(text, "(?m)" + form.format(**units))


if __name__ == "__main__":
    unittest.main()
