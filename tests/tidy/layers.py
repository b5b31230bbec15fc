# Rules about structure: layers, includes, functions that common/ may not use, folders.
import collections
import os
import pathlib
import re

import cpp
from tree import CPP, imports, includes, rule

# Layers that a layer may include, besides itself. Names of no layer are folders of common/.
PURE = ["core", "math", "integrate", "physics", "world", "codec"]
LAYERS = {
    "common/core": [],
    "common/math": ["core"],
    "common/integrate": ["core", "math"],
    "common/physics": ["core", "math", "integrate"],
    "common/world": ["core", "math", "integrate", "physics"],
    "common/codec": ["core", "math", "integrate", "physics", "world"],
    "common/net": PURE,
    "common/session": PURE,
    "common/host": PURE + ["net", "session"],
    "server/api": ["core", "math", "world", "codec", "net", "session", "host", "server",
                   "client/api"],
    "server": ["core", "math", "world", "codec", "net", "session", "host"],
    "client/lib": ["core", "math", "integrate", "world", "codec", "net", "session"],
    "client/udp": ["core", "math", "integrate", "world", "codec", "net", "session", "host",
                   "client/lib"],
    "client/api": ["core", "math", "integrate", "world", "codec", "net", "session", "host",
                   "client/lib", "client/udp"],
    "client/web": ["core", "math", "integrate", "world", "codec", "net", "session", "client/lib",
                   "client/api"],
    "client/cli": ["core", "math", "integrate", "world", "codec", "net", "session", "host",
                   "client/lib", "client/udp"],
    "client/lab/verbs": ["core", "math", "integrate", "host", "client/cli", "client/lab"],
    "client/lab": ["core", "math", "integrate", "client/cli"],
}

# Rooms of common/physics, and the rooms that each may include.
ROOMS = {
    "wide": [],
    "shape": ["wide"],
    "body": ["wide", "shape"],
    "motion": ["wide", "shape", "body"],
    "broad": ["wide", "shape", "body"],
    "narrow": ["wide", "shape", "body", "broad"],
    "sweep": ["wide", "shape", "body", "broad", "narrow"],
    "contacts": ["wide", "shape", "body", "broad", "narrow"],
    "update": ["wide", "shape", "body", "broad", "narrow", "contacts"],
    "rest": ["wide", "shape", "body", "broad", "narrow", "contacts"],
    "joints": ["wide", "shape", "body", "broad", "contacts"],
    "solve": ["wide", "shape", "body", "broad", "narrow", "contacts", "update", "rest", "joints"],
}

FOLDER_FILES_MAX = 25  # files of code; split a larger folder into subfolders

TOP_LEVEL = {"server", "client", "schema", "common", "tests", "CMakeLists.txt", "README.md",
             "CMakePresets.json", "LICENSE", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
             ".clang-format", ".editorconfig", ".gitignore", ".ci", ".github"}

# Forbidden in common/, except in common/host: access to the outside world, hidden state, and
# functions whose results differ between machines.
BANNED_INCLUDES = re.compile(
    r"<(thread|mutex|condition_variable|future|chrono|ctime|time\.h|random|unordered_\w+|iostream|"
    r"fstream|filesystem|locale|regex|math\.h|unistd\.h|fcntl\.h|sys/.*|netinet/.*|boost/.*|"
    r"spdlog/.*|sodium.*)>")
LIBM = ("a?sinh?|a?cosh?|a?tanh?|atan2|sincos|exp|exp2|expm1|exp10|log|log2|log10|log1p|pow|cbrt|"
        "hypot|fma|fmod|remainder|tgamma|lgamma|erfc?")
BANNED_WORDS = {
    rf"(?<![\w:.])(std::|__builtin_|::)?({LIBM})f?l?\(": "libm differs between machines: "
                                                         "common/math/elementary.h",
    r"\b(Neg)?Mul(Add|Sub)\w*\(": "fused on some processors only: Mul and Add",
    r"\b(throw|try|catch)\b": "common/ has no exceptions: Result (core/result.h)",
    r"\b(s?rand|time|clock|getenv|fopen|system)\(": "the outside world belongs to common/host",
    r"\b(thread_local|mutable static|static mutable)\b": "no hidden state",
}


def layer_of(name):
    return next((layer for layer in LAYERS if name.startswith(layer + "/")), None)


def folders_of(names):
    """The folders of layers that are named as in LAYERS."""
    return {name if name in LAYERS else "common/" + name for name in names}


