#!/usr/bin/env python3
# Proves that tidy can fail: every rule reports its bad snippets. No rule reports anything in a good
# tree.
import pathlib
import subprocess
import tempfile
import unittest
import unittest.mock

import contracts
import cpp
import english
import form
import tidy

GOOD = {
    "common/core/ids.h": "// Ids.\n#pragma once\n\n// A number.\nstruct Id {};\n",
    "common/core/ids.cpp": '// Ids.\n#include "common/core/ids.h"\n\nint f() { return 1; }\n',
    "README.md": "```sh\nserver/demo --seconds 3\nbuild/bin/orrery run solar --ticks 9\n```\n",
    "server/demo": "#!/usr/bin/env bash\n# Shows a tour.\n",
    "client/cli/verbs/run.cpp": "// Runs.\n",
    "tests/unit/core/ids_test.cpp": "// Tests ids.\n",
    "tests/unit/core/a_test.cpp": "// Tests a.\n",
    "CMakeLists.txt": "add_executable(orrery main.cpp)\n",
    ".clang-format": "BasedOnStyle: Google\n",
}
FIRST = "// A thing.\n"
OPENERS = "// Of these there is one.\n\nint a;\n\n" * 3
PRIVATE = "// It tells the other whose turn it is.\n\nint a;\n\n" * 3
LONG_SENTENCE = ("// " + " ".join(["word"] * 13) + "\n") * 2
MANY = "".join(f"  int a{i};\n" for i in range(36))
LONG = "void f() {\n" + "  g();\n" * 70 + "}\n"

# Each entry has the rule that must fire, the name of a file, and its text.
BAD = [
    ("layers", "common/core/a.h", FIRST + '#include "common/world/world.h"\n'),
    ("layers", "common/net/a.h", FIRST + '#include "common/session/log.h"\n'),
    ("layers", "server/a.cpp", FIRST + '#include "client/lib/frames/body_interpolator.h"\n'),
    ("layers", "server/a.cpp", FIRST + '#include "common/physics/bodies.h"\n'),
    ("layers", "client/lib/a.cpp", FIRST + '#include "server/peers.h"\n'),
    ("layers", "client/lab/a.cpp", FIRST + '#include "common/world/world.h"\n'),
    ("layers", "client/new/a.cpp", FIRST),
    ("rooms", "common/physics/body/a.h", FIRST + '#include "common/physics/joints/joints.h"\n'),
    ("rooms", "common/physics/a.h", FIRST),
    ("names-of-layers", "server/a.cpp", FIRST + "physics::Bodies f();\n"),
    ("folder-size", [f"server/a{i}.cpp" for i in range(26)], FIRST),
    ("english", "server/a.cpp", FIRST + OPENERS),
    ("english", "server/a.cpp", FIRST + PRIVATE),
    ("english", "server/a.cpp", FIRST + (LONG_SENTENCE + "\nint a;\n\n") * 3),
    ("english", "server/a.py", "# A.\n" + (LONG_SENTENCE.replace("//", "#") + "\na = 1\n\n") * 3),
    ("english", "client/page.md", (LONG_SENTENCE.replace("// ", "") + "\n") * 3),
    ("english", "server/a.cpp",
     FIRST + 'const char* a[] = {"Take what is left, or stand alone and go on"};\n'),
    ("page-columns", "client/page.md", "word " * 21 + "\n"),
    ("documented", "common/net/a.h", FIRST + "struct A {\n  int b();\n};\n"),
    ("documented", "common/net/a.h", FIRST + "\nint f();\n"),
    ("tested", "common/net/b.cpp", FIRST),
    ("cycles", "common/core/a.h", FIRST + '#include "common/core/a.h"\n'),
    ("cycles", "client/web/src/a.ts", FIRST + 'import { a, type B } from "../src/a";\n'),
    ("banned-includes", "common/net/a.cpp", FIRST + "#include <chrono>\n"),
    ("banned-includes", "common/world/a.cpp", FIRST + "#include <unordered_map>\n"),
    ("libm", "common/math/a.cpp", FIRST + "double f(double x) { return std::sin(x); }\n"),
    ("libm", "common/math/a.cpp", FIRST + "double f(double x) { return powf(x, 2); }\n"),
    ("libm", "common/math/a.cpp", FIRST + "auto f(V x) { return hn::MulAdd(x, x, x); }\n"),
    ("banned-words", "common/codec/a.cpp", FIRST + "void f() { throw 1; }\n"),
    ("banned-words", "common/codec/a.cpp", FIRST + "auto f() { return time(nullptr); }\n"),
    ("flatbuffers", "server/a.cpp", FIRST + "#include <flatbuffers/flatbuffers.h>\n"),
    ("flatbuffers", "common/net/a.cpp", FIRST + '#include "schema/log_generated.h"\n'),
    ("function-length", "server/a.cpp", FIRST + LONG),
    ("function-length", "client/lib/a.h",
     FIRST + "class A {\n A() : b_{1} {\n" + "g();\n" * 70 + "}};\n"),
    ("function-length", "tests/a.py", "# A.\ndef f():\n" + "    g()\n" * 70),
    ("file-length", "server/a.cpp", FIRST + "int x;\n" * 400),
    ("file-length", "client/web/src/a.ts", FIRST + "let x;\n" * 400),
    ("class-size", "server/a.h",
     FIRST + "class A {\n public:\n  int b() const;\n\n private:\n" + MANY + "};\n"),
    ("line-length", "server/a.cpp", FIRST + "//" + "-" * 99 + "\n"),
    ("first-line", "server/a.cpp", "// Owns a thing.\n"),
    ("first-line", "server/a.cpp", "int x;\n"),
    ("first-line", "tests/a.py", "#!/usr/bin/env python3\nimport os\n"),
    ("unfinished", "server/a.cpp", FIRST + "// TO" "DO: all of it\n"),
    ("whitespace", "server/a.cpp", FIRST + "int x; \n"),
    ("whitespace", "schema/a.fbs", "// Without an end"),
    ("assertions", "common/core/a.cpp", FIRST + "int f() {\n" + "  g();\n" * 8 + "}\n"),
    ("pinned-actions", ".github/workflows/a.yml", "- uses: actions/checkout@v4\n"),
    ("fast-math", "CMakeLists.txt", "add_compile_options(-ff" "ast-math)\n"),
    ("top-level", "notes/a.md", "Notes.\n"),
    ("unused-headers", "client/lib/a.h", FIRST),
    ("readme-commands", "README.md", "```sh\ntests/no_such_thing --all\n```\n"),
    ("readme-commands", "README.md", "```sh\nbuild/bin/orreryx\n```\n"),
    ("readme-commands", "README.md", "```sh\nbuild/bin/orrery fly\n```\n"),
    ("formatting", "server/a.cpp", FIRST + "int  f( ){return 1;}\n"),
]

