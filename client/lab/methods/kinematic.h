// The kinematic integrator: each force computes the changes of velocity and position that it causes
// by itself.
//
// x1 = x0 + h v0 + sum dx, v1 = v0 + sum dv, where (dv, dx) is the effect of one force over h, as
// if no other force acted. With KinematicPosition::exact, the effect is exact for a constant force,
// a spring and linear drag, at any h. Other forces use semi-implicit Euler from v0: dv = h a, dx =
// h dv. "True Physics" (2010).
//
// Several forces that depend on position or velocity do not see the effects of each other within
// the step, so the order is 2. Take for example a mass on two equal springs, where w is the angular
// frequency with only one of them, and p = h w. With KinematicPosition::exact, the energy then
// grows by the fraction p^4/6 in each step. With KinematicPosition::average, it falls by p^4/12.
// Two springs also act on every mass inside a chain. For chains and nets use leapfrog, or solve
// them as a whole with normal_modes.h.
#pragma once

#include <algorithm>

#include "common/integrate/phi.h"
#include "common/integrate/square_root.h"
#include "common/integrate/system.h"

namespace orrery::integrate {

// The effect over h of one spring (of frequency w) or one drag (of coefficient b) on the
// displacement x and the velocity v: dv = v_to_v v + x_to_v x, dx = v_to_x v + x_to_x x.
template <class T>
struct KinematicCoefficients {
  T v_to_v = 0;
  T x_to_v = 0;
  T v_to_x = 0;
  T x_to_x = 0;
};

// How the position change dx of a spring or of drag is computed.
enum class KinematicPosition {
  exact,    // as if no other force acted
  average,  // dx = h/2 dv, as if the mean acceleration acted during the whole step
};

// Returns the coefficients of a spring. `stiffness` is per unit of mass, and equals w^2. REQUIRES:
// stiffness >= 0.
template <class T>
KinematicCoefficients<T> spring_coefficients(T stiffness, T h, const Functions<T>& functions) {
  ORRERY_ASSERT(stiffness >= 0);
  if (stiffness == 0) return {};
  const T w = square_root(stiffness);
  const T sine = functions.sin(w * h);
  const T half_sine = functions.sin(w * h / 2);
  const T cosine_less_1 = -2 * half_sine * half_sine;
  return {cosine_less_1, -w * sine, sine / w - h, cosine_less_1};
}

// Returns the coefficients of drag, v' = -b v.
template <class T>
KinematicCoefficients<T> drag_coefficients(T b, T h, const Functions<T>& functions) {
  const T z = -b * h;
  return {z * phi1(z, functions.exp), 0, h * z * phi2(z, functions.exp), 0};
}

// The kinds of force that have an exact solution.
enum class ForceKind { constant, spring, drag };

// Stands for the fixed ground in place of the index of a coordinate.
inline constexpr std::size_t kGround = static_cast<std::size_t>(-1);

// A force on coordinate `a`, and the opposite force on coordinate `b` unless that is the ground.
template <class T>
struct Force {
  ForceKind kind = ForceKind::constant;
  std::size_t a = 0;
  std::size_t b = kGround;
  T strength = 0;  // constant: force; spring: stiffness; drag: coefficient
  T rest = 0;      // spring: x_a - x_b at rest (x_a if b is the ground)
  T inverse_mass_a = 1;
  T inverse_mass_b = 0;
};

// A system that lists its forces, and computes the acceleration by all forces that are not in the
// list.
template <class S, class T>
concept SystemWithForces = requires(S& system, T t, std::span<const T> in, std::span<T> out) {
  { system.forces() } -> std::convertible_to<std::span<const Force<T>>>;
  { system.has_other_forces() } -> std::convertible_to<bool>;
  system.other_acceleration(t, in, in, out);
};

// The method described at the top of this file.
//
// - KinematicPosition::exact: exact for one force, order 2 for several. With several springs it is
//   unstable at every h, but slowly: a step adds a share of order (h w)^4 to the energy.
// - KinematicPosition::average: order 2; order 3 for two equal springs from rest. Stable for
//   h w < pi with one spring. With two equal springs of frequency w each, stable for h w < pi/2.
// - Both: order 1 if a force has no exact solution and uses semi-implicit Euler.
//
// Coefficients are computed when h or the number of forces changes. Call start() again after any
// other change of a force.
template <class T>
class Kinematic {
 public:
  Kinematic(std::size_t dimension, KinematicPosition position, Functions<T> functions)
      : dx_(dimension), dv_(dimension), a_(dimension), position_(position), functions_(functions) {}

