# Rules about the English of comments, pages and strings of C++ (errors, help): openers, private
# words, length of sentences.
#
# A folder is measured as a whole, its comments, pages and strings separately. Every folder must
# reach the aims below. BEHIND lists the folders that do not reach them yet, with their present
# counts. A count may only fall, and then its entry must be lowered.
import collections
import os
import re

from tree import rule

OPENERS = re.compile(r"^(Of|What|Who|Whoever|Where|As|So|Such|Those|The same|That of|From|Beside|"
                     r"Behind|Else|Not so)\b")
PRIVATE_WORDS = re.compile(
    r"\b(what|whoever|who|behind|alone|told|tells|that of|those of|goes on|go on|went on|so many|"
    r"anew|stands?|comes? to|good for|also not|of its own|whose|beside|aside|and so on)\b", re.I)
LONG_SENTENCE = 25  # words

# Largest allowed shares: of sentences with a bad opener among all sentences, of private words among
# all words, and of long sentences among all sentences.
AIMS = {"comments": {"openers": 0.007, "private words": 0.002, "long sentences": 0.05},
        "pages": {"openers": 0.007, "private words": 0.002, "long sentences": 0.08},
        "strings": {"openers": 0.007, "private words": 0.004, "long sentences": 0.05}}
SLACK = 2  # every folder may have two of each: in a small folder a share means little

BEHIND = {}

SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"(])")


def blocks_of_comments(lines, mark):
    """Yields (line, text) of each block of whole-line comments and of each trailing comment."""
    whole = re.compile(rf"^\s*{mark}/?(?!!)\s?(.*)$")
    trailing = re.compile(rf"[;{{,)]\s+{mark}\s(.*)$")
    block, start = [], 0
    for number, line in enumerate(lines, 1):
        match = whole.match(line)
        if match:
            start = start if block else number
            block.append(match[1])
            continue
        if block:
            yield start, " ".join(block)
            block = []
        if match := trailing.search(line):
            yield number, match[1]
    if block:
        yield start, " ".join(block)


NOT_TEXT = re.compile(r"//.*|/\*(?s:.*?)\*/|^\s*#.*", re.M)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def strings(text):
    """Yields (line, text) of each string of C++. Literals in a row are one string."""
    # Keeps the line breaks, so that lines have their numbers.
    text = NOT_TEXT.sub(lambda match: "\n" * match[0].count("\n"), text)
    said, start, end = "", 0, 0
    for match in LITERAL.finditer(text):
        if text[end:match.start()].strip():
            yield start, said
            said = ""
        start = start if said else text.count("\n", 0, match.start()) + 1
        said, end = said + match[1], match.end()
    yield start, said


def sentences_of_strings(text):
    """Yields (line, text) of each string, and of each indented line of help on its own."""
    for line, said in strings(text):
        for part in re.split(r"\\n(?= )", said):
            yield line, part.replace('\\"', '"').replace("\\n", " ")


def paragraphs(lines):
    """Yields (line, text) of each paragraph and list item; no code, tables, headings."""
    text, start, fence = [], 0, False
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("```"):
            fence, line = not fence, ""
        if fence or re.match(r"\s*(\||#|<)", line):
            line = ""
        item = re.match(r"\s*([-*]|\d+\.)\s+", line)
        if text and (item or not line.strip()):
            yield start, " ".join(text)
            text = []
        if line.strip():
            start = start if text else number
            text.append(line[item.end() if item else 0:].strip())
    if text:
        yield start, " ".join(text)


def sentences(blocks):
    """Yields (line, sentence, words) of each sentence of at least three words."""
    for line, block in blocks:
        block = re.sub(r"`[^`]*`", "X", block)
        block = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)
        for sentence in SENTENCE_END.split(block):
            words = re.findall(r"[A-Za-z][A-Za-z'-]*", sentence)
            if len(words) >= 3:
                yield line, sentence.strip(), words


def kinds_and_blocks(tree, name):
    """Yields ("comments", "pages" or "strings", their blocks) of a file."""
    suffix = os.path.splitext(name)[1]
    if suffix in (".h", ".cpp", ".inl") and not name.startswith(("tests/", "client/lab/")):
        yield "strings", sentences_of_strings(tree.text(name))
    if suffix == ".md":
        yield "pages", paragraphs(tree.lines(name))
    if suffix in (".h", ".cpp", ".inl", ".fbs", ".c", ".mjs", ".ts"):
        yield "comments", blocks_of_comments(tree.lines(name), "//")
    if suffix in (".py", ".sh", ".cmake") or os.path.basename(name) == "CMakeLists.txt" or (
            not suffix and tree.text(name).startswith("#!")):
        yield "comments", blocks_of_comments(tree.lines(name), "#")


def folder_of(name):
    """The folder that a file is counted in: the layer or the part of the tests."""
    parts = name.split("/")[:-1]
    return "/".join(parts[:2]) or "."


def measure(tree):
    """{(folder, kind): (sentences, words, {quantity: [(file, line, text)]})}"""
    found = {}
    for name in tree.names:
        if name.startswith(("tests/fuzz/corpus", "tests/golden/")):
            continue
        for kind, blocks in kinds_and_blocks(tree, name):
            entry = found.setdefault((folder_of(name), kind),
                                     [0, 0, collections.defaultdict(list)])
            for line, sentence, words in sentences(blocks):
                entry[0] += 1
                entry[1] += len(words)
                at = (name, line, sentence[:60])
                entry[2]["openers"] += [at] * bool(OPENERS.match(sentence))
                entry[2]["private words"] += [at] * len(PRIVATE_WORDS.findall(sentence))
                entry[2]["long sentences"] += [at] * (len(words) > LONG_SENTENCE)
    return found


def counts(tree):
    """One line for each folder, for people."""
    for (folder, kind), (number, words, places) in sorted(measure(tree).items()):
        if number:
            yield (f"{folder:24} {kind:9} sentences {number:5}  words {words / number:5.1f}  " +
                   "  ".join(f"{quantity} {len(places[quantity])}" for quantity in AIMS[kind]))


@rule
def english(tree):
    """Comments, pages and strings are written in plain English."""
    used = set()
    for (folder, kind), (number, words, places) in sorted(measure(tree).items()):
        for quantity, aim in AIMS[kind].items():
            has = len(places[quantity])
            limit = max(SLACK, int(aim * (words if quantity == "private words" else number)))
            key = (folder, kind, quantity)
            if key in BEHIND:
                used.add(key)
                if has < BEHIND[key]:
                    yield folder, 1, (f"{kind}: {quantity} fell to {has}: lower or delete its "
                                      "entry in BEHIND, tests/tidy/english.py")
                limit = max(limit, BEHIND[key])
            if has > limit:
                for name, line, text in places[quantity][:5]:
                    yield name, line, (f"one of {has} {quantity} in the {kind} of {folder}, which "
                                       f"may have {limit}: {text}")
    for key in sorted(set(BEHIND) - used):
        yield key[0], 1, f"{key} in BEHIND, tests/tidy/english.py, names nothing"


@rule
def page_columns(tree):
    """Pages have 100 columns, but for tables, code and what cannot be broken."""
    for name in (n for n in tree.names if n.endswith(".md")):
        fence = False
        for number, line in enumerate(tree.lines(name), 1):
            fence ^= line.lstrip().startswith("```")
            fixed = fence or re.match(r"\s*(\||\[[^\]]+\]:|!\[|<)", line)
            if len(line) > 100 and " " in line[:100].strip() and not fixed:
                yield name, number, f"{len(line)} columns; at most 100"
