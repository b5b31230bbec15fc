// Tables of all integration and rotation methods: names, orders, stability limits, costs, sources.
//
// The comments of the classes in this folder and in client/lab/methods give the full equations.
// tests/unit/lab/methods measures the orders, limits and energies in these tables. The laboratory
// (client/lab) has all methods. Worlds (common/world/scenes/methods.cpp) have only those whose
// `nearest` is empty. static_asserts in both places compare the names with these tables.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace orrery::integrate {

// Flags for what a method needs from the system beyond an acceleration. SystemWith... are concepts
// that the system must satisfy (system.h; SystemWithForces: client/lab/methods/kinematic.h).
enum Needs : std::uint8_t {
  kNeedsNothing = 0,
  kNeedsJacobian = 1,   // SystemWithJacobian
  kNeedsDrag = 2,       // SystemWithDrag
  kNeedsForces = 4,     // SystemWithForces
  kNeedsFixedStep = 8,  // h must not change after start()
};

// A row of the table. h is the step, w the angular frequency of the oscillator x'' = -w^2 x, and b
// the drag coefficient of x'' = -b v.
struct Method {
  std::string_view name;
  std::string_view title;
  int order;
  double oscillator_limit;        // largest stable h w of the oscillator; 0: no step is stable
  double drag_limit;              // largest stable h b with drag
  std::string_view energy;        // of the oscillator, at stable steps or at small ones
  int evaluations;                // force evaluations per step, or per iteration if implicit
  int evaluations_with_velocity;  // evaluations if a force depends on velocity
  std::uint8_t needs;
  std::string_view source;
  std::string_view nearest = {};  // closest method that worlds can run; empty: this one
};

// The limit of a method that is stable at every h.
inline constexpr double kAlwaysStable = std::numeric_limits<double>::infinity();

