// The motions of changed bodies at level cheap: one prediction for each body, and Golomb-Rice
// codes.
#include <algorithm>
#include <array>
#include <bit>

#include "common/codec/delta/body_coder.h"
#include "common/codec/delta/entropy/symbols.h"
#include "common/codec/delta/turn.h"

namespace orrery::codec {
namespace {

// The components of a quaternion that are stored, by the index of the largest one.
constexpr std::uint8_t kStored[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

std::int32_t rounded(double x, double bound) {
  const double y = x < -bound ? -bound : x > bound ? bound : x;
  return static_cast<std::int32_t>(y + (y < 0 ? -0.5 : 0.5));
}

// The difference of two numbers modulo 2^32, and its inverse.
std::int32_t difference(std::int32_t x, std::int32_t y) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) - static_cast<std::uint32_t>(y));
}
std::int32_t sum(std::int32_t x, std::int32_t y) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y));
}

// The parameter of the codes of a vector, from the error of its prediction in the last interval and
// from the residuals before it in the frame.
class RiceScale {
 public:
  // Returns the parameter. `error` is the square of a length.
  std::uint32_t parameter(double error) const {
    const double square = (error + recent_) * (1.0 / 6);  // of one component
    const auto exponent =
        static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(square) >> 52) - 1023;
    return static_cast<std::uint32_t>(
        std::clamp(exponent + 1, 0, static_cast<std::int32_t>(2 * kRiceMax)) / 2);
  }

  // Learns the square of the length of a residual.
  void learn(double square) { recent_ += 0.125 * (square - recent_); }

 private:
  double recent_ = 0;  // a mean of the last squares
};

template <class Coder>
class CheapBodyCoder {
 public:
  CheapBodyCoder(const FrameTask& task, Coder& coder)
      : task_(task),
        coder_(coder),
        ratio_(interval_ratio(task)),
        gravity_(gravity_change(task)),
        step_(orientation_step(task.scene.grid)),
        per_step_(1 / step_),
        most_(static_cast<std::int32_t>((1u << task.scene.grid.orientation_bits) - 1)) {
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
    const QuantisedBody& before = task_.baseline.frame.bodies[body.slot];
    QuantisedBody& after = task_.coded.frame.bodies[body.slot];
    const BodyMotion& motion = body.motion ? *body.motion : kNoMotion;
    BodyMotion& result = task_.coded.motions[body.place];
    result.slot = body.slot;
    std::uint32_t active = after.active ? 1 : 0;
    code_raw(coder_, 1, active);
    after.active = active != 0;
    return code_position(before, motion, after, result) &&
           code_rotation(before, motion, after, result);
  }

