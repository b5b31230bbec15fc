// Splitting methods for particles: leapfrog, Forest-Ruth, Yoshida, Suzuki and PEFRL.
//
// A step alternates drifts x += c h v and kicks v += d h a. A method is a list of the numbers c and
// d. All methods here are symplectic and time-reversible. The energy error of a mechanical system
// therefore stays bounded for any number of steps, as long as h does not change.
//
// If a force depends on velocity, such as drag, a method keeps its order only with a kick that
// solves the drag (kick.h). With the plain kick its order is 1. Drag also amplifies the motion in a
// part of a step that goes back in time (negative c).
//
// h is the step, w the angular frequency of the oscillator x'' = -w^2 x, and b the coefficient of
// the drag x'' = -b v. Numbers of evaluations count evaluations of the force in one step.
#pragma once

#include <array>
#include <span>

#include "client/lab/methods/kick.h"

namespace orrery::integrate {

// The cube roots of 2 and 4, to more digits than any scalar type holds.
inline constexpr long double kCubeRoot2 = 1.2599210498948731647672106072782283506L;
inline constexpr long double kCubeRoot4 = 1.5874010519681994747517056392723082603L;

// The sequence drift, kick, drift, ..., kick, drift: `drifts` has one number more than `kicks`. The
// force is evaluated once for each kick. A force that depends on time is evaluated at the time that
// the drifts have reached.
template <class T, std::size_t Kicks, class Kick = PlainKick<T>>
class DriftFirst : public Stateless {
 public:
  DriftFirst(std::size_t dimension, const std::array<T, Kicks + 1>& drifts,
             const std::array<T, Kicks>& kicks, Kick kick)
      : kicker_(dimension, kick), drifts_(drifts), kicks_(kicks) {}

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    const T end = state.t + h;
    for (std::size_t i = 0; i < Kicks; ++i) {
      add_scaled(state.x, drifts_[i] * h, state.v);
      state.t += drifts_[i] * h;
      kicker_.evaluate(state, system);
      kicker_.kick(state, system, kicks_[i] * h);
    }
    add_scaled(state.x, drifts_[Kicks] * h, state.v);
    state.t = end;
  }

 private:
  Kicker<T, Kick> kicker_;
  std::array<T, Kicks + 1> drifts_;
  std::array<T, Kicks> kicks_;
};

// The sequence kick, drift, kick, ..., drift, kick: `kicks` has one number more than `drifts`. The
// force is evaluated once after each drift. The first kick of a step reuses the force of the last
// kick of the previous step.
template <class T, std::size_t Drifts, class Kick = PlainKick<T>>
class KickFirst {
 public:
  KickFirst(std::size_t dimension, const std::array<T, Drifts + 1>& kicks,
            const std::array<T, Drifts>& drifts, Kick kick)
      : kicker_(dimension, kick), kicks_(kicks), drifts_(drifts) {}

  // Computes the acceleration at the start.
  void start(State<T>& state, System<T> auto& system, T) { kicker_.evaluate(state, system); }

  // Advances the state by h.
  void step(State<T>& state, System<T> auto& system, T h) {
    const T end = state.t + h;
    for (std::size_t i = 0; i < Drifts; ++i) {
      kicker_.kick(state, system, kicks_[i] * h);
      add_scaled(state.x, drifts_[i] * h, state.v);
      state.t = i + 1 == Drifts ? end : state.t + drifts_[i] * h;
      kicker_.evaluate(state, system);
    }
    kicker_.kick(state, system, kicks_[Drifts] * h);
  }

 private:
  Kicker<T, Kick> kicker_;
  std::array<T, Drifts + 1> kicks_;
  std::array<T, Drifts> drifts_;
};

namespace detail {

// Composes leapfrogs with the step lengths w. Consecutive leapfrogs share a half step, so their two
// half steps are merged into one. Returns the merged coefficients: half of the first length, the
// mean of each two consecutive lengths, and half of the last length.
template <class T, std::size_t N>
constexpr std::array<T, N + 1> halves(const std::array<T, N>& w) {
  std::array<T, N + 1> out{};
  for (std::size_t i = 0; i < N; ++i) {
    out[i] += w[i] / 2;
    out[i + 1] += w[i] / 2;
  }
  return out;
}

// Returns the lengths of the three leapfrog steps of Forest and Ruth, in units of h.
template <class T>
constexpr std::array<T, 3> triple_jump() {
  constexpr long double outer = 1 / (2 - kCubeRoot2);
  return {T(outer), T(1 - 2 * outer), T(outer)};
}

// Returns the lengths of the five leapfrog steps of Suzuki, in units of h.
template <class T>
constexpr std::array<T, 5> suzuki_steps() {
  constexpr long double outer = 1 / (4 - kCubeRoot4);
  return {T(outer), T(outer), T(1 - 4 * outer), T(outer), T(outer)};
}

// Returns the lengths of the seven leapfrog steps of Yoshida's solution A, in units of h.
template <class T>
constexpr std::array<T, 7> yoshida6_steps() {
  constexpr long double a = 0.78451361047755726382L;
  constexpr long double b = 0.23557321335935813368L;
  constexpr long double c = -1.17767998417887100695L;
  return {T(a), T(b), T(c), T(1 - 2 * (a + b + c)), T(c), T(b), T(a)};
}

}  // namespace detail

