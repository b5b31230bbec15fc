#!/usr/bin/env python3
# Tests `orrery run --integrator` and `--rotation`: the methods of a world, and refused ones.
"""usage: methods_test.py FOLDER_OF_PROGRAMS"""

import sys
import unittest

sys.path.append(sys.path[0] + "/../support")
from orrery_cli import PAIR, Cli


class Methods(Cli):
    """run --integrator and --rotation: each changes the result, or is rejected with the reason."""

    INTEGRATORS = ["semi-implicit-euler", "velocity-verlet", "leapfrog-dkd", "leapfrog-kdk",
                   "semi-implicit-euler-x-first", "explicit-euler", "backward-euler", "rk4",
                   "tcv-full", "pefrl", "yoshida4", "kinematic", "kinematic-average"]
    ROTATIONS = ["cayley", "explicit", "dropped", "momentum", "implicit-gyro",
                 "implicit-gyro-midpoint"]
    GOING_BACK = " would gain energy in the parts of a step that go back in time"

    def hash(self, scene, *options):
        return self.json("run", scene, "--ticks", 60, *options)["hash"]

    def test_each_is_another_result(self):
        scene = self.write("tether.json", PAIR.replace(
            '"springs"', '"tethers": [{"body": 1, "stiffness": 20}], "springs"'))
        hashes = {name: self.hash(scene, "--integrator", name) for name in self.INTEGRATORS}
        self.assertEqual(hashes.pop("leapfrog-kdk"), hashes["velocity-verlet"])  # the same method
        self.assertEqual(len(set(hashes.values())), len(hashes))
        turning = [self.hash("tumble", "--rotation", name) for name in self.ROTATIONS]
        self.assertEqual(len(set(turning)), len(self.ROTATIONS))
        text = self.succeed("run", "--help")
        for name in self.INTEGRATORS + self.ROTATIONS:
            self.assertIn(name, text)

    def test_the_log_keeps_the_choice(self):
        self.succeed("run", "tumble", "--ticks", 60, "--integrator", "rk4",
                     "--rotation", "momentum", "--log", "a.orrery")
        chosen = self.hash("tumble", "--integrator", "rk4", "--rotation", "momentum")
        self.assertEqual(self.json("verify", "a.orrery")["hash"], chosen)

    def test_lab_only(self):
        """Every method that only the laboratory has, combined with a method of a world."""
        known = self.json("lab", "methods")
        for kind, flag, of_worlds in (("methods", "--integrator", self.INTEGRATORS),
                                      ("rotation_methods", "--rotation", self.ROTATIONS)):
            lab_only = {method["name"] for method in known[kind]} - set(of_worlds)
            self.assertGreater(len(lab_only), 7)
            for name in lab_only:
                line = self.refuse("run", "tumble", "--ticks", 1, flag, name,
                                   naming=f"{name} is lab only; the nearest of a world is ")
                self.assertIn(line.split()[-1], of_worlds)

    def test_rate_and_method_are_judged_together(self):
        scene = self.folder / "swing.json"
        scene.write_text('{"name": "swing", "integrator": "kinematic-average", "bodies": [{}],'
                         ' "tethers": [{"stiffness": 1000}]}')
        slow = ("run", scene, "--ticks", 1, "--rate", 5)
        self.refuse(*slow, naming="more than half a period")
        self.succeed(*slow, "--integrator", "kinematic")

    def test_empty(self):
        for flag in ("--integrator", "--rotation", "--log"):
            self.refuse("run", "tumble", "--ticks", 1, flag, "", naming="the name is empty")
        self.refuse("fork", "log", "--at", 1, "-o", "", naming="-o: the name is empty")

    def test_unknown(self):
        for flag, name, naming in (("--integrator", "rk5", "did you mean rk4"),
                                   ("--integrator", "velocity_verlet", "velocity-verlet"),
                                   ("--integrator", "cayley", '"cayley"'),
                                   ("--integrator", "\x1b[31m", "\\x1b"),
                                   ("--rotation", "caylei", "did you mean cayley"),
                                   ("--rotation", "x" * 100000, "--rotation")):
            self.refuse("run", "tumble", "--ticks", 1, flag, name, naming=naming)

    def refuse_methods(self, text, naming, integrator, *more):
        path = self.write("scene.json", text)
        self.refuse("run", path, "--ticks", 1, "--integrator", integrator, *more, naming=naming)

    def test_steps_back_in_time(self):
        for name in ("pefrl", "yoshida4"):
            self.succeed("run", self.write("pair.json", PAIR), "--ticks", 1, "--integrator", name)
            for key, loss, what in (("stiffness", "damping", "damping: spring 0"),
                                    ("mass", "linear_drag", "drag: body 1"),
                                    ("mass", "quadratic_drag", "drag: body 1")):
                self.refuse_methods(PAIR.replace(f'"{key}"', f'"{loss}": 1, "{key}"'),
                                    f"integrator {name} and {what}{self.GOING_BACK}", name)
            tethers = PAIR.replace('springs": [{"a": 0, "b": 1,',
                                   'tethers": [{"body": 1, "damping": 1,')
            self.refuse_methods(tethers, f"{name} and damping: tether 0{self.GOING_BACK}", name)
            for rotation in ("explicit", "momentum", "implicit-gyro", "implicit-gyro-midpoint"):
                self.refuse_methods(PAIR, f"integrator {name} runs parts of a step back in time",
                                    name, "--rotation", rotation)

    def test_tethers_too_stiff_for_exact_flight(self):
        stiff = PAIR.replace('springs": [{"a": 0, "b": 1, "stiffness": 50, "rest_length": 1',
                             'tethers": [{"body": 1, "stiffness": 1e5')
        self.refuse_methods(stiff, "body 1 swing more than half a period", "kinematic-average")
        self.succeed("run", "scene.json", "--ticks", 1, "--integrator", "kinematic")
        self.refuse_methods(stiff.replace("1e5", "1e17"), "more than 159154 times", "kinematic")

    def test_scenes_with_shapes(self):
        for name in self.INTEGRATORS[1:]:
            self.refuse("run", "crates:1", "--ticks", 1, "--integrator", name,
                        naming="integrator must be semi-implicit-euler in a scene with shapes")
        for name in self.ROTATIONS[1:]:
            self.refuse("run", "crates:1", "--ticks", 1, "--rotation", name,
                        naming="rotation must be cayley in a scene with shapes")


if __name__ == "__main__":
    unittest.main()