@rule
def layers(tree):
    """Includes go down the layers only, also by a way through other files."""
    files = set(tree.with_suffix(*CPP))
    graph = {n: [i for _, i in includes(tree, n)] for n in files}
    reached = {}

    def reach(name):
        """The layers that a file includes, directly or through other files."""
        if name not in reached:
            reached[name] = set()
            for include in graph.get(name, []):
                reached[name] |= {layer_of(include)} | reach(include)
            reached[name].discard(None)
        return reached[name]

    for name in sorted(files):
        layer = layer_of(name)
        if not layer:
            if name.startswith(("common/", "server/", "client/")) and "/examples/" not in name:
                yield name, 1, "in no layer: add its folder to LAYERS in tests/tidy/layers.py"
            continue
        direct = {layer} | folders_of(LAYERS[layer])
        for number, include in includes(tree, name):
            if layer_of(include) and layer_of(include) not in direct:
                yield name, number, f"{layer} may not include {layer_of(include)}: {include}"
        below = set(direct)
        for other in direct:
            below |= folders_of(LAYERS[other])
        for other in sorted(reach(name) - below):
            yield name, 1, f"{layer} reaches {other} through its includes"


@rule
def rooms(tree):
    """Rooms of common/physics include only the rooms below them."""
    for name in tree.with_suffix(*CPP):
        room = re.match(r"common/physics/(\w+)/", name)
        if name.startswith("common/physics/") and (not room or room[1] not in ROOMS):
            yield name, 1, "in no room of common/physics: ROOMS in tests/tidy/layers.py"
            continue
        for number, include in includes(tree, name):
            other = re.match(r"common/physics/(\w+)/", include)
            if room and other and other[1] not in [room[1], *ROOMS[room[1]]]:
                yield name, number, f"room {room[1]} may not include room {other[1]}: {include}"


@rule
def names_of_layers(tree):
    """A layer does not use the names of a layer that it may not include."""
    spaces = {layer.split("/")[1]: layer for layer in LAYERS if layer.startswith("common/")}
    pattern = re.compile(r"\b(" + "|".join(spaces) + r")::(\w+)")
    for name in tree.with_suffix(*CPP):
        layer = layer_of(name)
        if not layer:
            continue
        allowed = {layer} | folders_of(LAYERS[layer])
        code = cpp.without_comments(tree.text(name))
        for number, line in enumerate(code.splitlines(), 1):
            for match in pattern.finditer(line):
                if spaces[match[1]] not in allowed:
                    yield name, number, f"{layer} may not use {match[0]}"


@rule
def folder_size(tree):
    """A folder has few files of code."""
    counts = collections.Counter(str(pathlib.Path(n).parent) for n in tree.names
                                 if n.endswith((*CPP, ".py", ".ts")))
    for folder, count in sorted(counts.items()):
        if count > FOLDER_FILES_MAX:
            yield folder, 1, f"{count} files of code; at most {FOLDER_FILES_MAX}: split it"


@rule
def cycles(tree):
    """No file includes or imports itself, directly or through others. Types may be imported."""
    files = set(tree.with_suffix(*CPP, ".ts"))
    graph = {n: [i for _, i in includes(tree, n) if i in files] +
                [i for i in imports(tree, n) if i in files] for n in sorted(files)}
    done = set()

    def visit(name, path):
        if name in path:
            yield name, 1, "include cycle: " + " -> ".join([*path[path.index(name):], name])
        elif name not in done:
            for other in graph.get(name, []):
                yield from visit(other, [*path, name])
            done.add(name)

    for name in graph:
        yield from visit(name, [])


@rule
def banned_includes(tree):
    """Nothing of the outside world in common/ below host/."""
    for name in tree.pure():
        for number, include in includes(tree, name):
            if BANNED_INCLUDES.fullmatch(include):
                yield name, number, f"{include} belongs to common/host, or nowhere"


def banned(tree, patterns):
    for name in tree.pure():
        code = cpp.without_comments(tree.text(name))
        for number, line in enumerate(code.splitlines(), 1):
            for pattern in patterns:
                if match := re.search(pattern, line):
                    yield name, number, f"{match[0]} {BANNED_WORDS[pattern]}"


@rule
def libm(tree):
    """No function of libm, and nothing fused, in common/ below host/."""
    yield from banned(tree, list(BANNED_WORDS)[:2])


@rule
def banned_words(tree):
    """No exceptions, clocks, files or hidden state in common/ below host/."""
    yield from banned(tree, list(BANNED_WORDS)[2:])


@rule
def flatbuffers(tree):
    """FlatBuffers types are seen in common/codec alone."""
    for name in tree.with_suffix(*CPP):
        for number, include in includes(tree, name):
            foreign = "flatbuffers/" in include or include.endswith("_generated.h")
            if foreign and not name.startswith("common/codec/"):
                yield name, number, f"{include} outside common/codec"


@rule
def top_level(tree):
    """The top level holds the entries of the design only; untracked files are ignored."""
    for entry in sorted({n.split("/")[0] for n in tree.tracked} - TOP_LEVEL):
        yield entry, 1, "not a top-level entry of this project; put it into a folder"


@rule
def unused_headers(tree):
    """Every header is included by something: programs in C include those of their folder."""
    used = {i for n in tree.with_suffix(*CPP) for _, i in includes(tree, n)}
    used |= {os.path.join(os.path.dirname(n), i) for n in tree.with_suffix(".c")
             for _, i in includes(tree, n)}
    for name in tree.with_suffix(".h", ".inl"):
        if name not in used:
            yield name, 1, "nothing includes this header"
