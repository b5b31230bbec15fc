# Rules about the compiled common library: no writable data, no functions of libm.
import re
import subprocess

from layers import LIBM


def problems_in_library(library):
    """What the compiled library reveals: writable data, and calls of libm."""
    listed = subprocess.run(["objdump", "-tC", str(library)], capture_output=True, text=True,
                            check=True).stdout
    # objdump prints "address flags section<tab>size name". Only the loader writes .data.rel.ro.
    for section, symbol in re.findall(r"^\w+ .{7} (\S+)\t\w+ (.*)$", listed, re.M):
        symbol = symbol.removeprefix(".hidden ")
        writable = re.match(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)", section)
        if writable and not symbol.startswith("."):
            yield "global-state", str(library), 1, f"writable data: {symbol}"
        if section == "*UND*" and re.fullmatch(rf"({LIBM})f?l?", symbol):
            yield "libm-calls", str(library), 1, f"calls {symbol} of libm"