  // Codes the differences of three numbers to their predictions. If the parameter is 0, a bit says
  // whether all differences are 0.
  void code_numbers(RiceScale& scale, double error, const std::array<std::int32_t, 3>& predicted,
                    std::array<std::int32_t, 3>& numbers) {
    const std::uint32_t k = scale.parameter(error);
    std::uint32_t any = numbers != predicted ? 1 : 0;
    if (k == 0) code_raw(coder_, 1, any);
    const bool has_codes = k > 0 || any != 0;
    double square = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      std::int32_t residual = 0;
      if constexpr (kEncodes<Coder>) residual = difference(numbers[i], predicted[i]);
      if (has_codes) code_rice(coder_, k, residual);
      numbers[i] = sum(predicted[i], residual);
      square += static_cast<double>(residual) * residual;
    }
    scale.learn(square);
  }

  // Predicts the displacement that was best in the last interval: on, falls or rests (README.md).
  bool code_position(const QuantisedBody& before, const BodyMotion& motion, QuantisedBody& after,
                     BodyMotion& result) {
    const Vec3 on = ratio_ * vector_of(motion.displacement);
    const Vec3 falls = on + gravity_;
    const std::array<float, kPositionPredictors>& errors = motion.position_errors;
    const bool is_falling = errors[1] < errors[0];
    const float moving_error = is_falling ? errors[1] : errors[0];
    const bool is_resting = errors[2] < moving_error;
    const Vec3 displacement = is_resting ? Vec3{} : is_falling ? falls : on;
    const double mean[3] = {displacement.x, displacement.y, displacement.z};
    std::array<std::int32_t, 3> predicted;
    for (std::size_t i = 0; i < 3; ++i) {
      predicted[i] = sum(before.position[i], rounded(mean[i], kGridPositionMax));
    }
    code_numbers(position_scale_, double{is_resting ? errors[2] : moving_error}, predicted,
                 after.position);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int32_t position = after.position[i];
      if (position < -kGridPositionMax || position > kGridPositionMax) return false;
      result.displacement[i] = difference(position, before.position[i]);
    }
    const Vec3 moved = vector_of(result.displacement);
    result.position_errors.fill(static_cast<float>(square_of(on - moved)));
    result.position_errors[1] = static_cast<float>(square_of(falls - moved));
    result.position_errors[2] = static_cast<float>(square_of(moved));
    return true;
  }

  // Predicts that the body turns on, or rests, as was better in the last interval.
  bool code_rotation(const QuantisedBody& before, const BodyMotion& motion, QuantisedBody& after,
                     BodyMotion& result) {
    const std::array<float, kRotationPredictors>& errors = motion.rotation_errors;
    const bool is_resting = errors[1] < errors[0];
    const Quat from = orientation_of(step_, before);
    const Vec3 on = bounded_turn(ratio_ * widen(motion.rotation));
    code_orientation(before, is_resting ? from : rotation_of(on) * from,
                     double{is_resting ? errors[1] : errors[0]}, after);
    for (const std::uint16_t x : after.orientation) {
      if (x > most_) return false;
    }
    result.rotation = narrow(bounded_turn(turn_between(from, orientation_of(step_, after))));
    const Vec3 turn = widen(result.rotation);
    const double per_square = per_step_ * per_step_;
    result.rotation_errors.fill(static_cast<float>(per_square * square_of(on - turn)));
    result.rotation_errors[1] = static_cast<float>(per_square * square_of(turn));
    return true;
  }

  void code_orientation(const QuantisedBody& before, const Quat& prediction, double error,
                        QuantisedBody& after) {
    std::uint32_t largest = before.largest;
    std::uint32_t changes = after.largest != largest ? 1 : 0;
    code_raw(coder_, 1, changes);
    if (changes != 0) {
      largest = after.largest;
      code_raw(coder_, 2, largest);
    }
    after.largest = static_cast<std::uint8_t>(largest);
    const double q[4] = {prediction.x, prediction.y, prediction.z, prediction.w};
    const double scale = q[largest] < 0 ? -per_step_ : per_step_;
    std::array<std::int32_t, 3> predicted, numbers;
    for (std::size_t i = 0; i < 3; ++i) {
      predicted[i] = rounded(scale * q[kStored[largest][i]] + 0.5 * most_, 2.0 * most_);
      numbers[i] = after.orientation[i];
    }
    code_numbers(rotation_scale_, error, predicted, numbers);
    for (std::size_t i = 0; i < 3; ++i) {
      // A decoder can read any number. One that is not on the grid becomes another that is not.
      const bool fits = numbers[i] >= 0 && numbers[i] <= most_;
      after.orientation[i] = static_cast<std::uint16_t>(fits ? numbers[i] : 0xFFFF);
    }
  }

  const FrameTask& task_;
  Coder& coder_;
  double ratio_;       // interval_ratio()
  Vec3 gravity_;       // gravity_change()
  double step_;        // of orientation
  double per_step_;    // 1 / step_
  std::int32_t most_;  // largest component of an orientation on the grid
  RiceScale position_scale_;
  RiceScale rotation_scale_;
};

}  // namespace

bool code_bodies(const FrameTask& task, BitWriter& coder) {
  return CheapBodyCoder(task, coder).run();
}

bool code_bodies(const FrameTask& task, BitReader& coder) {
  return CheapBodyCoder(task, coder).run();
}

}  // namespace orrery::codec
