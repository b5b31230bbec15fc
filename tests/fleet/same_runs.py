# Checks that a build with sanitizers gives the same fleet runs as the plain build.
"""usage: same_runs.py FLEET PLAIN ARGUMENT...   run both programs and compare their output by seed

If PLAIN does not exist, only FLEET runs, and its runs must pass."""

import os
import subprocess
import sys


def runs(program, arguments):
    """Returns the lines with ticks and trace of each seed. Exits with the output of a failure."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program}:\n{done.stdout}{done.stderr}")
    return sorted(line for line in done.stdout.splitlines() if line.startswith("seed "))


def main(arguments):
    if len(arguments) < 3:
        print(__doc__)
        return 2
    fleet, plain, *rest = arguments
    there = runs(fleet, rest)
    if not os.path.exists(plain):
        print(f"{plain} does not exist, so nothing is compared")
        return 0
    here = runs(plain, rest)
    for a, b in zip(there, here):
        print(a if a == b else f"{a}\n  but without sanitizers: {b}")
    return 0 if here == there else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