  // Computes the coefficients of all forces for steps of h.
  void start(State<T>&, SystemWithForces<T> auto& system, T h) { prepare(system.forces(), h); }

  // Advances the state by h. Recomputes the coefficients if h or the number of forces has changed.
  void step(State<T>& state, SystemWithForces<T> auto& system, T h) {
    const std::span<const Force<T>> forces = system.forces();
    if (h != h_ || forces.size() != coefficients_.size()) prepare(forces, h);
    add_other_forces(state, system, h);
    for (std::size_t i = 0; i < forces.size(); ++i) add(state, forces[i], coefficients_[i], h);
    add_scaled(state.x, h, state.v);
    add_scaled(state.x, T(1), dx_);
    add_scaled(state.v, T(1), dv_);
    state.t += h;
  }

 private:
  void prepare(std::span<const Force<T>> forces, T h) {
    h_ = h;
    coefficients_.resize(forces.size());
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const T strength = forces[i].strength * (forces[i].inverse_mass_a + forces[i].inverse_mass_b);
      KinematicCoefficients<T>& c = coefficients_[i];
      if (forces[i].kind == ForceKind::spring) c = spring_coefficients(strength, h, functions_);
      if (forces[i].kind == ForceKind::drag) c = drag_coefficients(strength, h, functions_);
    }
  }

  void add_other_forces(const State<T>& state, SystemWithForces<T> auto& system, T h) {
    std::fill(dv_.begin(), dv_.end(), T(0));
    if (system.has_other_forces()) {
      system.other_acceleration(state.t, state.x, state.v, a_);
      for (std::size_t i = 0; i < a_.size(); ++i) dv_[i] = h * a_[i];
    }
    for (std::size_t i = 0; i < a_.size(); ++i) dx_[i] = h * dv_[i];
  }

  // Adds the effect of a force to dv_ and dx_. A force between two coordinates changes their
  // difference like a single coordinate of the reduced mass. It does not move the centre of mass.
  void add(const State<T>& state, const Force<T>& force, const KinematicCoefficients<T>& c, T h) {
    const T share_a = force.inverse_mass_a;
    const T share_b = force.inverse_mass_b;
    T dv = force.strength * (share_a + share_b) * h;
    T dx = dv * h / 2;
    if (force.kind != ForceKind::constant) {
      const bool grounded = force.b == kGround;
      const T x = state.x[force.a] - (grounded ? T(0) : state.x[force.b]) - force.rest;
      const T v = state.v[force.a] - (grounded ? T(0) : state.v[force.b]);
      dv = c.v_to_v * v + c.x_to_v * x;
      dx = position_ == KinematicPosition::exact ? c.v_to_x * v + c.x_to_x * x : dv * h / 2;
    }
    distribute(force.a, dv, dx, share_a / (share_a + share_b));
    if (force.b != kGround) distribute(force.b, dv, dx, -share_b / (share_a + share_b));
  }

  void distribute(std::size_t coordinate, T dv, T dx, T share) {
    dv_[coordinate] += share * dv;
    dx_[coordinate] += share * dx;
  }

  std::vector<T> dx_, dv_, a_;
  std::vector<KinematicCoefficients<T>> coefficients_;
  KinematicPosition position_;
  Functions<T> functions_;
  T h_ = 0;
};

// Merges each constant force on a single coordinate into a spring if the coordinate has exactly one
// spring, and if this spring leads to the ground and has a stiffness. The rest position of the
// spring moves by force / stiffness, and the constant force is removed. The effect of both forces
// together is then exact.
template <class T>
void combine_constants(std::vector<Force<T>>& forces) {
  const auto only_spring_on = [&forces](std::size_t coordinate) -> Force<T>* {
    Force<T>* found = nullptr;
    for (Force<T>& force : forces) {
      const bool touches = force.a == coordinate || force.b == coordinate;
      if (force.kind != ForceKind::spring || !touches) continue;
      if (found != nullptr || force.b != kGround || force.strength == 0) return nullptr;
      found = &force;
    }
    return found;
  };
  for (Force<T>& force : forces) {
    if (force.kind != ForceKind::constant || force.b != kGround) continue;
    if (Force<T>* spring = only_spring_on(force.a)) {
      spring->rest += force.strength / spring->strength;
      force.strength = 0;
    }
  }
  std::erase_if(forces, [](const Force<T>& force) {
    return force.kind == ForceKind::constant && force.strength == 0;
  });
}

}  // namespace orrery::integrate