# Files that look wrong and are right.
HARMLESS = [
    ("common/core/a.cpp", FIRST + "// throw nothing; std::sin(x) is not called\n"),
    ("common/core/a.cpp", FIRST + 'const char* f() { return "try sin(x) catch"; }\n'),
    ("common/core/a.cpp", FIRST + "double f(double x) { return elementary::exp(x); }\n"),
    ("common/host/a.cpp", FIRST + "#include <chrono>\n"),
    ("common/codec/a.cpp", FIRST + "#include <flatbuffers/flatbuffers.h>\n"),
    ("client/lib/a.cpp", FIRST + '#include "common/world/command.h"\n'),
    ("client/web/src/a.ts", FIRST + 'import type { A } from "./a";\n'),
    ("server/a.cpp", FIRST + "struct A {\n" + MANY + "};\n"),  # without a function
    ("server/a.cpp", FIRST + "struct A {\n  int b();\n  struct C {\n" +
     MANY.replace("  int", "    int") + "  };\n};\n"),
]


def fired(files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return {name for name, *_ in tidy.findings(tidy.Tree(folder))}


class TidyTest(unittest.TestCase):
    def setUp(self):
        for table in (english.BEHIND, contracts.UNTESTED_MAX, form.LARGER):
            self.enterContext(unittest.mock.patch.dict(table, clear=True))

    def test_finds_nothing_in_a_good_tree(self):
        self.assertEqual(fired(GOOD), set())

    def test_every_rule_fires(self):
        for rule, name, text in BAD:
            with self.subTest(rule=rule, text=text[-60:]):
                names = name if isinstance(name, list) else [name]
                self.assertIn(rule, fired({**GOOD, **dict.fromkeys(names, text)}))

    def test_every_rule_has_a_bad_snippet(self):
        self.assertEqual({rule for rule, *_ in BAD}, set(tidy.RULES))

    def test_lets_harmless_things_pass(self):
        for name, text in HARMLESS:
            with self.subTest(text=text):
                self.assertEqual(fired({**GOOD, name: text}), set())

    def test_folders_behind_the_aims_may_only_get_better(self):
        three = {**GOOD, "server/a.cpp": "// A thing.\n\n" + OPENERS.rstrip() + "\n"}
        for entry, wanted in ((3, set()), (4, {"english"}), (2, {"english"})):
            with unittest.mock.patch.dict(english.BEHIND,
                                          {("server", "comments", "openers"): entry}):
                self.assertEqual(fired(three), wanted, entry)

    def test_layers_with_untested_sources_may_only_get_better(self):
        one = {**GOOD, "common/net/b.cpp": FIRST}
        for entry, wanted in ((1, set()), (2, {"tested"}), (0, {"tested"})):
            with unittest.mock.patch.dict(contracts.UNTESTED_MAX, {"common/net": entry}):
                self.assertEqual(fired(one), wanted, entry)

    def test_finds_the_declarations_of_a_header(self):
        text = ("namespace a {\nstruct B {\n  B();\n  int c() const { return d(); }\n  int e{2};\n"
                "};\n"
                "template <class T>\nT f(T x);\nclass G {\n  int h();\n public:\n  int i();\n};\n"
                "namespace {\nint j();\n}\n}\n")
        self.assertEqual([(line, name) for line, _, name in contracts.declarations(text)],
                         [(2, "B"), (4, "c"), (7, "f"), (9, "G"), (12, "i")])

    def test_counts_the_members_and_functions_of_a_class(self):
        text = ("class A : public B {\n public:\n  A();\n  A(const A&) = delete;\n"
                "  explicit A(int b) : b_{b} { f(); }\n"
                "  template <class T>\n  bool operator<(const T& other) const { return b_ < 1; }\n"
                "  struct C {\n    int d, e;\n  };\n  using F = int;\n\n private:\n"
                "  int b_{1};\n  std::map<int, int> g_, h_;\n  std::function<void(int)> i_ = j();\n"
                "};\n")
        self.assertEqual(list(cpp.classes(text)), [(8, "C", 2, 0), (1, "A", 4, 3)])

    def test_large_classes_may_only_get_smaller(self):
        large = {**GOOD, "server/a.cpp": FIRST + "struct A {\n  void f();\n" + MANY + "};\n"}
        for entry, wanted in ((37, set()), (38, {"class-size"}), (36, {"class-size"})):
            with unittest.mock.patch.dict(form.LARGER, {("server/a.cpp", "A"): entry}):
                self.assertEqual(fired(large), wanted, entry)

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
