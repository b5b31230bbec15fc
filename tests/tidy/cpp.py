# Reads as much of C++ and Python as is needed to find functions and skip comments.
import ast
import collections
import pathlib
import re

Function = collections.namedtuple("Function", "first lines")
Class = collections.namedtuple("Class", "first name members functions")

PREPROCESSOR = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
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
    code = PREPROCESSOR.sub(lambda m: "\n" * m[0].count("\n"), without_comments(text))
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


def classes(text):
    """Yields every class and struct, with the numbers of members and functions that it declares.
    Not counted: types, aliases and friends inside it, and defaulted or deleted functions."""
    code = PREPROCESSOR.sub(lambda m: "\n" * m[0].count("\n"), without_comments(text))
    scopes, start = [], 0  # scope: [kind, name, line, members, functions]
    for match in re.finditer(r"[{};]|\b(?:public|private|protected):", code):
        token, head = match[0], code[start:match.start()].strip()
        outer = scopes[-1][0] if scopes else "namespace"
        if token == "{":
            kind = kind_of(head, "namespace" if outer == "type" else outer)
            if outer == "type" and kind == "block":
                kind = "init"  # braces of a member: its statement continues after them
            name = re.search(r"\b(?:class|struct|union)\s+(\w+)[^<>]*$", head)
            line = code.count("\n", 0, match.start()) + 1
            scopes.append([kind, name[1] if name else "", line, 0, 0])
            if kind == "init":
                continue
        elif token == "}" and scopes:
            kind, name, line, members, methods = scopes.pop()
            if kind == "init":
                continue
            if kind == "type" and name:
                yield Class(line, name, members, methods)
            elif kind == "function" and scopes:
                scopes[-1][4] += 1
        elif token == ";" and outer == "type":
            members, methods = declared(head)
            scopes[-1][3] += members
            scopes[-1][4] += methods
        start = match.end()


def declared(head):
    """The numbers of members and functions that a statement inside a class declares."""
    head = re.sub(r"\[\[.*?\]\]|alignas\([^)]*\)", "", head)
    head = re.sub(r"operator\s*(\(\)|[^\w\s(]+)", "operator_", head).strip()
    if not head or re.search(r"=\s*(default|delete)$", head) or re.match(
            r"(using|friend|typedef|static_assert|(enum\s+)?(class|struct|union|enum)\s+\w+$)\b",
            head):
        return 0, 0
    while (bare := re.sub(r"<[^<>]*>", "", head)) != head:
        head = bare
    front = re.split(r"[{=]", head)[0]
    return (0, 1) if "(" in front else (1 + front.count(","), 0)


def is_python(name, tree):
    return pathlib.Path(name).suffix == ".py" or (
        pathlib.Path(name).suffix == "" and tree.text(name).startswith("#!/usr/bin/env python3"))


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno - node.lineno + 1
