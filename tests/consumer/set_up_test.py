#!/usr/bin/env python3
# Tests the set-up of a machine: server/demo and tests/run share one build, also through a link.
"""usage: set_up_test.py"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRIPTS = ("server/demo", "tests/run")
# The packages of the programs that tests look for. None: every Debian 12 has it.
PROGRAMS = {"apt-get": None, "cc": "g++", "clang": "clang", "clang-format": "clang-format",
            "debootstrap": "debootstrap", "gcc": "g++", "gnuplot": "gnuplot-nox", "ip": "iproute2",
            "mount": None, "node": "nodejs", "nsenter": None, "openssl": None,
            "systemd-analyze": "systemd", "unshare": None, "zopfli": "zopfli"}
# Their packages start a server, so nobody but you installs them.
BY_HAND = {"nginx"}


def configured(script, folder):
    """Configures a new build folder as the script does. Returns the compile commands by object."""
    options = re.search(r"\bconfigure (-[^;\n]+)", (ROOT / script).read_text())[1]
    subprocess.run(["bash", "-euc", f"root={ROOT}; cd $root; . tests/support/setup.sh; "
                    f"configure -B {folder} {options}"], check=True, timeout=240)
    commands = json.loads((folder / "compile_commands.json").read_text())
    found = {}
    for entry in commands:
        command = entry["command"].replace(str(folder), "BUILD")
        found[re.search(r" -o (\S+)", command)[1]] = command
    return found


class SetUp(unittest.TestCase):
    def test_one_build_serves_both_scripts(self):
        with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
            demo, tests = (configured(script, pathlib.Path(name) / script.replace("/", "-"))
                           for script in SCRIPTS)
        self.assertGreater(len(demo), 50)
        self.assertLess(set(demo), set(tests))
        self.assertEqual([name for name in demo if demo[name] != tests[name]], [])

    def test_the_scripts_work_in_the_real_folder(self):
        with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
            link = pathlib.Path(name) / "link"
            link.symlink_to(ROOT)
            for script in (*SCRIPTS, ".ci/run"):
                traced = subprocess.run(["bash", "-nv", link / script], capture_output=True,
                                        text=True, check=True).stderr
                line = next(line for line in traced.splitlines() if line.startswith("root="))
                line = line.replace("${BASH_SOURCE[0]}", str(link / script))
                said = subprocess.run(["bash", "-c", line + "; cd \"$root\"; echo $root $PWD"],
                                      capture_output=True, text=True, check=True, cwd=link,
                                      env={**os.environ, "PWD": str(link)}).stdout
                self.assertEqual(said.split(), [str(ROOT)] * 2, script)

    def test_tests_are_found_through_a_link(self):
        with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
            link = pathlib.Path(name) / "link"
            link.symlink_to(ROOT)
            subprocess.run([sys.executable, link / "tests/support/batches.py", f"{name}/out", "8",
                            link / "tests/unit/cli/camera_test.cpp"], check=True)
            self.assertIn('"tests/unit/cli/camera_test.cpp"',
                          pathlib.Path(f"{name}/out/batch_0.cpp").read_text())

    def test_programs_of_tests_are_installed(self):
        """A test that is skipped without a program would be skipped on every new machine."""
        setup = (ROOT / "tests/support/setup.sh").read_text()
        listed = set(re.sub(r"#.*", "", setup).split())
        looked_for = set()
        for path in (ROOT / "tests").rglob("*.py"):
            for words in re.findall(r"shutil\.which[(,]\s*\(?(\"[^)]*)\)", path.read_text()):
                looked_for.update(re.findall(r'"([^"]+)"', words))
        self.assertIn("ip", looked_for)
        self.assertEqual(looked_for - BY_HAND - set(PROGRAMS), set())
        needed = {PROGRAMS[name] for name in looked_for - BY_HAND} - {None}
        self.assertEqual(needed - listed, set())

    def test_an_old_libsodium_or_beast_is_refused(self):
        with tempfile.TemporaryDirectory(prefix="orrery-test-") as name:
            folder = pathlib.Path(name)
            (folder / "libsodium.pc").write_text(
                "Name: libsodium\nDescription: old\nVersion: 1.0.17\nLibs: -lsodium\n")
            boost = folder / "boost-1.80"
            boost.mkdir()
            (boost / "BoostConfig.cmake").write_text("set(Boost_FOUND TRUE)\n")
            (boost / "BoostConfigVersion.cmake").write_text('set(PACKAGE_VERSION "1.80.0")\n')
            for number, (settings, options, said) in enumerate((
                    ({"PKG_CONFIG_PATH": name}, [], "libsodium>=1.0.18"),
                    ({}, [f"-DBoost_DIR={boost}", "-DBoost_NO_SYSTEM_PATHS=ON"], "1.81"))):
                done = subprocess.run(["cmake", "-S", ROOT, "-B", folder / str(number),
                                       "-DORRERY_TESTS=OFF", *options], text=True, check=False,
                                      capture_output=True, env={**os.environ, **settings})
                self.assertNotEqual(done.returncode, 0, done)
                self.assertIn(said, done.stdout + done.stderr)

    def test_the_list_of_components_has_what_the_lock_file_has(self):
        said = subprocess.run([ROOT / ".ci" / "sbom"], capture_output=True, check=True).stdout
        parts = {(part["name"], part["version"]): part for part in json.loads(said)["components"]}
        lock = json.loads((ROOT / "client" / "web" / "package-lock.json").read_text())
        for path, package in list(lock["packages"].items())[1:]:
            part = parts[path.rpartition("node_modules/")[2], package["version"]]
            self.assertEqual(part["scope"], "excluded" if package.get("dev") else "required")
            self.assertEqual(len(part["hashes"][0]["content"]), 128)
        names = {name for name, _ in parts}
        self.assertLessEqual({"three", "uplot", "libsodium-dev", "libboost1.81-dev"}, names)


if __name__ == "__main__":
    unittest.main()
