#!/usr/bin/env python3
# Owns the style of the project as a test: layers, bans, sizes, purposes, formatting.
"""usage: tidy.py [--library FILE]   checks the tree; with --library also what the common library
holds: no global state, nothing of libm. Prints one line a finding; exit code 1 if there is one."""

import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import cpp

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Who may include whom. A layer also sees itself.
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
    "server": ["core", "math", "world", "codec", "net", "session", "host"],
    "client/lib": ["core", "math", "integrate", "world", "codec", "net", "session"],
    "client/cli": ["core", "math", "integrate", "world", "codec", "net", "session", "host",
                   "client/lib"],
}

TOP_LEVEL = {"server", "client", "schema", "common", "tests", "CMakeLists.txt", "README.md",
             "CMakePresets.json", "LICENSE", ".clang-format", ".clang-tidy", ".gitignore", ".ci"}

# In common/ below host/: the outside world, hidden state, and what differs between machines.
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

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500
COLUMNS_MAX = 100

# Assertions per function of at least 8 lines: a layer that falls below has lost checks it had.
# Raise a floor when its layer has risen.
ASSERTIONS_FLOOR = {"common/core": 1, "common/physics": 0.8, "common/world": 0.15,
                    "common/codec": 0.4, "common/net": 0.6, "common/session": 0.6}

# What a rule forbids and is right all the same: (rule, file, text of the finding, reason).
EXCEPTIONS = [
    *[("libm", f"common/math/elementary.{end}", f"{name}(", "our own")
      for end in ("h", "cpp") for name in ("exp", "sin", "cos")],
    ("flatbuffers", "common/host/text/scene_json.cpp", "idl.h", "turns JSON text into bytes"),
    ("flatbuffers", "common/host/text/scene_writer.cpp", "idl.h", "turns bytes into JSON text"),
    ("global-state", "liborrery_common.a", "kScenes", "constexpr; its pointers need the loader"),
    ("global-state", "liborrery_common.a", "flatbuffers::data<",
     "stands for no data: never written"),
]

CPP = (".h", ".cpp", ".inl")
TEXT = (*CPP, ".py", ".fbs", ".md", ".txt", ".json", ".sh", ".mjs", ".js", ".ts", "")


class Tree:
    """The files of the project: what git has or would add, or all of a folder without git."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        if (self.root / ".git").exists():
            names = self.listed("-co", "--exclude-standard")
            self.tracked = self.listed("-c")
        else:
            names = [str(p.relative_to(root)) for p in self.root.rglob("*") if p.is_file()]
            names = [n for n in names if not n.startswith("build") and "__pycache__" not in n]
            self.tracked = names
        self.names = sorted(names)
        self.cache = {}

    def listed(self, *options):
        """What git lists and is there."""
        git = ["git", "-C", str(self.root), "ls-files", *options]
        listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout
        return [n for n in listed.splitlines() if (self.root / n).is_file()]

    def text(self, name):
        if name not in self.cache:
            self.cache[name] = (self.root / name).read_text(errors="replace")
        return self.cache[name]

    def lines(self, name):
        return self.text(name).splitlines()

    def with_suffix(self, *suffixes):
        return [n for n in self.names if pathlib.Path(n).suffix in suffixes
                and not n.startswith("tests/fuzz/corpus")]

    def pure(self):
        """The C++ files of common/ below host/."""
        return [n for n in self.with_suffix(*CPP)
                if n.startswith("common/") and not n.startswith("common/host/")]


RULES = {}


def rule(function):
    RULES[function.__name__.replace("_", "-")] = function
    return function


def layer_of(name):
    return next((layer for layer in LAYERS if name.startswith(layer + "/")), None)


def includes(tree, name):
    for number, line in enumerate(tree.lines(name), 1):
        if match := re.match(r'\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))', line):
            yield number, match[1] or match[2]


@rule
def layers(tree):
    """Includes go down the layers only; no layer of common/ reaches server/ or client/."""
    for name in tree.with_suffix(*CPP):
        layer = layer_of(name)
        if not layer:
            continue
        allowed = {layer} | {a if "/" in a else "common/" + a for a in LAYERS[layer]}
        for number, include in includes(tree, name):
            other = layer_of(include)
            if other and other not in allowed:
                yield name, number, f"{layer} may not include {other}: {include}"


@rule
def cycles(tree):
    """No file includes itself, by whatever way round."""
    files = tree.with_suffix(*CPP)
    graph = {n: [i for _, i in includes(tree, n) if i in files] for n in files}
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
def function_length(tree):
    """A function fits a screen."""
    for name in tree.with_suffix(*CPP):
        for function in cpp.functions(tree.text(name)):
            if function.lines > FUNCTION_LINES_MAX:
                yield name, function.first, (f"a function of {function.lines} lines; "
                                             f"at most {FUNCTION_LINES_MAX}")
    for name in tree.names:
        if cpp.is_python(name, tree):
            yield from ((name, first, f"a function of {lines} lines; at most {FUNCTION_LINES_MAX}")
                        for first, lines in cpp.python_functions(tree.text(name))
                        if lines > FUNCTION_LINES_MAX)


@rule
def file_length(tree):
    """A file fits a head."""
    for name in tree.with_suffix(*CPP, ".py", ".fbs"):
        count = len(tree.lines(name))
        if count > FILE_LINES_MAX:
            yield name, count, f"{count} lines; at most {FILE_LINES_MAX}"


@rule
def line_length(tree):
    """100 columns."""
    for name in tree.with_suffix(*CPP, ".py", ".fbs", ".mjs", ".ts", ".sh"):
        for number, line in enumerate(tree.lines(name), 1):
            if len(line) > COLUMNS_MAX:
                yield name, number, f"{len(line)} columns; at most {COLUMNS_MAX}"


@rule
def first_line(tree):
    """The first line says what a file owns."""
    for name in tree.with_suffix(*CPP, ".fbs", ".py", ".sh", ".mjs"):
        lines = [line for line in tree.lines(name)[:2] if not line.startswith("#!")]
        slashes = "// " if name.endswith((".fbs", ".mjs")) else "# "
        wanted = "// Owns " if name.endswith(CPP) else slashes
        if not lines or not lines[0].startswith(wanted):
            yield name, 1, f"the first line must say what the file owns: {wanted}..."


@rule
def unfinished(tree):
    """Nothing is left to do in a comment."""
    words = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    for name in tree.with_suffix(*TEXT):
        for number, line in enumerate(tree.lines(name), 1):
            if words.search(line):
                yield name, number, "unfinished: do it, or open an issue"


@rule
def whitespace(tree):
    """No tabs, no carriage returns, no blanks at the end; a newline at the end of a file."""
    for name in tree.with_suffix(*TEXT):
        for number, line in enumerate(tree.text(name).split("\n"), 1):
            if "\r" in line or "\t" in line or line.endswith(" "):
                yield name, number, "a tab, a carriage return, or a blank at the end"
        if tree.text(name) and not tree.text(name).endswith("\n"):
            yield name, 1, "no newline at the end"


@rule
def assertions(tree):
    """The core says what it believes: a floor of assertions per function for some layers."""
    for layer, floor in ASSERTIONS_FLOOR.items():
        found = count = 0
        for name in (n for n in tree.pure() if n.startswith(layer + "/")):
            code = cpp.without_comments(tree.text(name))
            found += len(re.findall(r"\b(?:ORRERY_ASSERT|static_assert)\(", code))
            count += sum(f.lines >= 8 for f in cpp.functions(tree.text(name)))
        if count and found < floor * count:
            yield layer, 1, f"{found} assertions in {count} functions; at least {floor} for each"


@rule
def fast_math(tree):
    """Never -ffast-math: it turns subnormal numbers off for a whole process."""
    for name in tree.with_suffix(".txt", ".json", ".cmake", ".sh", ""):
        for number, line in enumerate(tree.lines(name), 1):
            if re.search(r"-ff" r"ast-math|-Of" r"ast|-funsafe-math", line):
                yield name, number, "breaks determinism"


@rule
def top_level(tree):
    """The top level is what README.md says, and nothing else; what a person tries out there is not
    the project's."""
    for entry in sorted({n.split("/")[0] for n in tree.tracked} - TOP_LEVEL):
        yield entry, 1, "not a top-level entry of this project; put it into a folder"


