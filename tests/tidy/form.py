# Rules about the form of files: lengths, first lines, white space, formatting, commands in pages.
import re
import shutil
import subprocess

import cpp
from tree import CPP, TEXT, rule

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400
COLUMNS_MAX = 100
CLASS_SIZE_MAX = 35  # members and functions

# Classes that already exceeded CLASS_SIZE_MAX when this limit was introduced, with their number of
# members and functions now. They may only get smaller.
LARGER = {
    ("common/host/disk/log_file.h", "LogFile"): 38,
    ("common/physics/rest/sleeping.h", "Sleeping"): 38,
    ("tests/fleet/checks/invariants.h", "Invariants"): 57,
    ("tests/fleet/players/player.h", "Player"): 55,
    ("tests/fleet/simulation.cpp", "Simulation"): 54,
    ("tests/fuzz/fuzz_exchange.cpp", "Exchange"): 38,
    ("tests/support/simulated_disk.h", "SimulatedDisk"): 50,
}

# The least number of assertions per function of at least 4 lines, for each layer. A layer with
# fewer has lost assertions. Raise a number when the layer has gained some.
ASSERTIONS_FLOOR = {"common/core": 0.6, "common/math": 0.55, "common/integrate": 0.13,
                    "common/physics": 0.68, "common/world": 0.69, "common/codec": 0.56,
                    "common/net": 0.7, "common/session": 0.68}


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
    for name in tree.with_suffix(*CPP, ".py", ".fbs", ".mjs", ".ts"):
        count = len(tree.lines(name))
        if count > FILE_LINES_MAX:
            yield name, count, f"{count} lines; at most {FILE_LINES_MAX}"


@rule
def class_size(tree):
    """A class has one job. A struct without functions may have any number of members."""
    found = {}
    for name in tree.with_suffix(*CPP):
        for c in (c for c in cpp.classes(tree.text(name)) if c.functions):
            size = c.members + c.functions
            found[name, c.name] = size
            limit = max(CLASS_SIZE_MAX, LARGER.get((name, c.name), 0))
            if size > limit:
                yield name, c.first, (f"{c.name} has {c.members} members and {c.functions} "
                                      f"functions, {size} in all; at most {limit}")
    for (name, class_name), size in sorted(LARGER.items()):
        if found.get((name, class_name), 0) < size:
            yield name, 1, (f"{class_name} got smaller: lower or delete its entry in LARGER, "
                            "tests/tidy/form.py")


@rule
def line_length(tree):
    """100 columns."""
    for name in tree.with_suffix(*CPP, ".py", ".fbs", ".mjs", ".ts", ".sh"):
        for number, line in enumerate(tree.lines(name), 1):
            if len(line) > COLUMNS_MAX:
                yield name, number, f"{len(line)} columns; at most {COLUMNS_MAX}"


@rule
def first_line(tree):
    """The first line says the purpose of a file, in a sentence that does not begin with "Owns"."""
    for name in tree.with_suffix(*CPP, ".fbs", ".py", ".sh", ".mjs", ".ts"):
        lines = [line for line in tree.lines(name)[:2] if not line.startswith("#!")]
        mark = "// " if name.endswith((*CPP, ".fbs", ".mjs", ".ts")) else "# "
        if not lines or not lines[0].startswith(mark) or lines[0].startswith(mark + "Owns"):
            yield name, 1, f"the first line must say the purpose of the file: {mark}..."


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
            count += sum(f.lines >= 4 for f in cpp.functions(tree.text(name)))
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
def pinned_actions(tree):
    """A workflow names each action by its commit: a tag can be moved to other code."""
    for name in (n for n in tree.names if n.startswith(".github/workflows/")):
        for number, line in enumerate(tree.lines(name), 1):
            used = re.match(r"[\s-]*uses:\s*(\S+)", line)
            if used and not re.fullmatch(r"\./\S+|\S+@[0-9a-f]{40}", used[1].strip("'\"")):
                yield name, number, f"{used[1]}: name its commit, and the tag in a comment"


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
                not any(n.startswith((f"client/cli/verbs/{verb}.", f"client/cli/verbs/{verb}/",
                                      f"client/{verb}/verbs/"))
                        for n in tree.names):
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
