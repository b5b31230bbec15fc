# The files that tidy checks, and the list of its rules.
import os
import pathlib
import re
import subprocess

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


def imports(tree, name):
    """Yields the path of each file of TypeScript whose values a file of TypeScript imports."""
    if name.endswith(".ts"):
        for path in re.findall(r'^import (?!type\b)[^;]*?from "(\.[^"]+)"', tree.text(name), re.M):
            yield os.path.normpath(os.path.join(os.path.dirname(name), path)) + ".ts"


def includes(tree, name):
    """Yields the line number and the path of each #include of a file."""
    for number, line in enumerate(tree.lines(name), 1):
        if match := re.match(r'\s*#\s*include\s+(?:"([^"]+)"|(<[^>]+>))', line):
            yield number, match[1] or match[2]