// All methods.
inline constexpr auto kMethods = std::to_array<Method>({
    {"explicit-euler", "explicit Euler", 1, 0, 2, "grows by 1 + (hw)^2 a step", 1, 1, kNeedsNothing,
     "Euler 1768; Fiedler, Integration Basics"},
    {"semi-implicit-euler", "semi-implicit Euler, velocity first", 1, 2, 2,
     "bounded, oscillates; mean 1/(1 - (hw)^2/4) from rest", 1, 1, kNeedsNothing,
     "Fiedler, Integration Basics; Catto, Numerical Methods, GDC 2015"},
    {"semi-implicit-euler-x-first", "semi-implicit Euler, position first", 1, 2, 2,
     "bounded, oscillates", 1, 1, kNeedsNothing,
     "Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1"},
    {"taylor-euler", "'more accurate' Euler", 1, 0, 2, "grows by 1 + (hw)^2/2 a step", 1, 1,
     kNeedsNothing, "Dummer, Time-Corrected Verlet, GameDev.net 2005", "semi-implicit-euler"},
    {"exponential-euler", "exponential Euler", 1, 0, kAlwaysStable, "grows by 1 + (hw)^2/2 a step",
     1, 1, kNeedsDrag, "Hochbruck, Ostermann, Acta Numerica 19, 2010", "kinematic"},
    {"backward-euler", "backward Euler by Newton's iteration", 1, kAlwaysStable, kAlwaysStable,
     "falls by 1 + (hw)^2 a step", 1, 1, kNeedsJacobian,
     "Catto, Numerical Methods, GDC 2015; Hairer, Wanner, ODEs II"},
    {"backward-euler-predictor", "backward Euler, predicted and corrected once", 1,
     1.1547005383792515, 1, "falls", 2, 2, kNeedsNothing,
     "Pronost, Numerical Integration, Utrecht University", "backward-euler"},
    {"backward-euler-predictor-x", "the same, position from the predicted velocity", 1, 1, 1,
     "falls", 2, 2, kNeedsNothing, "Pronost, Numerical Integration, Utrecht University",
     "backward-euler"},
    {"midpoint", "explicit midpoint", 2, 0, 2, "grows by 1 + (hw)^4/4 a step", 2, 2, kNeedsNothing,
     "Runge 1895", "velocity-verlet"},
    {"heun", "improved Euler", 2, 0, 2, "grows by 1 + (hw)^4/4 a step", 2, 2, kNeedsNothing,
     "Heun 1900", "velocity-verlet"},
    {"trapezoidal", "trapezoidal rule", 2, kAlwaysStable, kAlwaysStable, "exact for linear forces",
     1, 1, kNeedsJacobian, "Crank, Nicolson 1947", "velocity-verlet"},
    {"implicit-midpoint", "implicit midpoint", 2, kAlwaysStable, kAlwaysStable,
     "exact for linear forces", 1, 1, kNeedsJacobian,
     "Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.2", "velocity-verlet"},
    {"rk4", "classical Runge-Kutta", 4, 2.8284271247461903, 2.7852935634052818,
     "falls by 1 - (hw)^6/72 + (hw)^8/576 a step", 4, 4, kNeedsNothing, "Kutta 1901"},
    {"verlet", "position Verlet", 2, 2, 2, "bounded, oscillates", 1, 1, kNeedsFixedStep,
     "Verlet, Physical Review 159, 1967", "tcv-full"},
    {"verlet-rk4-start", "position Verlet, first step by rk4", 2, 2, 2, "bounded, oscillates", 1, 1,
     kNeedsFixedStep, "Pronost, Numerical Integration, Utrecht University", "tcv-full"},
    {"verlet-euler-start", "position Verlet, first step by Euler", 1, 2, 2, "bounded, oscillates",
     1, 1, kNeedsFixedStep, "Pronost, Numerical Integration, Utrecht University",
     "semi-implicit-euler-x-first"},
    {"verlet-naive-start", "position Verlet from x0 - h v0", 1, 2, 2, "bounded, oscillates", 1, 1,
     kNeedsFixedStep, "Dummer, Time-Corrected Verlet, GameDev.net 2005", "semi-implicit-euler"},
    {"tcv", "time-corrected Verlet as published", 2, 2, 2,
     "bounded, oscillates; grows if h changes (order 1 then)", 1, 1, kNeedsNothing,
     "Dummer, Time-Corrected Verlet, GameDev.net 2005", "tcv-full"},
    {"tcv-full", "time-corrected Verlet, fully corrected", 2, 2, 2,
     "bounded, oscillates; wanders if h changes", 1, 1, kNeedsNothing,
     "velocity Verlet of changing h, written in positions"},
    {"velocity-verlet", "velocity Verlet", 2, 2, 2, "bounded, oscillates", 1, 2, kNeedsNothing,
     "Swope, Andersen, Berens, Wilson, J. Chem. Phys. 76, 1982"},
    {"leapfrog-dkd", "leapfrog, drift-kick-drift", 2, 2, 2, "bounded, oscillates", 1, 1,
     kNeedsNothing, "Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1.4"},
    {"leapfrog-kdk", "leapfrog, kick-drift-kick", 2, 2, 2, "bounded, oscillates", 1, 1,
     kNeedsNothing, "Hairer, Lubich, Wanner, Geometric Numerical Integration, I.1.4"},
    {"leapfrog-staggered", "leapfrog, velocities at half steps", 2, 2, 2, "bounded, oscillates", 1,
     1, kNeedsFixedStep, "Hockney, Eastwood, Computer Simulation Using Particles, 1988",
     "tcv-full"},
    {"beeman", "Beeman", 2, 2, 3, "bounded, oscillates", 1, 2, kNeedsFixedStep,
     "Beeman, J. Comput. Phys. 20, 1976", "velocity-verlet"},
    {"newmark", "Newmark-beta (1/4, 1/2 unless told)", 2, kAlwaysStable, kAlwaysStable,
     "exact for linear forces; falls if gamma > 1/2", 1, 1, kNeedsJacobian,
     "Newmark, ASCE 85, 1959", "velocity-verlet"},
    {"ab2", "Adams-Bashforth 2", 2, 0, 1, "grows by about 1 + (hw)^4/2 a step", 1, 1,
     kNeedsFixedStep, "Bashforth, Adams 1883", "velocity-verlet"},
    {"ab4", "Adams-Bashforth 4", 4, 0.42999, 0.3, "falls slowly", 1, 1, kNeedsFixedStep,
     "Bashforth, Adams 1883", "rk4"},
    {"abm4", "Adams-Bashforth-Moulton 4, PECE", 4, 0, 1.28486,
     "grows by about 1 + .3 (hw)^6 a step", 2, 2, kNeedsFixedStep,
     "Moulton 1926; Hairer, Norsett, Wanner, ODEs I, III", "rk4"},
    {"forest-ruth", "Forest-Ruth", 4, 1.57340, 1.16817, "bounded, oscillates", 3, 3, kNeedsNothing,
     "Forest, Ruth, Physica D 43, 1990", "yoshida4"},
    {"yoshida4", "Yoshida 4, kick-drift-kick", 4, 1.57340, 1.23926, "bounded, oscillates", 3, 3,
     kNeedsNothing, "Yoshida, Phys. Lett. A 150, 1990"},
    {"yoshida6", "Yoshida 6, solution A", 6, 2.26906, 1.86483, "bounded, oscillates", 7, 7,
     kNeedsNothing, "Yoshida, Phys. Lett. A 150, 1990", "yoshida4"},
    {"suzuki4", "Suzuki 4", 4, 2.72097, 4.14867, "bounded, oscillates", 5, 5, kNeedsNothing,
     "Suzuki, Phys. Lett. A 146, 1990", "pefrl"},
    {"pefrl", "PEFRL", 4, 2.98945, 2.34146, "bounded, oscillates", 4, 4, kNeedsNothing,
     "Omelyan, Mryglod, Folk, Comput. Phys. Commun. 146, 2002"},
    {"kinematic", "kinematic, exact dv and dx of each force", 2, kAlwaysStable, kAlwaysStable,
     "exact for one force; grows with several", 1, 1, kNeedsForces, "True Physics, 2010"},
    {"kinematic-average", "kinematic, exact dv, dx = h dv / 2", 2, 3.14159, kAlwaysStable,
     "falls by 1 + (hw)^4/24 a step", 1, 1, kNeedsForces, "True Physics, 2010"},
});

