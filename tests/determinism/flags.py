# Finds out whether a compiler with given flags vectorises straight-line code (SLP).
import functools
import subprocess

SLP_OFF = "-fno-tree-slp-vectorize"
# Prefixes of the options that decide whether a compiler uses SLP vectorisation.
DECIDES = ("-O", "-f", "-m", "--target")


@functools.cache
def is_clang(compiler):
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return "clang" in done.stdout


def vectorizes_slp(command):
    """Asks the compiler. `command` is the whole command line, including files."""
    query = [command[0], *(word for word in command[1:] if word.startswith(DECIDES))]
    clang = is_clang(command[0])
    query += ["-###", "-c", "-xc++", "/dev/null"] if clang else ["-Q", "--help=optimizers"]
    done = subprocess.run(query, capture_output=True, text=True, check=True)
    if clang:  # clang prints the command that it runs
        return '"-vectorize-slp"' in done.stderr
    line = next(line for line in done.stdout.splitlines() if "-ftree-slp-vectorize" in line)
    return "[enabled]" in line
