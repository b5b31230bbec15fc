#!/usr/bin/env python3
# Tests the developer tools: errors for wrong usage, and generated files equal to the committed
# ones.
"""usage: developer_tools_test.py FOLDER_OF_PROGRAMS"""

import pathlib
import subprocess
import sys
import unittest

BINARIES = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin").resolve()
TESTS = pathlib.Path(__file__).resolve().parents[2]


class WrongUsage(unittest.TestCase):
    def refuse(self, *command, naming):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""), (command, done.stderr))
        for words in naming:
            self.assertIn(words, done.stderr)
        self.assertTrue(done.stderr.replace("\n", "").isprintable(), done.stderr)

    def test_run_fuzzer(self):
        program = TESTS / "fuzz" / "run_fuzzer"
        targets = sorted(p.stem.removeprefix("fuzz_") for p in program.parent.glob("fuzz_*.cpp"))
        usage = ["usage: tests/fuzz/run_fuzzer TARGET SECONDS", "targets: ", *targets]
        self.refuse(program, naming=usage)
        self.refuse(program, "log", naming=usage)
        self.refuse(program, "scen\x1b", "60", naming=["no target 'scen?'", *usage])
        self.refuse(program, "log", "long", naming=["SECONDS", *usage])

    def test_matrix_program(self):
        program = BINARIES / "matrix_program"
        self.refuse(program, "bogus\x1b", "10", naming=["bogus\\x1b: ", "playground"])
        self.refuse(program, "solar", naming=["usage: matrix_program "])

    def test_matrix_threads(self):
        program = BINARIES / "matrix_threads"
        self.refuse(program, naming=["usage: matrix_threads N"])
        self.refuse(program, "257", naming=["usage: matrix_threads N"])

    @unittest.skipUnless((BINARIES / "codec_table").exists(), "a build with sanitizers lacks it")
    def test_codec_table(self):
        program = BINARIES / "codec_table"
        self.refuse(program, naming=["usage: codec_table FILE..."])
        done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "usage: codec_table FILE...\n", ""))

    def test_matrix(self):
        self.refuse(TESTS / "determinism" / "matrix", "x86", naming=["x86", "--list"])


class MatrixThreads(unittest.TestCase):
    def test_requires_shared_ticks(self):
        def run(threads, scene):
            return subprocess.run([BINARIES / "matrix_threads", threads, scene, "20"],
                                  capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(run("2", "pyramid").returncode, 0)
        for threads, scene in (("1", "pyramid"), ("2", "solar")):
            refused = run(threads, scene)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("only 0 of 20 ticks were shared", refused.stderr)


class Generated(unittest.TestCase):
    def test_golden_packets(self):
        folder = TESTS / "golden" / "netcode"
        printed = subprocess.run([folder / "make_packets"], capture_output=True, text=True,
                                 timeout=60, check=True).stdout
        self.assertEqual(printed, (folder / "packets.txt").read_text())


if __name__ == "__main__":
    unittest.main()
