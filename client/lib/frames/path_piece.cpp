// The path of a body from one received state to the next: polynomials, unless it turns far.
#include "client/lib/frames/path_piece.h"

#include <cmath>

#include "common/core/assert.h"
#include "common/math/elementary.h"

namespace orrery::client {
namespace {

// Largest turn for the cubic quaternion, in radians. Its error is then below 2e-5 rad.
constexpr double kCubicTurnMax = 0.5;
constexpr double kCubicCosineMin = 0.9689124217106447;  // cosine of half this turn

// Returns approximately the share `part` of a rotation, on the shorter way, which is at most half a
// turn.
Quat partial(const Quat& whole, double part) {
  const Quat q = whole.w < 0 ? Quat{-whole.x, -whole.y, -whole.z, -whole.w} : whole;
  return normalized({part * q.x, part * q.y, part * q.z, 1 - part + part * q.w});
}

double dot(const Quat& a, const Quat& b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// Returns a + s b.
Quat sum(const Quat& a, double s, const Quat& b) {
  return {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z, a.w + s * b.w};
}

Quat pure(const Vec3& v) { return {v.x, v.y, v.z, 0}; }
Vec3 vector_of(const Quat& q) { return {q.x, q.y, q.z}; }

}  // namespace

Quat rotation(const Vec3& turned) {
  const double angle = length(turned);
  if (angle < 1e-9) return normalized({turned.x / 2, turned.y / 2, turned.z / 2, 1});
  // A hostile server can state any angular velocity. This keeps the angle in the range of sin().
  const double half = angle / 2 < elementary::kAngleMax ? angle / 2 : elementary::kAngleMax;
  const double s = elementary::sin(half) / angle;
  return {s * turned.x, s * turned.y, s * turned.z, elementary::cos(half)};
}

PathPiece::PathPiece(const codec::BodyState& a, const codec::BodyState& b, double tick_time)
    : begin_(tick_of(a)), end_(tick_of(b)), per_tick_(1 / (end_ - begin_)) {
  ORRERY_ASSERT(begin_ < end_);
  const double h = (end_ - begin_) * tick_time;
  const Vec3 moved = b.position - a.position;
  const Vec3 first = h * a.velocity;
  const Vec3 last = h * b.velocity;
  place_ = {a.position, first, 3 * moved - 2 * first - last, first + last - 2 * moved};
  flies_ =
      length(moved - 0.5 * (first + last)) <= 0.02 * length(moved) + 0.13 * length(last - first);
  set_turn(a, b, h);
}

// Sets the coefficients of the orientation. A cubic polynomial of the quaternion needs no
// trigonometry in each frame. Its derivative at both ends is (w/2) q for an angular velocity w in
// world axes.
void PathPiece::set_turn(const codec::BodyState& a, const codec::BodyState& b, double h) {
  const Vec3 first = h * a.angular_velocity;
  const Vec3 last = h * b.angular_velocity;
  const Quat from = a.orientation;
  const double cosine = dot(from, b.orientation);
  turns_far_ = std::abs(cosine) < kCubicCosineMin || length(first) > kCubicTurnMax ||
               length(last) > kCubicTurnMax;
  if (turns_far_) {
    const Quat missed = b.orientation * conjugate(rotation(0.5 * (first + last)) * from);
    turn_ = {from, missed, pure(first), pure(last - first)};
    return;
  }
  const double sign = cosine < 0 ? -1 : 1;
  const Quat to{sign * b.orientation.x, sign * b.orientation.y, sign * b.orientation.z,
                sign * b.orientation.w};
  const Quat start = pure(0.5 * first) * from;
  const Quat end = pure(0.5 * last) * to;
  const Quat moved = sum(to, -1, from);
  const Quat ends = sum(start, 1, end);
  turn_ = {from, start, sum(sum(moved, 2, moved), -1, sum(start, 1, ends)), sum(ends, -2, moved)};
}

Quat PathPiece::orientation(double tick) const {
  const double s = share(tick);
  if (!turns_far_) {
    return normalized(sum(turn_[0], s, sum(turn_[1], s, sum(turn_[2], s, turn_[3]))));
  }
  // Rotates the first orientation by the angular velocity from the first state on. At the second
  // state, the result misses the received orientation by the rotation turn_[1]. The share `s` of
  // turn_[1] is therefore applied too.
  const Vec3 turned = s * (vector_of(turn_[2]) + (s / 2) * vector_of(turn_[3]));
  if (s <= 0) return turn_[0];
  return normalized(partial(turn_[1], s) * (rotation(turned) * turn_[0]));
}

}  // namespace orrery::client
