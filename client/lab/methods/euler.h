// Explicit methods of order 1: explicit, semi-implicit, Taylor and exponential Euler.
//
// w is the angular frequency of an oscillator x'' = -w^2 x, and b the coefficient of drag x'' = -b
// v. "Grows by a factor" means that each step multiplies the energy by it. Every method here
// evaluates the force once a step.
#pragma once

#include "common/integrate/phi.h"
#include "common/integrate/system.h"

namespace orrery::integrate {

// x1 = x0 + h v0, v1 = v0 + h a(t0, x0, v0).
//
// Order 1. Unstable on an oscillator for every h: the energy grows by the factor 1 + (h w)^2. With
// damping b up to 2 w it is stable for h < b / w^2. Stable on drag for h b < 2. Euler 1768;
// Fiedler, "Integration Basics"; Catto, "Numerical Methods" (GDC 2015).
template <class T>
class ExplicitEuler : public Stateless {
 public:
  explicit ExplicitEuler(std::size_t dimension) : a_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    add_scaled(state.x, h, state.v);
    add_scaled(state.v, h, a_);
    state.t += h;
  }

 private:
  std::vector<T> a_;
};

// v1 = v0 + h a(t0, x0, v0), x1 = x0 + h v1. Also called symplectic Euler.
//
// Order 1, symplectic. Stable on an oscillator for h w < 2, and on drag for h b < 2. If an
// oscillator starts at rest, its energy stays between 1/(1 + hw/2) and 1/(1 - hw/2) times the
// initial energy, with a mean of 1/(1 - (hw)^2/4). Fiedler, "Integration Basics"; Catto, "Numerical
// Methods" (GDC 2015).
template <class T>
class SemiImplicitEuler : public Stateless {
 public:
  explicit SemiImplicitEuler(std::size_t dimension) : a_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    add_scaled(state.v, h, a_);
    add_scaled(state.x, h, state.v);
    state.t += h;
  }

 private:
  std::vector<T> a_;
};

// x1 = x0 + h v0, v1 = v0 + h a(t1, x1, v0): position first, then the force at the new position.
//
// Order 1, symplectic, stable for the same steps as SemiImplicitEuler. The code "position +=
// velocity dt; velocity += force dt" is this method if it evaluates the force between the two
// lines, not before them. Hairer, Lubich, Wanner, "Geometric Numerical Integration", I.1.2.
template <class T>
class SemiImplicitEulerPositionFirst : public Stateless {
 public:
  explicit SemiImplicitEulerPositionFirst(std::size_t dimension) : a_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    add_scaled(state.x, h, state.v);
    state.t += h;
    system.acceleration(state.t, state.x, state.v, a_);
    add_scaled(state.v, h, a_);
  }

 private:
  std::vector<T> a_;
};

// x1 = x0 + h v0 + h^2/2 a0, v1 = v0 + h a0: the equations of constant acceleration, or "more
// accurate" Euler.
//
// Exact for a constant force and of order 1 for any other. Unstable on an oscillator for every h:
// the energy grows by the factor 1 + (h w)^2 / 2. Stable on drag for h b < 2. Dummer, "A Simple
// Time-Corrected Verlet Integration Method" (GameDev.net 2005).
template <class T>
class TaylorEuler : public Stateless {
 public:
  explicit TaylorEuler(std::size_t dimension) : a_(dimension) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    system.acceleration(state.t, state.x, state.v, a_);
    add_scaled(state.x, h, state.v);
    add_scaled(state.x, h * h / 2, a_);
    add_scaled(state.v, h, a_);
    state.t += h;
  }

 private:
  std::vector<T> a_;
};

// v1 = v0 + h phi1(-bh) a0, x1 = x0 + h v0 + h^2 phi2(-bh) a0, with the functions of phi.h. Drag is
// exact, and every other force counts as constant over the step.
//
// Order 1. Exact for drag and a constant force together, and stable on drag at any h. Without drag
// it is TaylorEuler, with the same growth of energy. Hochbruck, Ostermann, "Exponential
// integrators", Acta Numerica 19 (2010).
template <class T>
class ExponentialEuler : public Stateless {
 public:
  ExponentialEuler(std::size_t dimension, Functions<T> functions)
      : a_(dimension), functions_(functions) {
    ORRERY_ASSERT(functions.exp != nullptr);
  }

  // Advances the state by h.
  void step(State<T>& state, SystemWithDrag<T> auto& system, T h) {
    const T z = -static_cast<T>(system.drag()) * h;
    system.acceleration(state.t, state.x, state.v, a_);
    add_scaled(state.x, h, state.v);
    add_scaled(state.x, h * h * phi2(z, functions_.exp), a_);
    add_scaled(state.v, h * phi1(z, functions_.exp), a_);
    state.t += h;
  }

 private:
  std::vector<T> a_;
  Functions<T> functions_;
};

}  // namespace orrery::integrate
