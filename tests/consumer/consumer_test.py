#!/usr/bin/env python3
# Owns the test of the installed library: installs it, builds a program on it, compares its hash.
"""usage: consumer_test.py BUILD_FOLDER"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parent / "golden/hashes.txt"


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        prefix, out = f"{folder}/prefix", f"{folder}/build"
        for command in (["cmake", "--install", build, "--prefix", prefix],
                        ["cmake", "-S", HERE, "-B", out, f"-DCMAKE_PREFIX_PATH={prefix}"],
                        ["cmake", "--build", out]):
            subprocess.run(command, check=True)
        printed = subprocess.run([f"{out}/consumer"], check=True, capture_output=True, text=True)
    line = printed.stdout.strip()
    print(line)
    return 0 if line in GOLDEN.read_text().splitlines() else f"{line} is not in {GOLDEN}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
