// The motions of changed bodies: predictions, and the coded differences to them.
#include "common/codec/delta/body_coder.h"

#include <algorithm>

#include "common/codec/delta/blend.h"
#include "common/codec/delta/entropy/symbols.h"
#include "common/codec/delta/turn.h"

namespace orrery::codec {
namespace {

double bounded(double x, double bound) { return x < -bound ? -bound : x > bound ? bound : x; }

// A changed body while it is coded.
struct Subject {
  const QuantisedBody& before;
  QuantisedBody& after;
  const BodyMotion& motion;    // in the interval of the baseline
  BodyMotion& result;          // in the interval of this frame
  const Reference* reference;  // nullptr: it has none, or is one
  Vec3 at;                     // position in the baseline, steps
  Vec3 on;                     // displacement if it moves on as before, steps
  Vec3 moved;                  // displacement, steps
  Vec3 miss;                   // the same, less its prediction
};

template <class Coder>
class BodyCoder {
 public:
  BodyCoder(const FrameTask& task, Coder& coder)
      : task_(task),
        coder_(coder),
        ratio_(interval_ratio(task)),
        gravity_(gravity_change(task)),
        step_(orientation_step(task.scene.grid)),
        roll_(square_of(task.scene.gravity) == 0
                  ? Vec3{}
                  : (-0.5 / length(task.scene.gravity)) * task.scene.gravity),
        position_scale_(task.weights.position),
        rotation_scale_(task.weights.rotation) {
    ORRERY_ASSERT(task.coded.motions.size() >= task.scratch.changed.size());
    ORRERY_ASSERT(task.coded.frame.bodies.size() == task.scene.slots);
    ORRERY_ASSERT(step_ > 0);
  }

  bool run() {
    return std::all_of(task_.scratch.changed.begin(), task_.scratch.changed.end(),
                       [&](const ChangedBody& body) { return code_body(body); });
  }

 private:
  bool code_body(const ChangedBody& body) {
    static constexpr BodyMotion kNoMotion;
    std::vector<Reference>& references = task_.scratch.references;
    const bool is_reference = body.distance < 0;
    Subject s{.before = task_.baseline.frame.bodies[body.slot],
              .after = task_.coded.frame.bodies[body.slot],
              .motion = body.motion ? *body.motion : kNoMotion,
              .result = task_.coded.motions[body.place],
              .reference = body.reference == ChangedBody::kNone || is_reference
                               ? nullptr
                               : &references[body.reference],
              .at = {},
              .on = {},
              .moved = {},
              .miss = {}};
    s.result.slot = body.slot;
    s.at = vector_of(s.before.position);
    s.on = ratio_ * vector_of(s.motion.displacement);
    code_bit(coder_, active_[s.before.active ? 1 : 0][body.motion ? 1 : 0], s.after.active);
    if (!code_position(s) || !code_rotation(s)) return false;
    if (is_reference) {
      const Vec3 turn = widen(s.result.rotation);
      references[body.reference] = {.slot = body.slot,
                                    .from = s.at,
                                    .to = s.at + s.moved,
                                    .rotation = rotation(rotation_of(turn)),
                                    .turn = turn};
    }
    return true;
  }

  // --- position ---

  Predictions<kPositionPredictors> positions(const Subject& s) const {
    Predictions<kPositionPredictors> p;
    p.known = {true, true, true, s.reference != nullptr};
    p.vectors[0] = s.on;
    p.vectors[1] = s.on + gravity_;
    if (s.reference) {
      const Reference& m = *s.reference;
      p.vectors[3] = m.to + m.rotation * (s.at - m.from) - s.at;
    }
    p.errors = s.motion.position_errors;
    return p;
  }

  bool code_position(Subject& s) {
    const Predictions p = positions(s);
    const Blend blend = blend_of(p, task_.weights.position, 0);
    const double logarithm = position_scale_.logarithm(
        {1, blend.error, blend.spread, 0, position_scale_.recent(), square_of(s.on), 0});
    const double mean[3] = {blend.vector.x, blend.vector.y, blend.vector.z};
    AxisScale axis(logarithm, task_.weights.position.seen);
    double miss[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const double prediction = bounded(mean[i], kPredictionMax);
      std::int64_t number = std::int64_t{s.after.position[i]} - s.before.position[i];
      code_residual(coder_, task_.tables, prediction, axis.quarters(), number);
      const std::int64_t position = s.before.position[i] + number;
      if (position < -kGridPositionMax || position > kGridPositionMax) return false;
      s.after.position[i] = static_cast<std::int32_t>(position);
      s.result.displacement[i] = static_cast<std::int32_t>(number);
      miss[i] = static_cast<double>(number) - prediction;
      axis.learn(miss[i]);
    }
    s.miss = {miss[0], miss[1], miss[2]};
    s.moved = vector_of(s.result.displacement);
    position_scale_.learn(square_of(s.miss), logarithm);
    s.result.position_errors = errors_of(p, s.moved);
    return true;
  }

  // --- rotation ---

