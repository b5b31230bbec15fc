# Groups sources into batches that can be compiled as one translation unit.
"""A batch is one translation unit. Its headers and templates are compiled once for all its files,
which halves the build time of a row. Most sources share a few batches."""

import re

# A definition or declaration at namespace scope. This code never indents these.
NAMED = re.compile(r"^(?!static_assert|template|return|using namespace|namespace)[A-Za-z].*?"
                   r"(\w+) ?(?:[(={;\[]|$)", re.MULTILINE)
UNNAMED_NAMESPACE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)


def own_names(text):
    """Returns the names in the unnamed namespaces of a source."""
    return set(NAMED.findall("\n".join(UNNAMED_NAMESPACE.findall(text))))


def batches(sources, headers):
    """Returns lists of sources. Two sources with the same private name are never in one batch. A
    source has its own batch if it hides a name of a header, or if Highway includes it several
    times."""
    shared = {name for header in headers for name in NAMED.findall(header.read_text())}
    found = []  # (names, sources)
    alone = []
    for source in sources:
        text = source.read_text()
        names = own_names(text)
        if names & shared or "foreach_target" in text:
            alone.append([source])
            continue
        batch = next((batch for batch in found if not batch[0] & names), None)
        if batch is None:
            batch = (set(), [])
            found.append(batch)
        batch[0].update(names)
        batch[1].append(source)
    return [members for _, members in found] + alone
