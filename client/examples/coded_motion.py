# The motions of bodies in coded frames: schema/coding.md in Python.
"""Decodes how the changed bodies of a frame moved and turned."""
import math
import struct

from coded_bits import Model, residual

POSITION_MAX = 1 << 30
TURN_MAX = 10
HALF = 1 << 14
COMPONENT_MAX = 0.70710678118654757
STORED = ((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))  # components, by the index of the largest

# Weights: trust, doubt and surprise of each prediction; of the scale; seen and drift.
POSITION = (((2.07, 2.02e-07, 0), (1.25, 0.074, 0), (3.45, 8.04e-12, 0), (2.49, 3.06, 0)),
            (0.072, 0.254, 0.64, 0, 0.0568, -0.119, 0), 0.577, 0.149)
ROTATION = (((2.36, 0.0117, 4.17e-10), (3.79, 9.31e-06, 0.00123), (7.34, 2.85, 4.29e-05),
             (1.37, 1.45, 0.0257), (6.01, 0.00529, 8.17e-06)),
            (-2.48, 0.151, 0.511, 0.468, 0.0306, -0.00459, -0.017), 0.447, 0.0459)


class Malformed(Exception):
    """The bytes are not a frame."""


# --- Vectors and turns ----------------------------------------------------------------------------

def single(x):
    """Rounds to binary32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def add(a, b):
    return [a[0] + b[0], a[1] + b[1], a[2] + b[2]]


def sub(a, b):
    return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]


def times(s, a):
    return [s * a[0], s * a[1], s * a[2]]


def square(a):
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def product(a, b):
    """Returns the product of two quaternions x, y, z, w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def bounded_turn(turn):
    length = square(turn)
    if length <= TURN_MAX * TURN_MAX:
        return turn
    return times(TURN_MAX / math.sqrt(length), turn)


def rotation_of(turn):
    w = 1 / math.sqrt(1 + square(turn))
    return [w * turn[0], w * turn[1], w * turn[2], w]


def turn_between(start, end):
    x, y, z, w = product(end, [-start[0], -start[1], -start[2], start[3]])
    sign = -1.0 if w < 0 else 1.0
    scale = sign / max(sign * w, 1 / TURN_MAX)
    return [scale * x, scale * y, scale * z]


