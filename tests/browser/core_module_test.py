#!/usr/bin/env python3
# Tests the bytes of orrery.wasm: imports, exports, stack, size, and that it has no relaxed SIMD.
"""usage: core_module_test.py MODULE"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import wasm_module

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "client/api/orrery.h"
PATH = sys.argv.pop(1)
MODULE = pathlib.Path(PATH).read_bytes()
# Functions of the header that need files, sockets or the parser of JSON.
ABSENT = {"orrery_world_from_json", "orrery_log_from_file", "orrery_client_open",
          "orrery_client_save_flight"}
# Rules 9 took 48,000: impacts, sweeps, trees; rules 10 8,000: loads; rules 11 2,400: columns, rods.
# Kept states, sums, links and comparisons took 4,400, and the scripts of the page lost as much.
# Driving, values and notices (rules 18, protocol 11) took 12,200.
# Keys, breaking joints, filters and flat falls (rules 19, protocol 12) took 17,700.
# Friction of flat falls, and kicks (rules 20, protocol 13) took 2,100.
PACKED_BYTES_MAX = 414_000
STACK_BYTES_MIN = 1 << 20


def module_of(code):
    """Returns a module with one function, whose instructions are `code`."""
    body = bytes([0]) + code + b"\x0b"
    entry = bytes([1, len(body)]) + body
    return (b"\0asm\1\0\0\0" + bytes([1, 4, 1, 0x60, 0, 0]) + bytes([3, 2, 1, 0]) +
            bytes([10, len(entry)]) + entry)


class Core(unittest.TestCase):
    def test_it_imports_nothing(self):
        self.assertEqual(wasm_module.imports(MODULE), [])

    def test_it_exports_the_functions_of_the_header(self):
        declared = set(re.findall(r"^ORRERY_API \w+ (\w+)\(", HEADER.read_text(), re.MULTILINE))
        self.assertGreater(len(declared), 40)
        self.assertLess(ABSENT, declared)
        self.assertEqual(set(wasm_module.exports(MODULE)), declared - ABSENT |
                         {"memory", "_initialize", "malloc", "free", "orrery_fault",
                          "orrery_page_set", "orrery_page_lost"})

    def test_it_exports_the_functions_that_the_page_calls(self):
        called = {name for path in (ROOT / "client/web/src").rglob("*.ts")
                  for name in re.findall(r'"(orrery_\w+)"', path.read_text())}
        self.assertGreater(len(called), 20)
        self.assertEqual(called - set(wasm_module.exports(MODULE)), set())

    def test_no_instruction_depends_on_the_machine(self):
        self.assertEqual(wasm_module.relaxed(MODULE), 0)

    def test_it_uses_two_lanes(self):
        additions = sum(op == (0xFD, 0xF0) for op in wasm_module.instructions(MODULE))  # f64x2.add
        self.assertGreater(additions, 100)

    def test_relaxed_instructions_are_seen(self):
        add = b"\xfd\xe4\x01"  # f32x4.add
        relaxed_madd = b"\xfd\x85\x02"
        # the operand of a constant: these bytes are not instructions
        constant = b"\xfd\x0c" + relaxed_madd * 5 + b"\0"
        self.assertEqual(wasm_module.relaxed(module_of(constant + add)), 0)
        self.assertEqual(wasm_module.relaxed(module_of(constant + relaxed_madd + add)), 1)

    def test_unknown_instructions_are_refused(self):
        with self.assertRaises(wasm_module.Damaged):
            wasm_module.relaxed(module_of(b"\xff"))

    def test_an_overflow_of_the_stack_traps(self):
        size, data = wasm_module.stack(MODULE)
        self.assertGreaterEqual(size, STACK_BYTES_MIN)
        self.assertGreaterEqual(data, size)  # below the stack is the end of the memory

    @unittest.skipUnless(shutil.which("zopfli"), "zopfli is missing")
    def test_it_is_small(self):
        packed = subprocess.run(["zopfli", "-c", PATH], capture_output=True, check=True).stdout
        self.assertLessEqual(len(packed), PACKED_BYTES_MAX)


unittest.main()
