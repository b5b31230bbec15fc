# Reads as much of C++ and Python as is needed to find functions and skip comments.
import ast
import collections
import pathlib
import re

Function = collections.namedtuple("Function", "first lines")

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                   r"(?<![\w'])'(?:\\.|[^'\\\n])+'", re.S)


def blank(match):
    """As many lines as the comment or text had, and nothing in them; quotes stay."""
    text = match[0]
    quotes = '""' if text[0] in "R\"'" else ""
    return quotes + "\n" * text.count("\n")


def without_comments(text):
    """The code alone: comments and the contents of strings are blank, line numbers stay."""
    return TOKEN.sub(blank, text)


def kind_of(head, outer):
    """What the brace after `head` opens: namespace, type, function, init (of a member) or block."""
    if outer in ("function", "block"):
        return "block"
    head = re.sub(r"^\s*#.*$", "", head, flags=re.M).strip()
    if re.match(r"(inline )?namespace\b|extern\b", head):
        return "namespace"
    if re.match(r"(template\s*<.*>\s*)?(class|struct|union|enum)\b[^()]*$", head, re.S):
        return "type"
    if re.search(r"\)\s*(noexcept\s*)?:\s[^;]*\w$", head, re.S):
        return "init"
    if ")" in head and not head.endswith("="):
        return "function"
    return "block"


def functions(text):
    """Every function definition outside other functions: its first line and how many it has."""
    code = without_comments(text)
    found = []
    stack = []  # (kind, position where its head began)
    head_start = 0
    for match in re.finditer(r"[{};]", code):
        at, symbol = match.start(), match[0]
        outer = stack[-1][0] if stack else "namespace"
        if symbol == "{":
            kind = kind_of(code[head_start:at], outer)
            stack.append((kind, head_start))
            if kind == "init":
                continue
        elif symbol == "}" and stack:
            kind, start = stack.pop()
            if kind == "init":
                continue
            if kind == "function":
                start += len(code[start:]) - len(code[start:].lstrip())
                first = code.count("\n", 0, start) + 1
                found.append(Function(first, code.count("\n", 0, at) + 2 - first))
        head_start = at + 1
    return found


def is_python(name, tree):
    return pathlib.Path(name).suffix == ".py" or (
        pathlib.Path(name).suffix == "" and tree.text(name).startswith("#!/usr/bin/env python3"))


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1
