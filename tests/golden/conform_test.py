# Tests that schemas only grow, so that data of the last release is still read correctly.
"""usage: conform_test.py FLATC   compare schema/ with golden/schemas/, which a release replaces

flatc detects moved and changed fields, but not fields removed from the end. This test compares
those."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASED = ROOT / "tests/golden/schemas"

# Changes that must be rejected: file, old text, new text.
BREAKS = [
    ("types.fbs", "x:float; y:float", "y:float; x:float"),
    ("types.fbs", "z:double; w:double;", "z:double; w:double; v:double;"),
    ("protocol.fbs", "protocol:uint;", "protocol:ulong;"),
    ("protocol.fbs", "protocol:uint;", "version:int;"),
    ("protocol.fbs", "scene:string (required);", ""),
    ("protocol.fbs", "watch, play, admin", "play, watch, admin"),
    ("protocol.fbs", "watch, play, admin", "watch, play"),
    ("protocol.fbs", "table Goodbye", "table Farewell"),
    ("log.fbs", "rules:uint;", "rules:uint = 1;"),
    ("log.fbs", "rules:uint;", "first:uint; rules:uint;"),
    ("log.fbs", "after_loss:bool;", ""),
    ("scene.fbs", 'file_identifier "ORSC"', 'file_identifier "ORSD"'),
]
# Changes that are allowed.
GROWTH = [
    ("log.fbs", "after_loss:bool;", "after_loss:bool; one_more:uint;"),
    ("log.fbs", "after_loss:bool;", "after_loss:bool (deprecated);"),
    ("scene.fbs", "owner:uint = 0;", "owner:uint = 0 (body);"),
    ("protocol.fbs", "watch, play, admin", "watch, play, admin, judge"),
]


def declarations(schema):
    """Returns the members of each type of a schema by kind and name, and the file identifier."""
    text = re.sub(r"//.*", "", schema.read_text())
    types = re.findall(r"\b(table|struct|enum|union)\s+(\w+)[^{]*\{([^}]*)\}", text)
    members = {(kind, name): [re.sub(r"\((deprecated|body)\)$", "", "".join(m.split()))
                              for m in re.split("[;,]", body) if m.strip()]
               for kind, name, body in types}
    return members | {("file", "identifier"): re.findall(r'file_identifier\s+"(\w+)"', text)}


def what_went(old, new):
    """Returns the parts of the old schema that the new one lacks. A struct must not even grow."""
    found = declarations(new)
    for (kind, name), members in declarations(old).items():
        there = found.get((kind, name), [])
        if kind == "struct" and there != members:
            return f"struct {name} changed"
        for member in members:
            if member not in there:
                return f"{kind} {name} has no {member} any more"
    return None


def breaks(flatc, folder):
    """Returns the first difference that does not conform to the released schemas, or None."""
    for old in sorted(RELEASED.glob("*.fbs")):
        new = folder / old.name
        done = subprocess.run([flatc, "--conform", old, "--conform-includes", RELEASED, new],
                              capture_output=True, text=True, timeout=20)
        if done.returncode != 0:
            return f"{old.name}: {' '.join((done.stdout + done.stderr).split())}"
        went = what_went(old, new)
        if went:
            return f"{old.name}: {went}"
    return None


def changed(flatc, name, what, instead):
    """Returns the same for the current schemas with a change in one file."""
    with tempfile.TemporaryDirectory(prefix="orrery-test-") as folder:
        for schema in (ROOT / "schema").glob("*.fbs"):
            shutil.copy(schema, folder)
        schema = pathlib.Path(folder) / name
        text = schema.read_text()
        assert what in text, f"{name} has no '{what}' to change: mend this test"
        schema.write_text(text.replace(what, instead, 1))
        return breaks(flatc, pathlib.Path(folder))


flatc = sys.argv[1] if len(sys.argv) > 1 else "flatc"
broken = breaks(flatc, ROOT / "schema")
assert not broken, broken
for change in BREAKS:
    why = changed(flatc, *change)
    print(f"{change[1]} -> {change[2] or 'nothing'}: {why}")
    assert why, f"nothing noticed {change}"
for growth in GROWTH:
    why = changed(flatc, *growth)
    assert not why, f"{growth} is allowed, but: {why}"
