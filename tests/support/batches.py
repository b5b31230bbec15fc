#!/usr/bin/env python3
# Groups sources into batches that can be compiled as one translation unit.
"""usage: batches.py OUT MOST TEST...   writes OUT/batch_N.cpp, each including at most MOST tests

A batch is one translation unit. Its headers and templates are compiled once for all its files,
which halves the build time of a row of the determinism matrix, and of tests.

Tests have many private names in common. So a batch of tests first includes the headers of all its
tests. Then it gives a private name that another of its tests has too another name for one test."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Match names defined or declared at namespace scope, which our code never indents. The names of the
# bases of a type are not its own.
NAMED = re.compile(r"^(?!static_assert|template|return|using namespace|namespace|TEST|INSTANTIATE|"
                   r"struct|class|enum)[A-Za-z].*?(\w+) ?(?:[(={;\[]|$)", re.MULTILINE)
TYPE = re.compile(r"^(?:struct|class|enum(?: class)?) (?:alignas\(\w+\) |\[\[\w+\]\] )?(\w+)",
                  re.MULTILINE)
LOCAL_CONSTANT = re.compile(r"^ +(?:static )?constexpr .*?\b(k[A-Z]\w*)", re.MULTILINE)
INCLUDED = re.compile(r'^#include "(tests/.*)"', re.MULTILINE)
INCLUDE = re.compile(r"^#include .*", re.MULTILINE)
CONDITIONAL = re.compile(r"^#if.*?^#endif", re.MULTILINE | re.DOTALL)
USING = re.compile(r"^using ([\w:]+)::(\w+);$", re.MULTILINE)
CASE = re.compile(r"^(?:TEST|INSTANTIATE_TEST|TYPED_TEST)\w*\([^)]*", re.MULTILINE)
UNNAMED_NAMESPACE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)


def names_in(text):
    """Returns the names that a text defines or declares at namespace scope."""
    return {*NAMED.findall(text), *TYPE.findall(text)}


def own_names(text):
    """Returns the names in the unnamed namespaces of a source."""
    return names_in("\n".join(UNNAMED_NAMESPACE.findall(text)))


def batches(sources, headers):
    """Returns the texts of batches of sources. The first batch has all sources but those that
    Highway includes several times. A private name gets another name if a header or another source
    has it too. If that is impossible, the source has its own batch."""
    taken = {name for header in headers for name in names_in(header.read_text())}
    together = []
    alone = []
    for number, source in enumerate(sources):
        text = source.read_text()
        names = own_names(text)
        renamed = names & taken
        public = names_in(UNNAMED_NAMESPACE.sub("", text))
        if "foreach_target" in text or not renamed <= free_names(text) - public:
            alone.append(renamed_source(source, text, [], number))
        else:
            taken |= names
            together.extend(renamed_source(source, text, sorted(renamed), number))
    return ["\n".join(lines) + "\n" for lines in [together, *alone]]


def renamed_source(source, text, renamed, suffix):
    """Returns the lines that include a source with other names for some of its private names. The
    headers come first, so that their names stay."""
    headers = INCLUDE.findall(CONDITIONAL.sub("", text)) if renamed else []
    return [*headers, *(f"#define {name} {name}_{suffix}" for name in renamed),
            f'#include "{source}"', *(f"#undef {name}" for name in renamed)]


def headers_of(text):
    """Returns the tests' headers that a source includes, directly or not."""
    found = set()
    new = set(INCLUDED.findall(text))
    while new:
        found |= new
        new = {header for known in new
               for header in INCLUDED.findall((ROOT / known).read_text())} - found
    return found


def free_names(text):
    """Returns the private names of a test that can get other names: those that are no part of the
    name of a test, and that are not also names of members, of a base or of a namespace."""
    cases = set(re.findall(r"\w+", " ".join(CASE.findall(text))))
    spaces = set(re.findall(r"\b(\w+)::", text)) - set(TYPE.findall(text))
    return {name for name in own_names(text) - cases - spaces
            if not re.search(rf"(\.|->|:)\s*{name}\b", text)}


def meanings(text):
    """Returns {name: its meaning} of a test: names of the tests' headers that it includes, local
    constants, and private names. Two tests may share a name if it means the same to both: the
    header or the using-declaration that it comes from, or only local constants."""
    headers = {name: header for header in sorted(headers_of(text))
               for name in names_in((ROOT / header).read_text())}
    found = dict(headers)
    found.update(dict.fromkeys(LOCAL_CONSTANT.findall(text), "local"))
    found.update(dict.fromkeys(own_names(text), text))
    for space, name in USING.findall(text):
        found[name] = headers.get(name, space) if space == "test" else space
    return found


def text_of_batch(tests):
    """Returns the text of a batch of tests."""
    texts = [(ROOT / test).read_text() for test in tests]
    lines = list(dict.fromkeys(line for text in texts
                               for line in INCLUDE.findall(CONDITIONAL.sub("", text))))
    for i, (test, text) in enumerate(zip(tests, texts)):
        others = set().union(*(meanings(other) for other in texts if other is not text))
        renamed = sorted(free_names(text) & others)
        lines += renamed_source(test, "", renamed, i)
    return "\n".join(lines) + "\n"


def batches_of_tests(tests, most):
    """Returns lists of at most `most` tests of one folder whose names do not clash."""
    found = []  # (folder, meanings, tests)
    for test in tests:
        text = (ROOT / test).read_text()
        free = free_names(text)
        ours = {name: meaning for name, meaning in meanings(text).items() if name not in free}
        # The folder in tests/unit, tests/fleet, ...; "" for a file in one of these themselves.
        folder = test.parts[2] if len(test.parts) > 3 else ""
        for room, theirs, members in found:
            if (room == folder and len(members) < most and
                    all(theirs.get(name, meaning) == meaning for name, meaning in ours.items())):
                theirs.update(ours)
                members.append(test)
                break
        else:
            found.append((folder, ours, [test]))
    return [members for _, _, members in found]


def main(out, most, *tests):
    """Writes the batches, and leaves a file as it is if its text does not change."""
    tests = [pathlib.Path(test).resolve().relative_to(ROOT) for test in sorted(tests)]
    texts = {f"batch_{i}.cpp": text_of_batch(batch)
             for i, batch in enumerate(batches_of_tests(tests, int(most)))}
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("batch_*.cpp"):
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        if not (out / name).exists() or (out / name).read_text() != text:
            (out / name).write_text(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
