// The claims of Catto's "Numerical Methods" about particles and springs.
#include <algorithm>

#include "client/lab/claims/claim_tools.h"
#include "client/lab/exact.h"

namespace orrery::lab {

namespace {

std::string at(double theta) { return " at hw = " + std::to_string(theta).substr(0, 4); }

void explicit_eigenvalue(Notebook& note) {
  for (const double theta : {0.1, 1.0, 2.0}) {
    note.near("|lambda|" + at(theta), spectral_radius("explicit-euler", oscillator(), theta),
              std::sqrt(1 + theta * theta), 1e-12);
  }
}

void magnitude_below_one(Notebook& note) {
  for (const double theta : {0.1, 1.0, 1.9}) {
    note.near("|lambda| of semi-implicit Euler" + at(theta),
              spectral_radius(kSemiImplicit, oscillator(), theta), 1, 1e-15);
  }
}

void damping_helps_explicit(Notebook& note) {
  note.near("limit of h for k = 15, b = 0.1", stability_limit("explicit-euler", "damped"), 0.1 / 15,
            1e-6);
}

void implicit_eigenvalue(Notebook& note) {
  for (const double theta : {0.1, 1.0, 2.0}) {
    note.near("|lambda|" + at(theta), spectral_radius("backward-euler", oscillator(), theta),
              1 / std::sqrt(1 + theta * theta), 1e-12);
  }
}

void explicit_in_reverse(Notebook& note) {
  note.at_most("distance of the path retraced from its end", retrace_distance(), 1e-12);
  note.near("E/E0 of explicit Euler with dt = -0.1 from the start",
            std::pow(spectral_radius("explicit-euler", oscillator(), -0.1L), 2000), 2.095916e4, 1);
}

void numerical_damping(Notebook& note) {
  const double radius = spectral_radius("backward-euler", oscillator(), 0.1L);
  note.near("E after a step over E before", radius * radius, 1 / 1.01, 1e-12);
}

void velocity_to_use(Notebook& note) {
  note.at_least("|lambda| with the current velocity",
                spectral_radius("explicit-euler", oscillator(), 0.1L), 1.004);
  note.near("|lambda| with the new velocity", spectral_radius(kSemiImplicit, oscillator(), 0.1L), 1,
            1e-15);
}

double largest_after_1000(double theta) {
  Simulation<double> simulation(kSemiImplicit, oscillator(), theta);
  double largest = 0;
  for (int i = 0; i < 1000; ++i) {
    simulation.step(theta);
    largest = std::max(largest, std::fabs(simulation.x()));
  }
  return largest;
}

void conditionally_stable(Notebook& note) {
  note.near("limit of hw", stability_limit(kSemiImplicit, "oscillator"), 2, 1e-4);
  constexpr std::pair<Real, double> kBeyond[] = {{2.01L, 1.221301}, {2.1L, 1.877328}, {2.5L, 4}};
  for (const auto& [theta, radius] : kBeyond) {
    note.near("|lambda|" + at(static_cast<double>(theta)),
              spectral_radius(kSemiImplicit, oscillator(), theta), radius, 1e-6);
  }
  note.at_most("largest |x| in 1000 steps at hw = 1.99", largest_after_1000(1.99), 11);
  note.at_least("the same at hw = 2: grows, if slowly", largest_after_1000(2), 1000);
  note.at_least("the same at hw = 2.01", largest_after_1000(2.01), 1e80);
}

void accurate_at_omega_one(Notebook& note) {
  const EnergyStatistics energy = oscillator_energy(kSemiImplicit, 0.1, 100'000);
  note.near("mean E/E0 at hw = 0.1", energy.mean, 1.002506, 1e-5);
}

void strange_at_half_the_limit(Notebook& note) {
  const EnergyStatistics energy = oscillator_energy(kSemiImplicit, 1, 600);
  note.between("least E/E0 at hw = 1", energy.min, 1 - 1e-9, 2);
  note.between("largest E/E0", energy.max, 1, 2 + 1e-9);
  note.near("steps in a period",
            2 * kPi / static_cast<double>(step_matrix(kSemiImplicit, oscillator(), 1).angle()), 6,
            1e-12);
}

void four_steps_a_period(Notebook& note) {
  const Real theta = kPi / 2;
  note.near("|lambda| at 4 steps a period", spectral_radius(kSemiImplicit, oscillator(), theta), 1,
            1e-15);
  note.near("numerical period in steps",
            2 * kPi / static_cast<double>(step_matrix(kSemiImplicit, oscillator(), theta).angle()),
            3.4778, 1e-3);
}

// Returns how often x changes its sign in 60 s of the exact motion x'' = -x - 2 zeta x', from x = 1
// and v = -3.
int crossings(double zeta) {
  const Problem problem = problem_of("damped", {{"k", 1}, {"b", 2 * zeta}, {"x0", 1}, {"v0", -3}});
  int count = 0;
  Real last = 1;
  for (int i = 1; i <= 60'000; ++i) {
    Real x = 0, v = 0;
    exact_state(problem, i / 1000.0L, {&x, 1}, {&v, 1});
    if (x * last < 0) ++count;
    if (x != 0) last = x;
  }
  return count;
}

void no_oscillation(Notebook& note) {
  note.near("crossings in 60 s at damping ratio 0.5", crossings(0.5), 17, 0);
  note.near("crossings at damping ratio 0.99", crossings(0.99), 3, 0);
  note.at_most("crossings at damping ratio 1", crossings(1), 1);
  note.at_most("crossings at damping ratio 1.5", crossings(1.5), 1);
}

void difference_orders(Notebook& note) {
  const auto forward = [](double h) {
    return std::fabs((std::sin(1 + h) - std::sin(1)) / h - std::cos(1));
  };
  const auto central = [](double h) {
    return std::fabs((std::sin(1 + h) - std::sin(1 - h)) / (2 * h) - std::cos(1));
  };
  note.near("order of the forward difference", std::log2(forward(0x1p-9) / forward(0x1p-10)), 1,
            0.01);
  note.near("order of the central difference", std::log2(central(0x1p-9) / central(0x1p-10)), 2,
            0.01);
}

constexpr Claim kCattoClaims[] = {
    {"S3-01", "Explicit Euler's eigenvalue is above one for any stiffness.", Verdict::holds,
     "sqrt(1 + (hw)^2).", explicit_eigenvalue},
    {"S3-02", "The magnitude must be less than one, else it blows up.", Verdict::qualified,
     "At most one: semi-implicit Euler has exactly one.", magnitude_below_one},
    {"S3-03", "Explicit Euler can be made stable with some damping.", Verdict::holds,
     "For h < b/k.", damping_helps_explicit},
    {"S3-04", "Implicit Euler is stable for any positive omega.", Verdict::holds,
     "1/sqrt(1 + (hw)^2).", implicit_eigenvalue},
    {"S3-05", "Implicit Euler gives the same result as explicit Euler in reverse.",
     Verdict::qualified, "From the end of its path; from the start a reversed step grows too.",
     explicit_in_reverse},
    {"S3-06", "Implicit Euler has numerical damping.", Verdict::holds,
     "E falls by 1 + (hw)^2 a step.", numerical_damping},
    {"S3-07", "Use the current velocity in the position update.", Verdict::wrong,
     "The new one; the formula beside it is right.", velocity_to_use},
    {"S3-08", "Semi-implicit Euler is conditionally stable.", Verdict::holds,
     "For hw < 2; at 2 it grows in proportion to time.", conditionally_stable},
    {"S3-09", "At omega = 1 it is accurate and conserves energy on average.", Verdict::qualified,
     "No drift, mean 0.25 % high at hw = 0.1.", accurate_at_omega_one},
    {"S3-10", "Strange at half the limit, wild beyond, then it blows up.", Verdict::holds,
     "At hw = 1 the period is six steps in place of 6.28.", strange_at_half_the_limit},
    {"S3-11", "Rule of thumb: at least 4 steps per oscillation.", Verdict::holds,
     "Stable there, 15 % fast; the limit is pi steps.", four_steps_a_period},
    {"S3-12", "Stability and performance matter more than RK4's accuracy.", Verdict::qualified,
     "A matter of what the simulation is for; not measured.", nullptr},
    {"S3-21", "Stability: the numerical result grows unbounded though the exact one is unbounded.",
     Verdict::slip, "Is bounded; and what is described is instability.", nullptr},
    {"S3-22", "Once the damping ratio is 1 all oscillation is gone.", Verdict::holds,
     "One crossing is possible.", no_oscillation},
    {"S3-23", "The forward difference is first order, the central one second.", Verdict::holds, "",
     difference_orders},
};

}  // namespace

std::span<const Claim> catto_claims() { return kCattoClaims; }

}  // namespace orrery::lab
