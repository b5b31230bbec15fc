// A capsule that spins on a plane with rolling resistance.
#pragma once

#include <cmath>
#include <memory>
#include <string_view>

#include "client/lab/methods/rolling_resistance.h"
#include "client/lab/rotation_run.h"

namespace orrery::lab {

// A spinning capsule. The resistance takes a tenth of the initial angular momentum per second. Each
// step of `step` seconds is divided into `parts` equal parts.
class RollingCapsule {
 public:
  RollingCapsule(std::string_view method, double step, int parts)
      : rotator_(make_rotator<double>(method)), step_(step / parts), parts_(parts) {
    const Triple<double> l = integrate::momentum(state_);
    impulse_ = 0.1 * std::sqrt(integrate::dot(l, l)) * step_;
    rotator_->start(state_, kInertia, step_);
  }

  void step() {
    for (int i = 0; i < parts_; ++i) {
      rotator_->step(state_, kInertia, step_);
      integrate::resist_rolling(state_, impulse_);
      // Starts again, because some methods keep a copy of the momentum, which has changed.
      rotator_->start(state_, kInertia, step_);
    }
  }
  double energy() const {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += state_.l[k] * state_.l[k] / kInertia[k] / 2;
    return sum;
  }
  Triple<double> momentum() const {
    return integrate::turned(integrate::attitude(state_), integrate::momentum(state_));
  }
  Triple<double> axis() const {
    return integrate::turned(integrate::attitude(state_), Triple<double>{0, 0, 1});
  }

 private:
  static constexpr Triple<double> kInertia{1, 1, 0.2};
  RotationState<double> state_ = spinning<double>(kInertia, {1, 0.5, 20});
  std::unique_ptr<Rotator<double>> rotator_;
  double step_;
  int parts_;
  double impulse_ = 0;
};

}  // namespace orrery::lab
