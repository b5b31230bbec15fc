# Writes copies of sources with planted bugs.
"""usage: bugs.py OUT SOURCE...     write copies of the sources with bugs, and a header of names
       bugs.py --absent FILE...  fail if a program contains planted bugs

A bug replaces a piece of a source by another text. In a copy, PLANTED(name) is true if the
program was started with the bug of that name. Without a bug the copies do the same as the sources.
Each piece must occur exactly once. If it does not, the source has changed: adapt the bug.
The sources must be exactly those that have bugs: the build compiles no other copies."""

import pathlib
import re
import sys

# The variable with the active bug, as it appears in mangled names: orrery::planted::bug.
SWITCH = b"7planted3bugE"

ROOT = pathlib.Path(__file__).resolve().parents[3]


def planted_sources(bugs):
    """Returns {path: text with the bugs}."""
    sources = {}
    for name, path, text, instead in bugs:
        source = sources.get(path) or (ROOT / path).read_text()
        if source.count(text) != 1:
            sys.exit(f"bugs.py: {name}: its text is not once in {path}: {text}")
        sources[path] = source.replace(text, instead)
    return sources


def header(bugs):
    names = list(dict.fromkeys(bug[0] for bug in bugs))
    return "\n".join([
        "// Lists the planted bugs and declares the active one.",
        "#pragma once", "", "namespace orrery::planted {", "",
        "enum Bug : int {", "  none,", *(f"  {name}," for name in names), "};",
        "inline constexpr const char* kBugNames[] = {",
        '  "none",', *(f'  "{name}",' for name in names), "};",
        "// The active bug.", "extern Bug bug;", "", "}  // namespace orrery::planted", ""])


def main(bugs, arguments):
    """Runs the command line of a list of bugs: (name, source file, original text, text with the
    bug). Bugs of several pieces have several entries. Returns the exit code."""
    if arguments[:1] == ["--absent"]:
        return int(any(SWITCH in pathlib.Path(name).read_bytes() for name in arguments[1:]))
    if not arguments or arguments == ["--help"]:
        print(__doc__)
        return 0 if arguments else 2
    out = pathlib.Path(arguments[0])
    different = {path for _, path, _, _ in bugs} ^ set(arguments[1:])
    if different:
        sys.exit(f"bugs.py: only one of BUGS and the sources given has {', '.join(different)}")
    switch = r"(::orrery::planted::bug == ::orrery::planted::\1)"
    files = {path: re.sub(r"PLANTED\((\w+)\)", switch, text)
             for path, text in planted_sources(bugs).items()}
    files["planted_bugs.h"] = header(bugs)
    for path, text in files.items():
        file = out / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
    return 0
