#!/usr/bin/env python3
# Tests the installed library with the program of common/LIBRARY.md, built outside the tree.
"""usage: consumer_test.py BUILD_FOLDER"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "common" / "LIBRARY.md"


def block(language):
    """Returns the page's code block in this language."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) == 1, f"{PAGE} has {len(blocks)} blocks of {language}"
    return blocks[0]


def finds(version, prefix, folder):
    """Returns whether CMake finds the installed package in a version."""
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(finds LANGUAGES CXX)\n"
        f"find_package(orrery {version} REQUIRED)\n")
    done = subprocess.run(["cmake", "-S", folder, "-B", folder / "build",
                           f"-DCMAKE_PREFIX_PATH={prefix}"],
                          capture_output=True, text=True, check=False)
    refused = "compatible with requested version" in " ".join(done.stderr.split())
    assert (done.returncode == 0) != refused, done.stderr
    return not refused


def main(build):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "CMakeLists.txt").write_text(block("cmake"))
        (folder / "mine.cpp").write_text(block("cpp"))
        for command in (["cmake", "--install", build, "--prefix", folder / "prefix"],
                        ["cmake", "-S", folder, "-B", folder / "build",
                         f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}"],
                        ["cmake", "--build", folder / "build"]):
            subprocess.run(command, check=True)
        for version, wanted in (("0.1", False), ("0.2", True), ("9", False)):
            found = finds(version, folder / "prefix", folder / f"finds-{version}")
            assert found == wanted, f"find_package(orrery {version}) found: {found}"
        unit = folder / "prefix/lib/systemd/system/orreryd.service"
        assert "\nExecStart=orreryd --session " in unit.read_text(), unit
        printed = subprocess.run([folder / "build/mine"], check=True, capture_output=True,
                                 text=True).stdout.strip()
    run = [f"{build}/bin/orrery", "run", "solar", "--ticks", "36525", "--json"]
    hash_of_run = json.loads(subprocess.run(run, check=True, capture_output=True).stdout)["hash"]
    assert printed == hash_of_run, f"{printed} is not {hash_of_run} of {' '.join(run)}"
    assert f"// {printed}\n" in block("cpp"), f"{printed} is not what the page says"
    print(printed)


if __name__ == "__main__":
    main(sys.argv[1])
