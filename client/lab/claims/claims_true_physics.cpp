// The claims of "True Physics" (2010) about Euler's methods and the equations of motion.
#include <algorithm>

#include "client/lab/claims/claim_tools.h"
#include "client/lab/random_steps.h"

namespace orrery::lab {

namespace {

void explicit_euler_adds_energy(Notebook& note) {
  note.near("growth per step at hw = 0.1", spectral_radius("explicit-euler", oscillator(), 0.1L),
            std::sqrt(1.01), 1e-12);
}

void semi_implicit_order(Notebook& note) { note_slopes(note, kSemiImplicit, 1, 0.05); }

void energy_on_average(Notebook& note) {
  for (const double theta : {0.1, 0.5, 1.0, 1.9}) {
    const double mean = oscillator_energy(kSemiImplicit, theta, 2'000'000).mean;
    note.near("mean E/E0 over 1/(1 - (hw)^2/4) at hw = " + std::to_string(theta).substr(0, 3),
              mean * (1 - theta * theta / 4), 1, 1e-5);
  }
}

void energy_bounded(Notebook& note) {
  for (const double theta : {0.1, 1.9}) {
    const EnergyStatistics energy = oscillator_energy(kSemiImplicit, theta, 2'000'000);
    const std::string at = " at hw = " + std::to_string(theta).substr(0, 3);
    const double least = 1 / (1 + theta / 2), largest = 1 / (1 - theta / 2);
    note.between("least E/E0" + at, energy.min, least - 1e-9, least * (1 + 1e-6));
    note.between("largest E/E0" + at, energy.max, largest * (1 - 1e-6), largest + 1e-9);
  }
}

void constant_force_exact(Notebook& note) {
  const Problem lander = problem_of("lander");
  for (const double h : {0.01, 1.0, 10.0, 100.0, 1000.0}) {
    const auto steps = static_cast<std::uint64_t>(std::lround(1000 / h));
    const RunReport report = run_of(kExact, lander, h, steps);
    const double relative =
        static_cast<double>(report.position.final / std::fabs(report.exact_x[0]));
    note.at_most("relative error after 1000 s, h = " + std::to_string(h).substr(0, 4), relative,
                 h >= 1 ? 1e-14 : static_cast<double>(steps) * 2.3e-16 * 4);
  }
}

void kinematic_equations_on_spring(Notebook& note) {
  const double radius = spectral_radius("taylor-euler", oscillator(), 0.1L);
  note.near("energy growth per step at hw = 0.1", radius * radius, 1.005, 1e-12);
}

void kinematic_equations_worse(Notebook& note) {
  const double taylor = error_of("taylor-euler", oscillator(), 4096);
  note.at_least("error over that of semi-implicit Euler",
                taylor / error_of(kSemiImplicit, oscillator(), 4096), 5);
  note.at_most("error over that of explicit Euler",
               taylor / error_of("explicit-euler", oscillator(), 4096), 1);
}

// Returns the largest difference, over random states, between a step of semi-implicit Euler and
// x0 + v0 dt + a0 dt^2, in units in the last place (ulp).
double substituted_difference() {
  Uniform uniform(9);
  double worst = 0;
  Simulation<double> simulation(kSemiImplicit, oscillator(), 0.1);
  for (int i = 0; i < 1000; ++i) {
    const double x = 1 + uniform();
    const double v = 1 + uniform();
    simulation.restart(x, v, 0.1);
    simulation.step(0.1);
    const double substituted = x + v * 0.1 + -x * (0.1 * 0.1);
    const double place = std::nextafter(substituted, INFINITY) - substituted;
    worst = std::max(worst, std::fabs(simulation.x() - substituted) / place);
  }
  return worst;
}

void substituted_form(Notebook& note) {
  // In exact arithmetic both formulas are equal, but they round in different places.
  note.at_most("largest difference, in last places", substituted_difference(), 2);
}

void fallback_is_semi_implicit(Notebook& note) {
  const Problem pendulum = problem_of("pendulum");
  Simulation<double> fallback(kExact, pendulum, 0.1);
  Simulation<double> euler(kSemiImplicit, pendulum, 0.1);
  Uniform uniform(10);
  double worst = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = 1 + uniform(), v = 1 + uniform();
    fallback.restart(x, v, 0.1);
    euler.restart(x, v, 0.1);
    fallback.step(0.1);
    euler.step(0.1);
    worst = std::max({worst, std::fabs(fallback.x() - euler.x()) / 0x1p-52,
                      std::fabs(fallback.v() - euler.v()) / 0x1p-52});
  }
  note.at_most("largest difference, in last places", worst, 2);
}

constexpr Claim kTruePhysicsClaims[] = {
    {"S0-01", "Explicit Euler introduces energy.", Verdict::holds,
     "E grows by 1 + (hw)^2 every step, at any step.", explicit_euler_adds_energy},
    {"S0-02", "Evaluated at t1 it is \"a reverse, or explicit derivative\".", Verdict::slip,
     "Reads implicit two paragraphs before.", nullptr},
    {"S0-03", "Semi-implicit Euler is second order: half the step, four times the accuracy.",
     Verdict::wrong, "Order 1; only its frequency is of order 2.", semi_implicit_order},
    {"S0-04", "It conserves energy on average.", Verdict::qualified,
     "No drift, but the mean is 1/(1 - (hw)^2/4) of the energy at the start.", energy_on_average},
    {"S0-05", "Its inaccuracies do not become instabilities.", Verdict::holds,
     "For hw < 2: E/E0 from 1/(1 + hw/2) to 1/(1 - hw/2).", energy_bounded},
    {"S0-06", "The kinematic equations are exact for a constant force at any step.", Verdict::holds,
     "Up to rounding.", constant_force_exact},
    {"S0-07", "They give bad results for springs.", Verdict::holds,
     "Unstable at every step: E grows by 1 + (hw)^2/2.", kinematic_equations_on_spring},
    {"S0-08", "Approximating the force ends worse than approximating the calculus.",
     Verdict::qualified, "Worse than semi-implicit Euler, better than explicit Euler.",
     kinematic_equations_worse},
    {"S0-09", "Semi-implicit Euler reads x1 = x0 + v0 dt + a0 dt^2.", Verdict::holds, "Algebra.",
     substituted_form},
    {"S0-10", "With dv = a dt, dx = dv dt the kinematic integrator is semi-implicit Euler.",
     Verdict::holds, "Algebra.", fallback_is_semi_implicit},
};

}  // namespace

std::span<const Claim> true_physics_claims() { return kTruePhysicsClaims; }

}  // namespace orrery::lab