// A row of the table of rotation methods.
struct RotationMethod {
  std::string_view name;
  std::string_view title;
  int order;  // order of accuracy of the attitude
  std::string_view energy;
  std::string_view source;
  std::string_view nearest = {};  // as in Method
};

// All rotation methods.
inline constexpr auto kRotationMethods = std::to_array<RotationMethod>({
    {"cayley", "midpoint rule with Cayley rotations", 2, "kept",
     "Austin, Krishnaprasad, Wang 1993"},
    {"explicit", "explicit gyroscopic torque", 1, "diverges", "Catto, Numerical Methods, GDC 2015"},
    {"dropped", "gyroscopic torque left out", 0, "kept, but the body never tumbles",
     "Catto, Numerical Methods, GDC 2015"},
    {"momentum", "angular momentum with the old inertia", 1,
     "grows until the spin is about the least inertia", "Catto, Numerical Methods, GDC 2015"},
    {"implicit-gyro", "implicit gyroscopic torque, one Newton step", 1, "falls",
     "Catto, Numerical Methods, GDC 2015"},
    {"implicit-gyro-converged", "the same, Newton's iteration to its end", 1, "falls",
     "Catto, Numerical Methods, GDC 2015", "implicit-gyro"},
    {"implicit-gyro-midpoint", "the same solver about the middle of the step", 2, "bounded",
     "Rosenbrock 1963"},
    {"buss", "Buss's augmented method of order 2", 2, "grows", "Buss, J. Comput. Phys. 164, 2000",
     "momentum"},
    {"momentum-midpoint", "explicit midpoint of the momentum", 2, "grows", "Runge 1895",
     "momentum"},
    {"rk4", "classical Runge-Kutta on spin and attitude", 4, "drifts slowly", "Kutta 1901",
     "cayley"},
    {"splitting", "splitting with sine and cosine", 2, "bounded", "McLachlan 1993; Reich 1994",
     "cayley"},
    {"cayley4", "Suzuki's composition of cayley", 4, "bounded", "Suzuki, Phys. Lett. A 146, 1990",
     "cayley"},
    {"moser-veselov", "discrete Moser-Veselov", 2, "exact", "Moser, Veselov 1991", "cayley"},
    {"lie-midpoint", "implicit midpoint on the group of rotations", 2, "bounded",
     "Krysl, Endres 2005", "implicit-gyro-midpoint"},
});

// Returns the method with that name, or nullptr.
constexpr const Method* find_method(std::string_view name) {
  for (const Method& method : kMethods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

}  // namespace orrery::integrate
