# Owns whether a build with sanitizers makes the runs of the fleet that the plain build makes.
"""usage: same_runs.py FLEET PLAIN ARGUMENT...   runs both, and compares what they say of each seed

Where there is no PLAIN, only that the runs of FLEET hold."""

import os
import subprocess
import sys


def runs(program, arguments):
    """What it says of each seed: ticks and trace. Ends with its output if something failed."""
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
        print(f"{plain} is not there to be compared with")
        return 0
    here = runs(plain, rest)
    for a, b in zip(there, here):
        print(a if a == b else f"{a}\n  but without sanitizers: {b}")
    return 0 if here == there else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
