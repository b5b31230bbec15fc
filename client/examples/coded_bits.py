# The bytes of coded frames as bits, numbers and residuals: schema/coding.md in Python.
"""Reads the bits, numbers and residuals of coded frames."""
import bisect
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROBABILITY = 1 << 15
SCALE_MIN, SCALE_MAX, DIRECT_MAX = -8, 96, 8  # of residuals, in quarter octaves
DIRECT, SYMBOLS = 12, 31
CLASSES = ((13, 3), (21, 5), (53, 0))  # first magnitude, raw bits


class Model:
    """The probability that a bit is 1."""

    def __init__(self, one, count):
        self.one, self.count = one, count

    def learn(self, bit):
        target = PROBABILITY - 32 if bit else 32
        change = (target - self.one) * (65536 // (self.count + 2))
        self.one += abs(change) // 65536 * (1 if change > 0 else -1)
        self.count = min(self.count + 1, 62)


class BitReader:
    """Reads bits at level cheap."""

    def __init__(self, data):
        self.bits, self.size, self.at = int.from_bytes(data, "little"), len(data), 0

    def raw(self, count):
        value = self.bits >> self.at & (1 << count) - 1
        self.at += count
        return value

    def bit(self, _):
        return self.raw(1)

    def rice(self, k):
        ones = 0
        while ones < 10 and self.raw(1):
            ones += 1
        if ones < 10:
            return signed(ones << k | self.raw(k))
        return signed(self.raw(min(self.raw(6), 32)))

    def ended(self):
        return (self.at + 7) // 8 == self.size and self.bits >> self.at == 0


class RangeDecoder:
    """Reads symbols at level fast."""

    def __init__(self, data):
        self.data, self.at, self.range, self.code = data, 0, 0xFFFFFFFF, 0
        for _ in range(4):
            self.code = self.code << 8 | self.next()

    def next(self):
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def place(self):
        self.range >>= 15
        return min(self.code // self.range, PROBABILITY - 1)

    def take(self, begin, size):
        self.code = (self.code - begin * self.range) & 0xFFFFFFFF
        self.range = self.range * size & 0xFFFFFFFF
        while self.range < 1 << 24:
            self.range = self.range << 8 & 0xFFFFFFFF
            self.code = (self.code << 8 | self.next()) & 0xFFFFFFFF

    def bit(self, model):
        bit = self.place() < model.one
        self.take(*((0, model.one) if bit else (model.one, PROBABILITY - model.one)))
        model.learn(bit)
        return int(bit)

    def raw(self, count):
        value = 0
        while count > 0:
            bits = min(count, 15)
            place = self.place() >> 15 - bits
            self.take(place << 15 - bits, 1 << 15 - bits)
            value = value << bits | place
            count -= bits
        return value

    def ended(self):
        return self.at >= len(self.data)


def signed(value):
    """Returns 0, -1, 1, -2, ... for 0, 1, 2, 3, ..."""
    return value >> 1 ^ -(value & 1)


def number(coder):
    return coder.raw(min(coder.raw(6), 32))


def after(coder, start):
    """Returns a number that is coded by its difference to another, modulo 2^32."""
    return start + signed(number(coder)) & 0xFFFFFFFF


# --- Residuals ------------------------------------------------------------------------------------

def read_tables():
    """Returns the cumulated probabilities of the symbols, by scale and part."""
    tables = {}
    for line in (ROOT / "schema/residuals.txt").read_text().splitlines():
        if not line.startswith("#"):
            scale, part, *table = map(int, line.split())
            tables[scale, part] = table
    return tables


TABLES = read_tables()


def residual(coder, prediction, scale):
    """Returns a number, given its prediction and the scale of residuals in quarter octaves."""
    middle = int(prediction + (-0.5 if prediction < 0 else 0.5))
    fraction = prediction - middle
    scale = min(max(scale, SCALE_MIN), SCALE_MAX)
    shift = (scale - DIRECT_MAX + 3) // 4 if scale > DIRECT_MAX else 0
    part = min(int(abs(fraction) * 8), 3) if shift == 0 else 0
    table = TABLES[scale - 4 * shift, part]
    symbol = bisect.bisect_right(table, coder.place(), 1, SYMBOLS) - 1
    coder.take(table[symbol], table[symbol + 1] - table[symbol])
    at = symbol - SYMBOLS // 2
    magnitude = abs(at)
    if magnitude > DIRECT:
        first, bits = CLASSES[magnitude - DIRECT - 1]
        if bits == 0:
            bits = min(coder.raw(6), 35)
        rest = coder.raw(bits - 16) << 16 if bits > 16 else 0
        magnitude = first + (rest | coder.raw(min(bits, 16)))
    coarse = -magnitude if at < 0 else magnitude
    found = (coarse << shift) + coder.raw(shift) - (1 << shift >> 1)
    return middle + (-found if fraction < 0 else found)
