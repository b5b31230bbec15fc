// Steps a method on a problem.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "client/lab/method.h"

namespace orrery::lab {

template <class T>
class Simulation {
 public:
  // Starts from the problem's initial state. `h` is the length of the first step.
  Simulation(std::string_view method, const Problem& problem, T h,
             const MethodOptions& options = {})
      : system_(problem), stepper_(make_stepper<T>(method, problem.dimension(), options)) {
    for (Real x : problem.x0) state_.x.push_back(static_cast<T>(x));
    for (Real v : problem.v0) state_.v.push_back(static_cast<T>(v));
    stepper_->start(state_, system_, h);
  }

  // Starts again from another state at time 0. REQUIRES: the problem has one coordinate.
  void restart(T x, T v, T h) {
    state_ = {0, {x}, {v}};
    stepper_->start(state_, system_, h);
  }

  // Takes a step. Bounces cut it into shorter steps; the method starts again after each.
  void step(T h) {
    for (T flight; (flight = time_to_bounce()) < h; h -= flight) {
      if (flight > 0) stepper_->step(state_, system_, flight);
      state_.x[0] = 0;
      state_.v[0] = system_.bounced(state_.v[0]);
      stepper_->start(state_, system_, std::min(h - flight, time_to_bounce()));
    }
    if (!system_.is_at_rest(x(), v())) stepper_->step(state_, system_, h);
  }
  void steps(T h, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) step(h);
  }

  const integrate::State<T>& state() const { return state_; }
  T x() const { return state_.x[0]; }
  T v() const { return state_.v[0]; }
  LabSystem<T>& system() { return system_; }
  std::uint64_t evaluations() const { return system_.evaluations(); }

 private:
  T time_to_bounce() const { return system_.time_to_bounce(x(), v()); }

  LabSystem<T> system_;
  std::unique_ptr<Stepper<T>> stepper_;
  integrate::State<T> state_;
};

}  // namespace orrery::lab
