// Kicks: changes of velocity at a fixed position, with three treatments of drag.
//
// A splitting method alternates drifts, which move positions at fixed velocities, and kicks, which
// change velocities at fixed positions. If a force depends on velocity, v += h a(t, x, v) is only
// of order 1, and so is the whole method. If a = f(t, x) - b v, with drag of coefficient b, the
// kick can be solved. It is then v += s h a(t, x, v), with a factor s(bh) that restores the order.
#pragma once

#include "common/integrate/phi.h"
#include "common/integrate/system.h"

namespace orrery::integrate {

// v += h a: for forces that depend only on position.
template <class T>
struct PlainKick {
  static constexpr bool kSolvesDrag = false;

  // Returns the factor s of a kick by h: here always 1.
  template <System<T> S>
  T factor(S&, T) const {
    return 1;
  }
};

// v <- e^(-bh) v + (1 - e^(-bh)) f / b: exact at any h b.
template <class T>
struct ExactDragKick {
  static constexpr bool kSolvesDrag = true;
  // The exponential function to use.
  T (*exp)(T);

  // Returns the factor s of a kick by h.
  T factor(SystemWithDrag<T> auto& system, T h) const {
    return phi1(-static_cast<T>(system.drag()) * h, exp);
  }
};

// v <- (v (1 - bh/2) + h f) / (1 + bh/2): order 2, stable at any h b >= 0, needs no exponential.
template <class T>
struct CrankNicolsonKick {
  static constexpr bool kSolvesDrag = true;

  // Returns the factor s of a kick by h.
  T factor(SystemWithDrag<T> auto& system, T h) const {
    return 1 / (1 + static_cast<T>(system.drag()) * h / 2);
  }
};

// Applies kicks, and stores the acceleration. The next kick at the same position can use it again:
// - If the kick solves drag, the acceleration is updated for the new velocity.
// - Otherwise the old value is kept. It is exact if no force depends on velocity. If one does, the
//   old value saves an evaluation and lowers the order.
template <class T, class Kick>
class Kicker {
 public:
  Kicker(std::size_t dimension, Kick kick) : a_(dimension), kick_(kick) {}

  // Computes the acceleration at the state.
  void evaluate(const State<T>& state, System<T> auto& system) {
    system.acceleration(state.t, state.x, state.v, a_);
  }

  // Changes the velocity by a kick of h with the current acceleration.
  void kick(State<T>& state, System<T> auto& system, T h) {
    const T scaled = kick_.factor(system, h) * h;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const T change = scaled * a_[i];
      state.v[i] = state.v[i] + change;
      if constexpr (Kick::kSolvesDrag) a_[i] -= static_cast<T>(system.drag()) * change;
    }
  }

 private:
  std::vector<T> a_;
  Kick kick_;
};

}  // namespace orrery::integrate