  // Returns the turn of a ball that rolls by a displacement, in steps of orientation.
  Vec3 rolling(const Subject& s, const Vec3& displacement) const {
    return (1 / (step_ * radius_of(s.before.size))) * cross(roll_, displacement);
  }

  Predictions<kRotationPredictors> rotations(const Subject& s) const {
    Predictions<kRotationPredictors> p;
    const double per_step = 1 / step_;
    const Vec3 on = (per_step * ratio_) * widen(s.motion.rotation);
    p.known = {true, true, s.reference != nullptr, true, true};
    p.vectors[0] = on;
    if (s.reference) p.vectors[2] = per_step * s.reference->turn;
    p.vectors[3] = on + rolling(s, s.moved - s.on);
    p.vectors[4] = rolling(s, s.moved);
    p.errors = s.motion.rotation_errors;
    return p;
  }

  bool code_rotation(Subject& s) {
    const Predictions p = rotations(s);
    const double change = square_of(s.moved - s.on);
    const Blend blend = blend_of(p, task_.weights.rotation, change);
    const Vec3 turn = step_ * blend.vector;
    const double logarithm =
        rotation_scale_.logarithm({1, blend.error, blend.spread, square_of(s.miss),
                                   rotation_scale_.recent(), square_of(p.vectors[0]), change});
    const Quat from = orientation_of(step_, s.before);
    if (!code_orientation(s.after, rotation_of(bounded_turn(turn)) * from, logarithm)) return false;
    const Quat to = orientation_of(step_, s.after);
    s.result.rotation = narrow(bounded_turn(turn_between(from, to)));
    s.result.rotation_errors = errors_of(p, (1 / step_) * widen(s.result.rotation));
    return true;
  }

  bool code_orientation(QuantisedBody& after, const Quat& predicted, double logarithm) {
    const double q[4] = {predicted.x, predicted.y, predicted.z, predicted.w};
    code_largest(after, q, logarithm);
    const double sign = q[after.largest] < 0 ? -1 : 1;
    const auto most = static_cast<std::int64_t>((1u << task_.scene.grid.orientation_bits) - 1);
    const double middle = 0.5 * static_cast<double>(most);
    AxisScale axis(logarithm, task_.weights.rotation.seen);
    double sum = 0;
    for (std::size_t i = 0, at = 0; i < 4; ++i) {
      if (i == after.largest) continue;
      const double prediction = sign * q[i] / step_ + middle;
      std::int64_t number = after.orientation[at];
      code_residual(coder_, task_.tables, prediction, axis.quarters(), number);
      if (number < 0 || number > most) return false;
      after.orientation[at++] = static_cast<std::uint16_t>(number);
      const double residual = static_cast<double>(number) - prediction;
      axis.learn(residual);
      sum += residual * residual;
    }
    rotation_scale_.learn(sum, logarithm);
    return true;
  }

  // Codes which component is the largest. The prediction is less sure if another component is
  // predicted nearly as large.
  void code_largest(QuantisedBody& after, const double (&q)[4], double logarithm) {
    std::uint32_t first = 0;
    for (std::uint32_t i = 1; i < 4; ++i) {
      if (q[i] * q[i] > q[first] * q[first]) first = i;
    }
    std::uint32_t second = first == 0 ? 1 : 0;
    for (std::uint32_t i = 1; i < 4; ++i) {
      if (i != first && q[i] * q[i] > q[second] * q[second]) second = i;
    }
    const double margin = (q[first] * q[first] - q[second] * q[second]) / step_;
    const double sure = log2_of_one_plus(margin) - bounded(logarithm, 24);
    bool is_first = after.largest == first;
    code_bit(coder_, is_first_[sure < -1 ? 0 : sure < 1 ? 1 : sure < 3 ? 2 : 3], is_first);
    std::uint32_t largest = is_first ? first : after.largest;
    if (!is_first) {
      bool is_second = largest == second;
      code_bit(coder_, is_second_, is_second);
      if (is_second) largest = second;
      if (!is_second) code_raw(coder_, 2, largest);
    }
    after.largest = static_cast<std::uint8_t>(largest);
  }

  const FrameTask& task_;
  Coder& coder_;
  double ratio_;  // interval_ratio()
  Vec3 gravity_;  // gravity_change()
  double step_;   // of orientation
  Vec3 roll_;     // 1/2 upwards
  ResidualScale position_scale_;
  ResidualScale rotation_scale_;
  BitModel active_[2][2] = {{BitModel(kHalf, 2), BitModel(kHalf / 8, 4)},
                            {BitModel(kHalf, 2), BitModel(31 * kHalf / 16, 4)}};
  BitModel is_first_[4] = {BitModel(kHalf, 3), BitModel(3 * kHalf / 2, 3),
                           BitModel(15 * kHalf / 8, 5), BitModel(2 * kHalf - 64, 12)};
  BitModel is_second_{15 * kHalf / 8, 3};
};

}  // namespace

bool code_bodies(const FrameTask& task, RangeEncoder& coder) {
  return BodyCoder(task, coder).run();
}

bool code_bodies(const FrameTask& task, RangeDecoder& coder) {
  return BodyCoder(task, coder).run();
}

}  // namespace orrery::codec
