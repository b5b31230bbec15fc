// Owns the kick: the change of velocity at a standing position, with drag treated in one of three
// ways.
//
// Splitting methods alternate drifts (positions move, velocities stay) and kicks (velocities
// change, positions stay). If a force depends on the velocity, v += h a(t, x, v) is only of order
// 1, and so is then the whole method. For drag, a = f(t, x) - b v, the kick can be solved: it is
// again v += s h a(t, x, v), with a factor s(bh) that restores the order of the method.
#pragma once

#include "common/integrate/phi.h"
#include "common/integrate/system.h"

namespace orrery::integrate {

// v += h a: for forces that depend on the position alone.
template <class T>
struct PlainKick {
  static constexpr bool kSolvesDrag = false;

  template <System<T> S>
  T factor(S&, T) const {
    return 1;
  }
};

// v <- e^(-bh) v + (1 - e^(-bh))/b f: exact at any h b.
template <class T>
struct ExactDragKick {
  static constexpr bool kSolvesDrag = true;
  T (*exp)(T);

  template <SystemWithDrag<T> S>
  T factor(S& system, T h) const {
    return phi1(-static_cast<T>(system.drag()) * h, exp);
  }
};

// v <- (v (1 - bh/2) + h f) / (1 + bh/2): order 2, stable at any h b >= 0, no exponential.
template <class T>
struct CrankNicolsonKick {
  static constexpr bool kSolvesDrag = true;

  template <SystemWithDrag<T> S>
  T factor(S& system, T h) const {
    return 1 / (1 + static_cast<T>(system.drag()) * h / 2);
  }
};

// The force that a kick uses, and may use again for the next kick at the same position: where drag
// is solved, only the velocity in it has changed; where it is not, the old value stays, which is
// exact if no force depends on the velocity and otherwise saves an evaluation at the cost of order.
template <class T, class Kick>
class Kicker {
 public:
  Kicker(std::size_t dimension, Kick kick) : a_(dimension), kick_(kick) {}

  template <System<T> S>
  void evaluate(const State<T>& state, S& system) {
    system.acceleration(state.t, state.x, state.v, a_);
  }

  template <System<T> S>
  void kick(State<T>& state, S& system, T h) {
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
