# Owns the batches that a row compiles its sources in: files that do not hide each other's names.
"""One batch is one translation unit: what templates and headers cost is paid once, not by each
file, and a row compiles in half the time. Two thirds of the sources share three batches."""

import re

# A definition or declaration at namespace scope, which no line of this code indents.
NAMED = re.compile(r"^(?!static_assert|template|return|using namespace|namespace)[A-Za-z].*?"
                   r"(\w+) ?(?:[(={;\[]|$)", re.MULTILINE)
UNNAMED_NAMESPACE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)


def own_names(text):
    """What a source keeps to itself."""
    return set(NAMED.findall("\n".join(UNNAMED_NAMESPACE.findall(text))))


def batches(sources, headers):
    """Lists of sources. Two that keep the same name to themselves are never in one batch; a source
    is alone if it hides a name of a header, or if Highway includes it once more."""
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