// Drift h/2, kick h, drift h/2: the drift-kick-drift leapfrog, also called position-extended
// Verlet.
//
// Order 2. Stable on an oscillator for h w < 2, and on drag for h b < 2. One evaluation. Compared
// with LeapfrogKickDriftKick, its energy error is smaller on eccentric orbits and the same on an
// oscillator.
template <class T, class Kick = PlainKick<T>>
class LeapfrogDriftKickDrift : public DriftFirst<T, 1, Kick> {
 public:
  explicit LeapfrogDriftKickDrift(std::size_t dimension, Kick kick = {})
      : DriftFirst<T, 1, Kick>(dimension, {T(0.5), T(0.5)}, {T(1)}, kick) {}
};

// Kick h/2, drift h, kick h/2: the kick-drift-kick leapfrog, the form of velocity Verlet. It keeps
// the force between steps.
//
// Order 2. Stable on an oscillator for h w < 2, and on drag for h b < 2. One evaluation.
template <class T, class Kick = PlainKick<T>>
class LeapfrogKickDriftKick : public KickFirst<T, 1, Kick> {
 public:
  explicit LeapfrogKickDriftKick(std::size_t dimension, Kick kick = {})
      : KickFirst<T, 1, Kick>(dimension, {T(0.5), T(0.5)}, {T(1)}, kick) {}
};

// Three drift-kick-drift leapfrogs with steps 1.351 h, -1.702 h, 1.351 h.
//
// Order 4. Stable on an oscillator for h w < 1.5734, and on drag for h b < 1.168 with the plain
// kick. Three evaluations. Forest, Ruth, Physica D 43 (1990) 105.
template <class T, class Kick = PlainKick<T>>
class ForestRuth : public DriftFirst<T, 3, Kick> {
 public:
  explicit ForestRuth(std::size_t dimension, Kick kick = {})
      : DriftFirst<T, 3, Kick>(dimension, detail::halves(detail::triple_jump<T>()),
                               detail::triple_jump<T>(), kick) {}
};

// Three kick-drift-kick leapfrogs with the steps of ForestRuth.
//
// Order 4. Stable on an oscillator for h w < 1.5734, and on drag for h b < 1.239 with the plain
// kick. Three evaluations. With six evaluations, one for every half kick, it would be stable on
// drag for h b < 2.336. Yoshida, Physics Letters A 150 (1990) 262.
template <class T, class Kick = PlainKick<T>>
class Yoshida4 : public KickFirst<T, 3, Kick> {
 public:
  explicit Yoshida4(std::size_t dimension, Kick kick = {})
      : KickFirst<T, 3, Kick>(dimension, detail::halves(detail::triple_jump<T>()),
                              detail::triple_jump<T>(), kick) {}
};

// Five drift-kick-drift leapfrogs: four with steps .4145 h, and one with -.6580 h in the middle.
//
// Order 4; the error constant is 1/60 of that of ForestRuth. Stable on an oscillator for h w <
// 2.7210, and on drag for h b < 4.149 with the plain kick. Five evaluations. Suzuki, Physics
// Letters A 146 (1990) 319.
template <class T, class Kick = PlainKick<T>>
class Suzuki4 : public DriftFirst<T, 5, Kick> {
 public:
  explicit Suzuki4(std::size_t dimension, Kick kick = {})
      : DriftFirst<T, 5, Kick>(dimension, detail::halves(detail::suzuki_steps<T>()),
                               detail::suzuki_steps<T>(), kick) {}
};

// Seven drift-kick-drift leapfrogs: Yoshida's solution A.
//
// Order 6. Stable on an oscillator for h w < 2.2691, and on drag for h b < 1.865 with the plain
// kick. Seven evaluations. Yoshida, Physics Letters A 150 (1990) 262.
template <class T, class Kick = PlainKick<T>>
class Yoshida6 : public DriftFirst<T, 7, Kick> {
 public:
  explicit Yoshida6(std::size_t dimension, Kick kick = {})
      : DriftFirst<T, 7, Kick>(dimension, detail::halves(detail::yoshida6_steps<T>()),
                               detail::yoshida6_steps<T>(), kick) {}
};

// Position-extended Forest-Ruth-like: four kicks, optimised for the smallest error.
//
// Order 4; on an oscillator the error constant is 1/500 of that of ForestRuth. Stable on an
// oscillator for h w < 2.9895, and on drag for h b < 2.341 with the plain kick. Four evaluations.
// Omelyan, Mryglod, Folk, Computer Physics Communications 146 (2002) 188.
template <class T, class Kick = PlainKick<T>>
class Pefrl : public DriftFirst<T, 4, Kick> {
 public:
  explicit Pefrl(std::size_t dimension, Kick kick = {})
      : DriftFirst<T, 4, Kick>(dimension, {kXi, kChi, 1 - 2 * (kChi + kXi), kChi, kXi},
                               {T(0.5) - kLambda, kLambda, kLambda, T(0.5) - kLambda}, kick) {}

 private:
  static constexpr T kXi = T(0.1786178958448091L);
  static constexpr T kLambda = T(-0.2123418310626054L);
  static constexpr T kChi = T(-0.06626458266981849L);
};

}  // namespace orrery::integrate