@rule
def unused_headers(tree):
    """Every header is included by something."""
    used = {i for n in tree.with_suffix(*CPP) for _, i in includes(tree, n)}
    for name in tree.with_suffix(".h", ".inl"):
        if name not in used:
            yield name, 1, "nothing includes this header"


@rule
def readme_commands(tree):
    """What the README tells a reader to type is there."""
    for name in (n for n in tree.names if n.endswith("README.md")):
        for block in re.findall(r"```(?:sh|bash)?\n(.*?)```", tree.text(name), re.S):
            for line in block.splitlines():
                yield from ((name, 1, problem) for problem in command_problems(tree, line))


def command_problems(tree, line):
    words = line.removeprefix("$ ").split("#")[0].split()
    if not words:
        return
    command = words[0].removeprefix("./")
    program = command.removeprefix("build/bin/")
    if program in ("orrery", "orreryd") or command.startswith("build/bin/"):
        builds = "".join(tree.text(n) for n in tree.names if n.endswith("CMakeLists.txt"))
        own_source = any(n.endswith(f"/{program}.cpp") for n in tree.names)
        if not own_source and f"add_executable({program} " not in builds:
            yield f"there is no program {program}"
        verb = words[1] if len(words) > 1 else ""
        if program == "orrery" and re.fullmatch(r"[a-z]+", verb) and \
                not any(n.startswith(f"client/cli/{verb}.") for n in tree.names):
            yield f"there is no verb `orrery {verb}`"
    elif re.match(r"(server|client|tests|\.ci)/\w", command) and command not in tree.names:
        yield f"there is no {command}"


@rule
def formatting(tree):
    """clang-format changes nothing."""
    names = tree.with_suffix(".h", ".cpp")
    if not names or not (tree.root / ".clang-format").exists():
        return
    if not shutil.which("clang-format"):
        yield ".clang-format", 1, "there is no clang-format; tests/run installs it"
        return
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *names], cwd=tree.root,
                          capture_output=True, text=True)
    for name, number in sorted(set(re.findall(r"^([^:\n]+):(\d+):\d+: error", done.stderr, re.M))):
        yield name, int(number), "clang-format -i would change this"


def problems_in_library(library):
    """What the compiled library reveals: writable data, and calls of libm."""
    listed = subprocess.run(["objdump", "-tC", str(library)], capture_output=True, text=True,
                            check=True).stdout
    # "address flags section<tab>size name"; data that only the loader writes is in .data.rel.ro.
    for section, symbol in re.findall(r"^\w+ .{7} (\S+)\t\w+ (.*)$", listed, re.M):
        symbol = symbol.removeprefix(".hidden ")
        writable = re.match(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)", section)
        if writable and not symbol.startswith("."):
            yield "global-state", str(library), 1, f"writable data: {symbol}"
        if section == "*UND*" and re.fullmatch(rf"({LIBM})f?l?", symbol):
            yield "libm-calls", str(library), 1, f"calls {symbol} of libm"


def findings(tree):
    for name, function in RULES.items():
        for path, line, message in function(tree):
            yield name, path, line, message


def unexcused(found, rules):
    """The findings but for the excepted ones; an exception that excuses nothing is a finding."""
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
