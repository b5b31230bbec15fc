# Rules about contracts: every public declaration has a comment, every source a test of its name.
import pathlib
import re

import cpp
from tree import rule

DOCUMENTED = ("common/", "client/lib/", "client/udp/", "client/api/")

# Numbers of sources without a test file of their name, by layer: a number may only fall.
UNTESTED_MAX = {"common/codec": 1, "common/host": 6, "common/session": 5, "common/world": 2}


def declarations(text):
    """Yields (line, kind, name) of each public type and function of a header."""
    code = cpp.PREPROCESSOR.sub(lambda m: "\n" * m[0].count("\n"), cpp.without_comments(text))
    code = re.sub(r"\[\[[^\]]*\]\]", lambda m: " " * len(m[0]), code)
    scopes, start = [], 0  # scope: [kind, public, name]
    for match in re.finditer(r"[{};]|\b(?:public|private|protected):", code):
        token, head = match[0], code[start:match.start()]
        if token.endswith(":"):
            if scopes and scopes[-1][0] == "type":
                scopes[-1][1] = token == "public:"
            start = match.end()
            continue
        line = code.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
        head = head.strip()
        public = all(scope[1] for scope in scopes)
        if token == "{":
            scope = opened(head, scopes)
            if scope[0] == "type" and public and scope[2]:
                yield line, "type", scope[2]
            elif scope[0] == "function" and public:
                yield from functions(head, line, scopes)
            scopes.append(scope)
            if scope[0] == "value":
                continue
        elif token == "}":
            if scopes and scopes.pop()[0] == "value":
                continue
        elif public and "(" in head:
            yield from functions(head, line, scopes)
        start = match.end()


def opened(head, scopes):
    """The scope that a brace after `head` opens. Inside `value` the declaration continues."""
    outer = scopes[-1][0] if scopes else "namespace"
    kind = cpp.kind_of(head, outer if outer in ("function", "value") else "namespace")
    if kind == "namespace":
        return ["namespace", not re.match(r"(inline )?namespace$", head), head]
    if kind == "type":
        bare = re.sub(r"^template\s*<.*?>\s*(?=class|struct|union|enum)", "", head, flags=re.S)
        name = re.match(r"(?:class|struct|union|enum(?:\s+class)?)\s+(\w+)", bare)
        return ["type", not bare.startswith("class"), name[1] if name else ""]
    return ["function" if kind == "function" else "value", False, ""]


def functions(head, line, scopes):
    """Yields the function that `head` declares, but no operator, constructor or override."""
    if re.match(r"(friend|using|typedef|static_assert|extern template|ORRERY_\w+)\b", head):
        return
    if re.search(r"=\s*(default|delete)$|\boverride\b", head):
        return
    bare = without_template(head)
    match = re.match(r"[^(=]*?([~\w]+)\s*\((?!\*)", bare, re.S)
    owner = next((name for kind, _, name in reversed(scopes) if kind == "type"), None)
    if match and "operator" not in match[0] and match[1].lstrip("~") != owner:
        yield line, "function", match[1]


def without_template(head):
    """`head` without `template <...>` and `requires` in front."""
    while match := re.match(r"template\s*<", head):
        depth, at = 1, match.end()
        while depth and at < len(head):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
        head = re.sub(r"^\s*requires[^\n]*\n", "", head[at:].lstrip()).lstrip()
    return head


def has_comment(lines, number):
    """A comment above the declaration or beside it, or above its group of lines."""
    while number >= 1:
        if "//" in lines[number - 1]:
            return True
        above = lines[number - 2].strip() if number >= 2 else ""
        if not above or above.endswith((":", "{")) or above.startswith("#"):
            return False
        number -= 1
    return False


@rule
def documented(tree):
    """Every public type and function of the libraries has a comment."""
    for name in (n for n in tree.with_suffix(".h") if n.startswith(DOCUMENTED)):
        lines = tree.lines(name)
        for line, kind, what in declarations(tree.text(name)):
            if not has_comment(lines, line):
                yield name, line, f"the {kind} {what} has no comment"


@rule
def tested(tree):
    """Sources of common/ have a unit test of their name; a layer may only get better."""
    tests = {pathlib.Path(n).name for n in tree.names if n.startswith("tests/unit/")}
    missing = {}
    for name in tree.with_suffix(".cpp"):
        if name.startswith("common/"):
            layer = "/".join(name.split("/")[:2])
            missing.setdefault(layer, [])
            if pathlib.Path(name).stem + "_test.cpp" not in tests:
                missing[layer].append(name)
    for layer, names in sorted(missing.items()):
        limit = UNTESTED_MAX.get(layer, 0)
        if len(names) > limit:
            yield from ((name, 1, f"one of {len(names)} sources of {layer} without a test of its "
                         f"name; at most {limit}") for name in names)
        elif len(names) < limit:
            yield layer, 1, (f"only {len(names)} sources have no test of their name: lower "
                             "UNTESTED_MAX in tests/tidy/contracts.py")