def rotated(q, v):
    """Rotates a vector by the matrix of a quaternion."""
    x, y, z, w = q
    columns = ([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
               [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
               [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    return add(add(times(v[0], columns[0]), times(v[1], columns[1])), times(v[2], columns[2]))


def orientation_of(scene, body):
    """Returns the orientation of a body on the grid."""
    a, b, c = (x * scene.turn_step - COMPONENT_MAX for x in body.orientation)
    rest = 1 - a * a - b * b - c * c
    q = [a, b, c]
    q.insert(body.largest, math.sqrt(max(rest, 1 / 16)))
    if rest >= 1 / 16:
        return q
    s = 1 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return [s * x for x in q]


def logarithm(x):
    """Returns log2(1 + x), nearly."""
    mantissa, exponent = math.frexp(1 + x)
    m = 2 * mantissa - 1
    return (exponent - 1) + m * (1.3465 - 0.3465 * m)


# --- Blends and scales ----------------------------------------------------------------------------

def blend(predictions, errors, weights, surprise):
    """Returns the blend of predictions, None being unknown, its mean error, and its spread."""
    w, total, vector, error = [0.0] * len(predictions), 0.0, [0.0, 0.0, 0.0], 0.0
    for i, (prediction, (trust, doubt, shy)) in enumerate(zip(predictions, weights)):
        if prediction is not None:
            w[i] = trust / (errors[i] + doubt + shy * surprise)
            total += w[i]
            vector = add(vector, times(w[i], prediction))
            error += w[i] * errors[i]
    scale = 1 / total
    vector = times(scale, vector)
    spread = 0.0
    for weight, prediction in zip(w, predictions):
        if prediction is not None:
            spread += weight * square(sub(prediction, vector))
    return vector, scale * error, scale * spread


def errors_of(predictions, vector):
    return [single(square(sub(predictions[0] if p is None else p, vector))) for p in predictions]


class ResidualScale:
    """The scale of the residuals of vectors, which follows the frame."""

    def __init__(self, weights):
        _, self.weights, self.seen, self.drift = weights
        self.bias = self.recent = 0.0

    def logarithm(self, features):
        total = self.bias + self.weights[0]
        for weight, feature in zip(self.weights[1:], features):
            total += 0.5 * weight * logarithm(feature)
        return total

    def learn(self, miss, scale):
        self.recent += 0.125 * (miss - self.recent)
        self.bias += self.drift * (0.5 * logarithm(miss) - scale - 1)
        self.bias = min(max(self.bias, -4.0), 4.0)


class AxisScale:
    """The scale of the axes of one vector."""

    def __init__(self, scale, seen):
        self.scale, self.seen = min(max(scale, -24.0), 24.0), seen
        self.inverse = math.ldexp(1.0, -(int(self.scale + 64) - 64))
        self.total, self.axes = 0.0, 0

    def quarters(self):
        scale = self.scale
        if self.axes > 0:
            seen = self.total * self.inverse / self.axes
            scale += logarithm(self.seen * (min(seen, 3.0) - 1))
        return int(4 * scale + 4096.5) - 4096

    def learn(self, missed):
        self.total += abs(missed)
        self.axes += 1


# --- Bodies that changed --------------------------------------------------------------------------

class FastBodies:
    """Reads the motions of a frame at level fast."""

    def __init__(self, task):
        self.task, self.coder, self.scene = task, task.coder, task.scene
        self.position_scale, self.rotation_scale = ResidualScale(POSITION), ResidualScale(ROTATION)
        fall = square(self.scene.gravity)
        self.roll = times(-0.5 / math.sqrt(fall), self.scene.gravity) if fall else [0.0, 0.0, 0.0]
        self.active = ((Model(HALF, 2), Model(HALF // 8, 4)),
                       (Model(HALF, 2), Model(31 * HALF // 16, 4)))
        self.is_first = (Model(HALF, 3), Model(3 * HALF // 2, 3), Model(15 * HALF // 8, 5),
                         Model(2 * HALF - 64, 12))
        self.is_second = Model(15 * HALF // 8, 3)

    def read(self, slot, before, after, motion, result):
        references, nearest = self.task.references, self.task.nearest[slot]
        reference = None if nearest is None or nearest == slot else references[nearest]
        at = before.position
        on = times(self.task.ratio, motion.displacement)
        moved = slot in self.task.baseline.motions
        after.active = self.coder.bit(self.active[before.active][moved])
        miss = self.read_position(before, after, motion, result, on, reference)
        self.read_rotation(before, after, motion, result, on, reference, miss)
        if nearest == slot:
            references[slot] = (at, add(at, result.displacement), rotation_of(result.turn),
                                result.turn)

    def read_position(self, before, after, motion, result, on, reference):
        """Returns the square of the length by which the prediction missed."""
        at, ride = before.position, None
        if reference:
            start, end, rotation, _ = reference
            ride = sub(add(end, rotated(rotation, sub(at, start))), at)
        predictions = [on, add(on, self.task.gravity), [0.0, 0.0, 0.0], ride]
        mean, error, spread = blend(predictions, motion.position_errors, POSITION[0], 0.0)
        scale = self.position_scale.logarithm(
            [error, spread, 0.0, self.position_scale.recent, square(on), 0.0])
        axis, miss = AxisScale(scale, self.position_scale.seen), []
        for i in range(3):
            prediction = bounded(mean[i], 2.0**31)
            result.displacement[i] = residual(self.coder, prediction, axis.quarters())
            miss.append(result.displacement[i] - prediction)
            axis.learn(miss[i])
        after.position = add(at, result.displacement)
        if max(map(abs, after.position)) > POSITION_MAX:
            raise Malformed("position")
        self.position_scale.learn(square(miss), scale)
        result.position_errors = errors_of(predictions, result.displacement)
        return square(miss)

    def rolling(self, before, displacement):
        return times(1 / (self.scene.turn_step * radius_of(before.size)),
                     cross(self.roll, displacement))

    def read_rotation(self, before, after, motion, result, on, reference, miss):
        step = self.scene.turn_step
        per_step, moved = 1 / step, result.displacement
        turns = times(per_step * self.task.ratio, motion.turn)
        ride = times(per_step, reference[3]) if reference else None
        predictions = [turns, [0.0, 0.0, 0.0], ride,
                       add(turns, self.rolling(before, sub(moved, on))),
                       self.rolling(before, moved)]
        change = square(sub(moved, on))
        mean, error, spread = blend(predictions, motion.rotation_errors, ROTATION[0], change)
        scale = self.rotation_scale.logarithm(
            [error, spread, miss, self.rotation_scale.recent, square(turns), change])
        start = orientation_of(self.scene, before)
        turn = bounded_turn(times(step, mean))
        self.read_orientation(after, product(rotation_of(turn), start), scale)
        finish(self.scene, start, after, result)
        result.rotation_errors = errors_of(predictions, times(per_step, result.turn))

    def read_orientation(self, after, q, scale):
        after.largest = self.read_largest(q, scale)
        sign, middle = -1.0 if q[after.largest] < 0 else 1.0, 0.5 * self.scene.most
        axis, total = AxisScale(scale, self.rotation_scale.seen), 0.0
        after.orientation = []
        for i in STORED[after.largest]:
            prediction = sign * q[i] / self.scene.turn_step + middle
            after.orientation.append(residual(self.coder, prediction, axis.quarters()))
            missed = after.orientation[-1] - prediction
            axis.learn(missed)
            total += missed * missed
        check_orientation(self.scene, after)
        self.rotation_scale.learn(total, scale)

    def read_largest(self, q, scale):
        first = max(range(4), key=lambda i: (q[i] * q[i], -i))
        second = max((i for i in range(4) if i != first), key=lambda i: (q[i] * q[i], -i))
        margin = (q[first] * q[first] - q[second] * q[second]) / self.scene.turn_step
        sure = logarithm(margin) - bounded(scale, 24.0)
        model = 0 if sure < -1 else 1 if sure < 1 else 2 if sure < 3 else 3
        if self.coder.bit(self.is_first[model]):
            return first
        return second if self.coder.bit(self.is_second) else self.coder.raw(2)


class RiceScale:
    """The parameter of the codes of vectors at level cheap."""

    def __init__(self):
        self.recent = 0.0

    def parameter(self, error):
        mean = (error + self.recent) * (1.0 / 6)
        exponent = math.frexp(mean)[1] - 1 if mean > 0 else -1023
        return min(max(exponent + 1, 0), 40) // 2

    def learn(self, length):
        self.recent += 0.125 * (length - self.recent)


class CheapBodies:
    """Reads the motions of a frame at level cheap."""

    def __init__(self, task):
        self.task, self.coder, self.scene = task, task.coder, task.scene
        self.position_scale, self.rotation_scale = RiceScale(), RiceScale()

    def read(self, _, before, after, motion, result):
        after.active = self.coder.raw(1)
        self.read_position(before, after, motion, result)
        self.read_rotation(before, after, motion, result)

    def numbers(self, scale, error, predicted):
        """Returns three numbers, given their predictions."""
        k = scale.parameter(error)
        missed = [0, 0, 0]
        if k > 0 or self.coder.raw(1):
            missed = [self.coder.rice(k) for _ in range(3)]
        scale.learn(square([float(m) for m in missed]))
        return [whole(p + m & 0xFFFFFFFF) for p, m in zip(predicted, missed)]

    def read_position(self, before, after, motion, result):
        on = times(self.task.ratio, motion.displacement)
        falls = add(on, self.task.gravity)
        errors = motion.position_errors
        is_falling = errors[1] < errors[0]
        error, mean = (errors[1], falls) if is_falling else (errors[0], on)
        if errors[2] < error:
            error, mean = errors[2], [0.0, 0.0, 0.0]
        predicted = [p + nearest(x, 2.0**30) for p, x in zip(before.position, mean)]
        after.position = self.numbers(self.position_scale, error, predicted)
        if max(map(abs, after.position)) > POSITION_MAX:
            raise Malformed("position")
        moved = result.displacement = [whole(a - b & 0xFFFFFFFF)
                                       for a, b in zip(after.position, before.position)]
        first = single(square(sub(on, moved)))
        result.position_errors = [first, single(square(sub(falls, moved))),
                                  single(square([float(x) for x in moved])), first]

    def read_rotation(self, before, after, motion, result):
        errors, start = motion.rotation_errors, orientation_of(self.scene, before)
        on = bounded_turn(times(self.task.ratio, motion.turn))
        is_resting = errors[1] < errors[0]
        prediction = start if is_resting else product(rotation_of(on), start)
        self.read_orientation(before, after, prediction, errors[1] if is_resting else errors[0])
        finish(self.scene, start, after, result)
        per_square = (1 / self.scene.turn_step) * (1 / self.scene.turn_step)
        first = single(per_square * square(sub(on, result.turn)))
        rest = single(per_square * square(result.turn))
        result.rotation_errors = [first, rest, first, first, first]

    def read_orientation(self, before, after, q, error):
        after.largest = self.coder.raw(2) if self.coder.raw(1) else before.largest
        per_step, most = 1 / self.scene.turn_step, self.scene.most
        scale = -per_step if q[after.largest] < 0 else per_step
        predicted = [nearest(scale * q[i] + 0.5 * most, 2.0 * most) for i in STORED[after.largest]]
        after.orientation = self.numbers(self.rotation_scale, error, predicted)
        check_orientation(self.scene, after)


def finish(scene, start, after, result):
    """Sets the turn of a body from its orientations."""
    turn = bounded_turn(turn_between(start, orientation_of(scene, after)))
    result.turn = [single(x) for x in turn]


def check_orientation(scene, body):
    if not all(0 <= x <= scene.most for x in body.orientation):
        raise Malformed("orientation")


def bounded(x, bound):
    return -bound if x < -bound else min(x, bound)


def nearest(x, bound):
    y = bounded(x, bound)
    return int(y + (-0.5 if y < 0 else 0.5))


def whole(value):
    """Returns a number of 32 bits as a signed one."""
    return value - (1 << 32) if value >> 31 else value


def radius_of(size):
    """Returns a radius in steps from its 16 bits."""
    return math.ldexp(1 + (size & 2047) / 2048, size >> 11)
