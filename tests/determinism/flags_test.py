#!/usr/bin/env python3
# Tests the compiler flags of the matrix and of the build. No compiler may vectorise straight-line
# code or fuse a multiplication and an addition. A flag in the wrong place must be detected.
"""usage: flags_test.py BUILD_FOLDER"""
import importlib.machinery
import importlib.util
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import unittest

from flags import DECIDES, SLP_OFF, vectorizes_slp
from rows import ROWS

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build")


def load_matrix():
    loader = importlib.machinery.SourceFileLoader("matrix", str(HERE / "matrix"))
    spec = importlib.util.spec_from_loader("matrix", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def contracts(words):
    """Returns True if a compiler with these flags may fuse a multiplication and an addition."""
    last = [word for word in words if word.startswith("-ffp-contract=")][-1:]
    return last != ["-ffp-contract=off"] or "-ffast-math" in words


def commands_of_the_module():
    """Returns the different commands that compile sources for orrery.wasm, without the files."""
    done = subprocess.run(["ninja", "-C", BUILD, "-t", "compdb", "CUSTOM_COMMAND"],
                          capture_output=True, text=True, check=True)
    found = set()
    for entry in json.loads(done.stdout):
        for part in entry["command"].split(" && "):
            words = part.split()
            if "--target=wasm32-wasi" in words and "-c" in words:
                first = next(i for i, word in enumerate(words) if word.endswith("clang++-14"))
                found.add((words[first], *(w for w in words[first:] if w.startswith(DECIDES))))
    return [list(command) for command in sorted(found)]


class Flags(unittest.TestCase):
    def test_contraction_is_off_in_every_command_of_the_build(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        self.assertEqual([entry["file"] for entry in commands
                          if contracts(entry["command"].split())], [])

    def test_contraction_is_off_in_the_rows_without_a_fault(self):
        matrix = load_matrix()
        for row in (row for row in ROWS if row.compiler):
            self.assertEqual(contracts(matrix.compiler(row)),
                             "-ffp-contract=off" in row.dropped or "-ffast-math" in row.flags,
                             row.name)

    def test_contraction_is_seen_where_it_is_not_off(self):
        self.assertTrue(contracts(["g++", "-O2"]))
        self.assertTrue(contracts(["g++", "-ffp-contract=off", "-ffp-contract=fast"]))
        self.assertFalse(contracts(["g++", "-ffp-contract=fast", "-ffp-contract=off"]))

    def test_each_compiler_sees_the_flag_after_the_level(self):
        for compiler in ("g++", "clang++"):
            for level in ("-O2", "-O3"):
                self.assertTrue(vectorizes_slp([compiler, level]), (compiler, level))
                self.assertFalse(vectorizes_slp([compiler, level, SLP_OFF]), (compiler, level))

    def test_clang_forgets_the_flag_before_the_level(self):
        for level in ("-O2", "-O3"):
            self.assertTrue(vectorizes_slp(["clang++", SLP_OFF, level]), level)

    def test_rows_have_the_flag_unless_they_drop_it(self):
        matrix = load_matrix()
        missing = set()
        for row in (row for row in ROWS if row.compiler):
            if not shutil.which(row.compiler[0]):
                missing.add(row.compiler[0])
                continue
            with self.subTest(row=row.name):
                matrix.check_flags(matrix.compiler(row), SLP_OFF in row.dropped)
        if missing:  # the matrix checks their flags before it builds with them
            print("not installed, so not asked:", *sorted(missing), file=sys.stderr)

    def test_the_matrix_refuses_a_row_with_the_flag_before_the_level(self):
        matrix = load_matrix()
        row = next(row for row in ROWS if row.name == "clang-O3")
        matrix.check_flags([*row.compiler, *row.flags, *matrix.COMMON_FLAGS], False)
        with self.assertRaises(matrix.Failure):
            matrix.check_flags([*row.compiler, *matrix.COMMON_FLAGS, *row.flags], False)

    def test_the_build_has_the_flag_with_either_compiler(self):
        commands = {tuple(word for word in entry["command"].split() if word.startswith(DECIDES))
                    for entry in json.loads((BUILD / "compile_commands.json").read_text())}
        self.assertTrue(commands)
        for flags in commands:
            for compiler in ("g++", "clang++"):
                self.assertFalse(vectorizes_slp([compiler, *flags]), (compiler, flags))

    def test_every_command_of_the_build_is_hardened(self):
        for entry in json.loads((BUILD / "compile_commands.json").read_text()):
            words = entry["command"].split()
            wanted = {"-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"}
            if platform.machine() == "x86_64":
                wanted.add("-fcf-protection")
            if not re.search(r"/common/(math|integrate|physics|world)/", entry["file"]):
                wanted.add("-D_GLIBCXX_ASSERTIONS")
            self.assertLessEqual(wanted, set(words), entry["file"])
            optimised = [word for word in words if word.startswith("-O")][-1] != "-O0"
            self.assertEqual("-U_FORTIFY_SOURCE" in words, not optimised, entry["file"])

    def test_programs_are_hardened(self):
        for name in ("orreryd", "orrery"):
            said = subprocess.run(["readelf", "--wide", "-h", "-l", "-d", "--dyn-syms",
                                   BUILD / "bin" / name], capture_output=True, text=True,
                                  check=True).stdout
            self.assertRegex(said, r"Type: +DYN")  # position-independent
            for part in ("GNU_RELRO", "BIND_NOW", "__stack_chk_fail", "_chk@GLIBC"):
                self.assertIn(part, said, name)

    def test_the_module_of_the_page_has_both_flags(self):
        commands = commands_of_the_module()
        if not commands:
            self.skipTest("the compiler for WebAssembly is not installed")
        for command in commands:
            self.assertFalse(vectorizes_slp(command), command)
            self.assertFalse(contracts(command), command)
        self.assertTrue(vectorizes_slp([*commands[0], "-O2"]))  # after the flag


unittest.main()
