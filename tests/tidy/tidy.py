#!/usr/bin/env python3
# Checks the style of the project: layers, forbidden functions, sizes, English, formatting.
"""usage: tidy.py [--library FILE] [--counts]

Checks the files of this checkout. --library also checks a compiled common library: no writable
data, no functions of libm. --counts prints the English of each folder. Prints one line for each
finding. Exit code 1 if there is one."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import contracts  # noqa: F401  (each module adds its rules)
import english
import form  # noqa: F401
import layers  # noqa: F401
from library import problems_in_library
from tree import RULES, Tree

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Findings that are no faults: (rule, end of the path, part of the message, reason).
EXCEPTIONS = [
    *[("libm", f"common/math/elementary.{end}", f"{name}(", "our own")
      for end in ("h", "cpp") for name in ("exp", "sin", "cos")],
    ("flatbuffers", "common/host/text/scene_json.cpp", "idl.h", "turns JSON text into bytes"),
    ("flatbuffers", "common/host/text/scene_writer.cpp", "idl.h", "turns bytes into JSON text"),
    ("file-length", "client/api/orrery.h", "lines", "programs in C include one file"),
    ("global-state", "liborrery_common.a", "kScenes", "constexpr; its pointers need the loader"),
    ("global-state", "liborrery_common.a", "flatbuffers::data<",
     "stands for no data: never written"),
]


def findings(tree):
    for name, function in RULES.items():
        for path, line, message in function(tree):
            yield name, path, line, message


def unexcused(found, rules):
    """Yields the findings that no exception excuses, and the exceptions that excuse none."""
    unused = {i for i, exception in enumerate(EXCEPTIONS) if exception[0] in rules}
    for name, path, line, message in found:
        excuses = {i for i, (r, file, text, _) in enumerate(EXCEPTIONS)
                   if r == name and path.endswith(file) and text in message}
        unused -= excuses
        if not excuses:
            yield name, path, line, message
    for i in sorted(unused):
        yield EXCEPTIONS[i][0], EXCEPTIONS[i][1], 1, "this exception in tidy.py excuses nothing"


def main(arguments):
    if arguments == ["--counts"]:
        print(*english.counts(Tree(ROOT)), sep="\n")
        return 0
    found = list(findings(Tree(ROOT)))
    rules = [*RULES]
    if arguments[:1] == ["--library"] and len(arguments) == 2:
        found += problems_in_library(arguments[1])
        rules += ["global-state", "libm-calls"]
    elif arguments:
        print(__doc__)
        return 0 if arguments == ["--help"] else 2
    left = list(unexcused(found, rules))
    for name, path, line, message in left:
        print(f"{path}:{line}: [{name}] {message}")
    print(f"tidy: {len(left)} findings by {len(rules)} rules")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
