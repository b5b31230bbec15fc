#!/usr/bin/env python3
# Owns the proof that tidy can fail: every rule fires on a bad snippet, none on a good one.
import pathlib
import subprocess
import tempfile
import unittest

import cpp
import tidy

GOOD = {
    "common/core/ids.h": "// Owns ids.\n#pragma once\n\nstruct Id {};\n",
    "common/core/ids.cpp": '// Owns ids.\n#include "common/core/ids.h"\n\nint f() { return 1; }\n',
    "README.md": "```sh\nserver/demo --seconds 3\nbuild/bin/orrery run solar --ticks 9\n```\n",
    "server/demo": "#!/usr/bin/env bash\n# Owns the tour.\n",
    "client/cli/verbs/run.cpp": "// Owns run.\n",
    "CMakeLists.txt": "add_executable(orrery main.cpp)\n",
    ".clang-format": "BasedOnStyle: Google\n",
}
OWNS = "// Owns a thing.\n"
LONG = "void f() {\n" + "  g();\n" * 70 + "}\n"

# (rule that must fire, file, its text)
BAD = [
    ("layers", "common/core/a.h", OWNS + '#include "common/world/world.h"\n'),
    ("layers", "common/net/a.h", OWNS + '#include "common/session/log.h"\n'),
    ("layers", "server/a.cpp", OWNS + '#include "client/lib/frame.h"\n'),
    ("layers", "server/a.cpp", OWNS + '#include "common/physics/body/bodies.h"\n'),
    ("layers", "client/lib/a.cpp", OWNS + '#include "server/peers.h"\n'),
    ("cycles", "common/core/a.h", OWNS + '#include "common/core/a.h"\n'),
    ("banned-includes", "common/net/a.cpp", OWNS + "#include <chrono>\n"),
    ("banned-includes", "common/world/a.cpp", OWNS + "#include <unordered_map>\n"),
    ("libm", "common/math/a.cpp", OWNS + "double f(double x) { return std::sin(x); }\n"),
    ("libm", "common/math/a.cpp", OWNS + "double f(double x) { return powf(x, 2); }\n"),
    ("libm", "common/math/a.cpp", OWNS + "auto f(V x) { return hn::MulAdd(x, x, x); }\n"),
    ("banned-words", "common/codec/a.cpp", OWNS + "void f() { throw 1; }\n"),
    ("banned-words", "common/codec/a.cpp", OWNS + "auto f() { return time(nullptr); }\n"),
    ("flatbuffers", "server/a.cpp", OWNS + "#include <flatbuffers/flatbuffers.h>\n"),
    ("flatbuffers", "common/net/a.cpp", OWNS + '#include "schema/log_generated.h"\n'),
    ("function-length", "server/a.cpp", OWNS + LONG),
    ("function-length", "client/lib/a.h",
     OWNS + "class A {\n A() : b_{1} {\n" + "g();\n" * 70 + "}};\n"),
    ("function-length", "tests/a.py", "# Owns a.\ndef f():\n" + "    g()\n" * 70),
    ("file-length", "server/a.cpp", OWNS + "int x;\n" * 500),
    ("line-length", "server/a.cpp", OWNS + "//" + "-" * 99 + "\n"),
    ("first-line", "server/a.cpp", "// A thing.\n"),
    ("first-line", "tests/a.py", "#!/usr/bin/env python3\nimport os\n"),
    ("unfinished", "server/a.cpp", OWNS + "// TO" "DO: all of it\n"),
    ("whitespace", "server/a.cpp", OWNS + "int x; \n"),
    ("whitespace", "schema/a.fbs", "// Without an end"),
    ("assertions", "common/core/a.cpp", OWNS + "int f() {\n" + "  g();\n" * 8 + "}\n"),
    ("fast-math", "CMakeLists.txt", "add_compile_options(-ff" "ast-math)\n"),
    ("top-level", "notes/a.md", "Notes.\n"),
    ("unused-headers", "client/lib/a.h", OWNS),
    ("readme-commands", "README.md", "```sh\ntests/no_such_thing --all\n```\n"),
    ("readme-commands", "README.md", "```sh\nbuild/bin/orreryx\n```\n"),
    ("readme-commands", "README.md", "```sh\nbuild/bin/orrery fly\n```\n"),
    ("formatting", "server/a.cpp", OWNS + "int  f( ){return 1;}\n"),
]

# What looks like a fault and is none.
HARMLESS = [
    ("common/core/a.cpp", OWNS + "// throw nothing; std::sin(x) is not called\n"),
    ("common/core/a.cpp", OWNS + 'const char* f() { return "try sin(x) catch"; }\n'),
    ("common/core/a.cpp", OWNS + "double f(double x) { return elementary::exp(x); }\n"),
    ("common/host/a.cpp", OWNS + "#include <chrono>\n"),
    ("common/codec/a.cpp", OWNS + "#include <flatbuffers/flatbuffers.h>\n"),
    ("client/lib/a.cpp", OWNS + '#include "common/world/command.h"\n'),
]


def fired(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return {name for name, *_ in tidy.findings(tidy.Tree(folder))}


class TidyTest(unittest.TestCase):
    def test_finds_nothing_in_a_good_tree(self):
        self.assertEqual(fired(GOOD), set())

    def test_every_rule_fires(self):
        for rule, name, text in BAD:
            with self.subTest(rule=rule, text=text[-60:]):
                self.assertIn(rule, fired({**GOOD, name: text}))

    def test_every_rule_has_a_bad_snippet(self):
        self.assertEqual({rule for rule, *_ in BAD}, set(tidy.RULES))

    def test_lets_harmless_things_pass(self):
        for name, text in HARMLESS:
            with self.subTest(text=text):
                self.assertEqual(fired({**GOOD, name: text}), set())

    def test_an_exception_excuses_only_its_own_finding_and_must_be_used(self):
        found = [("libm", "x.h", 1, "exp(")]
        for name in ("exp", "sin", "cos"):
            found.append(("libm", "common/math/elementary.h", 1, f"{name}( libm"))
        left = {(name, path) for name, path, *_ in tidy.unexcused(found, ["libm"])}
        self.assertIn(("libm", "x.h"), left)
        self.assertNotIn(("libm", "common/math/elementary.h"), left)
        self.assertIn(("libm", "common/math/elementary.cpp"), left)  # excuses nothing here

    def test_sees_state_and_libm_in_a_library(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "a.cpp"
            source.write_text('#include <cmath>\nint counter;\nconst char* const kName = "a";\n'
                              "double f(double x) { return std::sin(x) + kName[counter++]; }\n")
            subprocess.run(["g++", "-O2", "-c", source, "-o", folder + "/a.o"], check=True)
            found = {(name, message) for name, _, _, message in
                     tidy.problems_in_library(folder + "/a.o")}
        self.assertEqual(found, {("global-state", "writable data: counter"),
                                 ("libm-calls", "calls sin of libm")})

    def test_counts_functions(self):
        text = ("namespace a {\nstruct B {\n  int f() const {\n    return 1;\n  }\n};\n}\n"
                "int g() { return 2; }\n")
        self.assertEqual(cpp.functions(text), [(3, 3), (8, 1)])


if __name__ == "__main__":
    unittest.main()
