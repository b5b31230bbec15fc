#!/usr/bin/env python3
# Tests the C headers and their libraries: languages, symbols, types, kinds, and the stored ABI.
"""usage: header_test.py LIBRARY_FOLDER [--write-abi]

--write-abi replaces tests/golden/abi/orrery.abi, for an intended change of the interface."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "client" / "api" / "orrery.h"
SERVER_HEADER = ROOT / "server" / "api" / "orrery_server.h"
SCHEMA = ROOT / "schema" / "scene.fbs"
BINDING = ROOT / "client" / "python" / "orrery" / "binding.py"
ABI = ROOT / "tests" / "golden" / "abi" / "orrery.abi"
FUNCTIONS_MAX = 64
SERVER_FUNCTIONS_MAX = 20
FIELD = re.compile(r"(u?int(8|16|32|64)_t|float|double|char) \w+(\[\d+\])?;")
STATIC = ["-lhwy", "-lsodium", "-lflatbuffers", "-lzstd", "-lstdc++", "-lm"]
DIALECTS = {"c": ["gcc", "-std=c99"], "cpp": ["g++", "-std=c++98"]}


def bare(text):
    """Returns a header without comments."""
    return re.sub(r"//[^\n]*", "", text)


def functions(text):
    return re.findall(r"^ORRERY_API [\w ]+?\*?(\w+)\(", bare(text), re.M)


def problems(text, most=FUNCTIONS_MAX):
    """Yields what is wrong with a header."""
    code = bare(text)
    names = functions(text)
    if not most // 3 <= len(names) <= most:
        yield f"{len(names)} functions; at most {most}"
    if re.search(r"\(\s*\*", code):
        yield "a pointer to a function"
    if re.search(r"\b(bool|long|short|size_t|unsigned|\.\.\.)\b", code):
        yield "a type whose size varies"
    for body in re.findall(r"typedef struct \w+ \{(.*?)\}", code, re.S):
        lines = [line.strip() for line in body.strip().splitlines()]
        if lines[0] != "uint32_t size;":
            yield f"a struct does not begin with its size: {lines[0]}"
        yield from (f"a field of another type: {line}" for line in lines
                    if not FIELD.fullmatch(line))


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def compiled(folder, text, suffix, link):
    """Returns the errors of a program that takes the address of each function of a header."""
    (folder / "orrery.h").write_text(text)
    source = folder / f"names.{suffix}"
    names = functions(text)
    checks = "\n".join(f"  if ((functions[{i}] = (function){name}) == 0) return 1;"
                       for i, name in enumerate(names))
    source.write_text(f'#include "orrery.h"\ntypedef void (*function)(void);\n'
                      f"int main(void) {{\n  function functions[{len(names)}];\n{checks}\n"
                      f"  return functions[0] == 0;\n}}\n")
    command = [*DIALECTS[suffix], "-Wall", "-Wextra", "-pedantic", "-Werror",
               "-Wno-cast-function-type", f"-I{folder}", source, "-o", folder / "names", *link]
    built = run(command)
    return built.stderr if built.returncode else run([folder / "names"]).stderr


def exported(library):
    listed = run(["nm", "-D", "--defined-only", library]).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def check_languages(folder, libraries):
    text = HEADER.read_text()
    links = [[f"-L{libraries}", "-lorrery", f"-Wl,-rpath,{libraries}"],
             [libraries / "liborrery.a", *STATIC]]
    for suffix in DIALECTS:
        for link in links:
            errors = compiled(folder, text, suffix, link)
            assert not errors, errors
        more = text.replace("#ifdef __cplusplus\n}", "ORRERY_API int32_t orrery_missing(void);\n"
                            "#ifdef __cplusplus\n}")
        assert "orrery_missing" in compiled(folder, more, suffix, links[0])
    found = exported(libraries / "liborrery.so")
    assert found == set(functions(text)), found ^ set(functions(text))


def check_rules():
    text = HEADER.read_text()
    assert not list(problems(text)), list(problems(text))
    last = "  double normal[3];"
    for wrong in ("  size_t count;", "  int (*visit)(int);", "  bool is_hit;", "  int count : 3;",
                  "  enum { A } kind;", "  char* name;"):
        assert list(problems(text.replace(last, wrong + "\n" + last, 1))), wrong
    many = "".join(f"ORRERY_API int32_t orrery_{i}(void);\n" for i in range(60))
    assert list(problems(text + many))


def check_server(libraries):
    """Checks the header of the server, which is compiled with that of clients."""
    text = SERVER_HEADER.read_text()
    found = list(problems(text, SERVER_FUNCTIONS_MAX))
    assert not found, found
    many = "".join(f"ORRERY_API int32_t orrery_{i}(void);\n" for i in range(20))
    assert list(problems(text + many, SERVER_FUNCTIONS_MAX))
    for suffix, language in (("c", "c"), ("cpp", "c++")):
        done = run([*DIALECTS[suffix], "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only",
                    f"-I{HEADER.parent}", "-x", language, SERVER_HEADER])
        assert done.returncode == 0, done.stderr
    names = set(functions(text)) | set(functions(HEADER.read_text()))
    there = exported(libraries / "liborrery-server.so")
    assert there == names, there ^ names


def check_kinds():
    """Compares the kinds of links in the header and in the Python binding with the schema."""
    def differences(schema):
        joints = re.search(r"enum JointKind : ubyte \{ (.*) \}", schema)[1].upper().split(", ")
        kinds = ["SPRING", "TETHER", *joints]
        found = re.search(r"ORRERY_SPRING = [^}]*", bare(HEADER.read_text()))[0]
        if re.findall(r"ORRERY_(\w+) = (\d+)", found) != [(k, str(i)) for i, k in enumerate(kinds)]:
            yield HEADER
        if f"{', '.join(kinds)} = range({len(kinds)})\n" not in BINDING.read_text():
            yield BINDING

    text = SCHEMA.read_text()
    assert not list(differences(text)), list(differences(text))
    more = re.sub(r"(enum JointKind .*) \}", r"\1, other }", text)
    assert list(differences(more)) == [HEADER, BINDING]


def stub_of(text, folder, library):
    """Builds a library with empty functions of a header, whose debug information is the ABI."""
    (folder / "orrery.h").write_text(text)
    code = bare(text)
    bodies = "".join(
        f"{declaration} {{{'' if declaration.startswith('void') else ' return 0; '}}}\n"
        for declaration in re.findall(r"^ORRERY_API ([^;]+);", code, re.M))
    (folder / "stub.c").write_text(f'#include "orrery.h"\n{bodies}')
    soname = re.search(r"soname: \[(\S+)\]", run(["readelf", "-d", library]).stdout)[1]
    built = run(["gcc", "-std=c99", "-g", "-shared", "-fPIC", f"-Wl,-soname,{soname}",
                 folder / "stub.c", "-o", folder / "stub.so"])
    assert built.returncode == 0, built.stderr
    return folder / "stub.so"


def write_abi(text, folder, library, file):
    done = run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file",
                file, stub_of(text, folder, library)])
    assert done.returncode == 0, done.stderr


def check_abi(folder, library):
    text = HEADER.read_text()
    present = folder / "present.abi"

    def differences(header):
        write_abi(header, folder, library, present)
        return run(["abidiff", ABI, present]).stdout

    assert not differences(text), differences(text)
    # abidiff must notice a function that is missing and a field that has moved.
    without = text.replace("ORRERY_API int32_t orrery_world_step(", "int32_t orrery_other(")
    moved = text.replace("  uint64_t tick;", "  uint32_t other;\n  uint64_t tick;", 1)
    assert text not in (without, moved)
    assert "orrery_world_step" in differences(without)
    assert "tick" in differences(moved)


def main(libraries, *options):
    libraries = pathlib.Path(libraries).resolve()
    if list(options) == ["--write-abi"]:
        with tempfile.TemporaryDirectory() as name:
            write_abi(HEADER.read_text(), pathlib.Path(name), libraries / "liborrery.so", ABI)
        return
    check_rules()
    check_kinds()
    check_server(libraries)
    with tempfile.TemporaryDirectory() as name:
        check_languages(pathlib.Path(name), libraries)
        check_abi(pathlib.Path(name), libraries / "liborrery.so")
    print(f"{len(functions(HEADER.read_text()))} functions, defined and exported; same ABI")


if __name__ == "__main__":
    main(*sys.argv[1:])
