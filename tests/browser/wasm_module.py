# Reads WebAssembly modules: sections, imports, exports, and the instructions of all functions.

# Immediate operands of instructions by opcode: "" none, "i" an index or signed number in LEB128,
# "m" a memory argument, and so on. An opcode that is not here is an error: a reader that loses its
# place would see instructions in the middle of others.
PLAIN = {0x00: "", 0x01: "", 0x02: "i", 0x03: "i", 0x04: "i", 0x05: "", 0x0B: "", 0x0C: "i",
         0x0D: "i", 0x0E: "table", 0x0F: "", 0x10: "i", 0x11: "ii", 0x1A: "", 0x1B: "",
         **dict.fromkeys(range(0x20, 0x27), "i"), **dict.fromkeys(range(0x28, 0x3F), "m"),
         0x3F: "i", 0x40: "i", 0x41: "i", 0x42: "i", 0x43: "4", 0x44: "8",
         **dict.fromkeys(range(0x45, 0xC5), "")}
BULK = {**dict.fromkeys(range(0, 8), ""), 8: "ii", 9: "i", 10: "ii", 11: "i"}  # after 0xFC
SIMD = {**dict.fromkeys(range(0, 12), "m"), 12: "16", 13: "16", **dict.fromkeys(range(14, 21), ""),
        **dict.fromkeys(range(21, 35), "1"), **dict.fromkeys(range(35, 84), ""),
        **dict.fromkeys(range(84, 92), "m1"), 92: "m", 93: "m",
        **dict.fromkeys(range(94, 0x100), ""),  # after 0xFD
        **dict.fromkeys(range(0x100, 0x130), "")}
RELAXED = range(0x100, 0x130)  # relaxed SIMD, after 0xFD
SIZES = {"1": 1, "4": 4, "8": 8, "16": 16}


class Damaged(Exception):
    """Bytes that are no module, or a module with an instruction that this file does not know."""


class Reader:
    def __init__(self, data, at=0, end=None):
        self.data, self.at, self.end = data, at, len(data) if end is None else end

    def number(self):
        """Reads an unsigned number in LEB128. Signed numbers have the same length."""
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def text(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size:self.at].decode()

    def skip_immediates(self, kind):
        if kind == "table":  # targets of a branch, and the default
            kind = "i" * (self.number() + 1)
        if kind in SIZES:
            self.at += SIZES[kind]
            return
        for letter in kind:
            if letter == "1":
                self.at += 1
            else:  # a memory argument is two numbers: alignment and offset
                self.number()
                if letter == "m":
                    self.number()


def sections(data):
    """Yields (number, Reader) for each section of a module."""
    if data[:8] != b"\0asm\1\0\0\0":
        raise Damaged("not a module of version 1")
    reader = Reader(data, 8)
    while reader.at < reader.end:
        number = reader.number()
        size = reader.number()
        yield number, Reader(data, reader.at, reader.at + size)
        reader.at += size


def imports(data):
    """Returns the names of the imports, as "module.name"."""
    found = []
    for number, reader in sections(data):
        for _ in range(reader.number() if number == 2 else 0):
            found.append(f"{reader.text()}.{reader.text()}")
            kind = reader.number()
            if kind != 0:
                raise Damaged(f"{found[-1]} is no function")
            reader.number()
    return found


def stack(data):
    """Returns the size of the stack and the lowest address of data. The stack grows down from the
    first of the global variables."""
    size = lowest = None
    for number, reader in sections(data):
        if number == 6:
            reader.number(), reader.number(), reader.number()  # count, type, mutability
            size = constant(reader)
        for _ in range(reader.number() if number == 11 else 0):
            if reader.number() != 0:
                raise Damaged("a data segment of another kind")
            at = constant(reader)
            lowest = at if lowest is None else min(lowest, at)
            segment = reader.number()
            reader.at += segment
    return size, lowest


def constant(reader):
    """Reads an address that is a constant. Addresses below 2 GiB are positive in LEB128."""
    if reader.data[reader.at] != 0x41:
        raise Damaged("an address is no constant")
    reader.at += 1
    value = reader.number()
    reader.at += 1  # the end of the expression
    return value


def exports(data):
    """Returns the names of the exports."""
    found = []
    for number, reader in sections(data):
        for _ in range(reader.number() if number == 7 else 0):
            found.append(reader.text())
            reader.number(), reader.number()
    return found


def instructions(data):
    """Yields (prefix, opcode) for each instruction of each function. The prefix of plain
    instructions is 0."""
    for number, reader in sections(data):
        for _ in range(reader.number() if number == 10 else 0):
            end = reader.number() + reader.at
            for _ in range(reader.number()):  # groups of local variables
                reader.number(), reader.number()
            while reader.at < end:
                prefix, opcode, table = 0, data[reader.at], PLAIN
                reader.at += 1
                if opcode in (0xFC, 0xFD):
                    prefix, table = opcode, BULK if opcode == 0xFC else SIMD
                    opcode = reader.number()
                if opcode not in table:
                    raise Damaged(f"unknown instruction {prefix:#x} {opcode:#x}")
                yield prefix, opcode
                reader.skip_immediates(table[opcode])
            if reader.at != end:
                raise Damaged("a function does not end where it says")


def relaxed(data):
    """Returns the number of instructions of relaxed SIMD."""
    return sum(prefix == 0xFD and opcode in RELAXED for prefix, opcode in instructions(data))
