// The claims of "True Physics" (2010) about its kinematic integrator, mostly on springs.
#include <algorithm>

#include "client/lab/claims/claim_tools.h"
#include "client/lab/exact.h"
#include "client/lab/library_functions.h"
#include "client/lab/methods/normal_modes.h"
#include "client/lab/random_steps.h"

namespace orrery::lab {

namespace {

constexpr const char* kAverage = "kinematic-average";
constexpr double kThreeHours = 10'800;

Problem two_springs(double k1, double k2) {
  return problem_of("two-springs", {{"k1", k1}, {"k2", k2}});
}

double determinant_less_1(const char* method, const Problem& problem, Real h) {
  return static_cast<double>(step_matrix(method, problem, h).determinant() - 1);
}

double rms_of(const char* method, const Problem& problem, double time, std::uint64_t steps) {
  const Real h = static_cast<Real>(time) / static_cast<Real>(steps);
  return static_cast<double>(run_of(method, problem, h, steps).position.rms);
}

double mean_square(const char* method, double k, double h, std::uint64_t steps) {
  const Real rms = run_of(method, two_springs(k, k), h, steps, Precision::extended).position.rms;
  return static_cast<double>(rms * rms);
}

void spring_formulas(Notebook& note) {
  double determinant = 0, difference = 0;
  for (const double k : {1.0, 15.0, 2500.0}) {
    const Problem problem = problem_of("oscillator", {{"k", k}, {"x0", 0.7}, {"v0", -1.3}});
    for (const Real h : {1 / 60.0L, 0.1L, 1.0L}) {
      determinant = std::max(determinant, std::fabs(determinant_less_1(kExact, problem, h)));
      const RunReport report = run_of(kExact, problem, h, 1, Precision::extended);
      difference = std::max(difference, static_cast<double>(report.state.final));
    }
  }
  note.at_most("largest |determinant - 1|", determinant, 1e-16);
  note.at_most("largest distance from the exact motion after one step", difference, 1e-16);
}

void note_zero_error(Notebook& note, double k, double h, std::uint64_t steps) {
  const Problem problem = problem_of("oscillator", {{"k", k}});
  Simulation<double> simulation(kExact, problem, h);
  simulation.steps(h, steps);
  Real x = 0, v = 0;
  exact_state(problem, static_cast<Real>(h) * static_cast<Real>(steps), {&x, 1}, {&v, 1});
  const double turn = std::sqrt(k) * h;
  note.at_most("error, w^2 = " + std::to_string(static_cast<int>(k)) + ", " +
                   std::to_string(steps) + " steps",
               std::fabs(simulation.x() - x),
               1e-14 * static_cast<double>(steps) * std::max(1.0, turn));
}

void literally_zero_error(Notebook& note) {
  for (const std::uint64_t steps : {1'000u, 100'000u}) {
    note_zero_error(note, 15, 1 / 60.0, steps);
    note_zero_error(note, 2500, 10, steps);
  }
  if (note.thorough()) {
    note_zero_error(note, 15, 1 / 60.0, 10'000'000);
    note_zero_error(note, 2500, 10, 10'000'000);
  }
  const RunReport single =
      run_of(kExact, problem_of("oscillator", {{"k", 15}}), 1 / 60.0L, 10'000, Precision::binary32);
  note.at_most("error in binary32 after 10000 steps", single.position.final, 5e-5);
}

void two_springs_diverge(Notebook& note) {
  for (const double theta : {0.02, 0.05, 0.1}) {
    const double expected = std::pow(theta, 4) / 6;
    note.near("gain per step over (hw)^4/6 at hw = " + std::to_string(theta).substr(0, 4),
              determinant_less_1(kExact, two_springs(1, 1), theta) / expected, 1, theta * theta);
  }
  const double gain = determinant_less_1(kExact, two_springs(2.669190, 2.669190), 0.02L);
  note.near("E/E0 after 3 hours where the average form loses 5 %",
            std::exp(kThreeHours / 0.02 * std::log1p(gain)), 1.108, 5e-4);
}

void error_12000_times_smaller(Notebook& note) {
  const double ratio =
      mean_square(kSemiImplicit, 2.669190, 0.02, 94) / mean_square(kExact, 2.669190, 0.02, 94);
  note.between("ratio of mean squared errors, 94 steps", ratio, 11'000, 13'000);
  const auto hours = static_cast<std::uint64_t>(kThreeHours / 0.02);
  const Problem springs = two_springs(2.669190, 2.669190);
  note.between("ratio of rms errors over 3 hours",
               rms_of(kSemiImplicit, springs, kThreeHours, hours) /
                   rms_of(kExact, springs, kThreeHours, hours),
               0.9, 1.1);
}

void average_removes_energy(Notebook& note) {
  for (const double theta : {0.02, 0.05, 0.1}) {
    note.near("loss per step over (hw)^4/12 at hw = " + std::to_string(theta).substr(0, 4),
              -determinant_less_1(kAverage, two_springs(1, 1), theta) / (std::pow(theta, 4) / 12),
              1, theta * theta);
  }
  const StabilityReport limit = measure_stability(kAverage, two_springs(1, 1));
  note.near("limit of hw of each of two springs", limit.limit.value_or(0), kPi / 2, 1e-4);
}

// Returns the share of random setups in which kinematic-average has a smaller rms error than
// kinematic. A setup is a mass on two springs. The ratio of stiffness, the step, the duration and
// the initial phase are random.
double share_won_by_average(double ratio_low, double ratio_high, int setups, double periods_max) {
  Uniform uniform(16);
  int won = 0;
  for (int i = 0; i < setups; ++i) {
    const double theta = std::pow(10.0, -2.5 + 2 * uniform());
    const double ratio =
        std::exp(std::log(ratio_low) + uniform() * std::log(ratio_high / ratio_low));
    const double periods = 0.3 * std::pow(periods_max / 0.3, uniform());
    const double start = 2 * kPi * uniform();
    Problem problem = two_springs(1, ratio);
    problem.x0 = {std::cos(start)};
    problem.v0 = {std::sin(start) * std::sqrt(1 + ratio)};
    const double period = 2 * kPi / std::sqrt(1 + ratio);
    const auto steps = static_cast<std::uint64_t>(std::ceil(periods * period / theta));
    const double time = theta * static_cast<double>(steps);
    if (rms_of(kAverage, problem, time, steps) < rms_of(kExact, problem, time, steps)) ++won;
  }
  return static_cast<double>(won) / setups;
}

void average_beats_exact(Notebook& note) {
  const Problem equal = two_springs(7.5, 7.5);
  note.at_most("rms of average over exact, equal springs",
               rms_of(kAverage, equal, 10, 1024) / rms_of(kExact, equal, 10, 1024), 0.02);
  const Problem unequal = two_springs(1, 0.001);
  note.at_least("rms of average over exact, 1000 : 1",
                rms_of(kAverage, unequal, 10, 1024) / rms_of(kExact, unequal, 10, 1024), 5);
  const int setups = note.thorough() ? 1500 : 300;
  const double periods = note.thorough() ? 100 : 10;
  // The quick test has short runs. Some of them end before the error of kinematic has grown, so
  // kinematic-average wins fewer of them.
  const double most = note.thorough() ? 0.95 : 0.85;
  note.at_least("share of random set-ups won, equal springs",
                share_won_by_average(1, 1, setups, periods), most);
  note.at_least("share won, 1 to 2 : 1", share_won_by_average(0.5, 1, setups, periods), most);
  note.at_most("share won, 10 to 100 : 1", share_won_by_average(0.01, 0.1, setups, periods), 0.01);
  note.at_most("share won, 1000 : 1", share_won_by_average(0.001, 0.001, setups, periods), 0.01);
}

void five_percent_in_three_hours(Notebook& note) {
  constexpr double kSetups[][2] = {{3.508731, 1 / 60.0}, {2.669190, 0.02}, {7.549531, 0.01}};
  for (const auto& [k, h] : kSetups) {
    const double loss = determinant_less_1(kAverage, two_springs(k, k), h);
    note.near("E/E0 after 3 hours, k = " + std::to_string(k).substr(0, 4),
              std::exp(kThreeHours / h * std::log1p(loss)), 0.95, 5e-4);
  }
}

void error_58_million_times_smaller(Notebook& note) {
  note.between(
      "ratio of mean squared errors, 94 steps",
      mean_square(kSemiImplicit, 2.669190, 0.02, 94) / mean_square(kAverage, 2.669190, 0.02, 94),
      5.5e7, 7.5e7);
}

// Returns the rms error of kinematic-average in n steps, divided by that of RK4 in n/4 steps. Both
// runs cover 10 s of motion and evaluate the force n times.
double average_over_rk4(double k1, double k2, std::uint64_t n) {
  return rms_of(kAverage, two_springs(k1, k2), 10, n) /
         rms_of("rk4", two_springs(k1, k2), 10, n / 4);
}

void exceeds_fourth_order(Notebook& note) {
  const Problem equal = two_springs(7.5, 7.5);
  note.at_least("error over RK4's, equal springs, the same 1024 steps",
                rms_of(kAverage, equal, 10, 1024) / rms_of("rk4", equal, 10, 1024), 10);
  note.at_most("error over RK4's, equal springs, 4096 evaluations",
               average_over_rk4(7.5, 7.5, 4096), 0.9);
  note.at_least("the same, 16384 evaluations", average_over_rk4(7.5, 7.5, 16384), 1.1);
  note.at_least("error over RK4's, springs 12 and 3, 1024 evaluations",
                average_over_rk4(12, 3, 1024), 1.1);
}

double rms_slope(const char* method, const Problem& problem) {
  return std::log2(rms_of(method, problem, 10, 2048) / rms_of(method, problem, 10, 4096));
}

double phase_per_step(const char* method, Real theta) {
  const Problem problem = two_springs(1, 1);
  return static_cast<double>(
      std::fabs(step_matrix(method, problem, theta).angle() - theta * std::numbers::sqrt2_v<Real>));
}

void order_of_kinematic(Notebook& note) {
  note.near("order of exact dx", rms_slope(kExact, two_springs(7.5, 7.5)), 2, 0.05);
  note.near("order of average, equal springs from rest", rms_slope(kAverage, two_springs(7.5, 7.5)),
            3, 0.05);
  note.near("order of average, springs 12 and 3", rms_slope(kAverage, two_springs(12, 3)), 2, 0.05);
  note.near("phase error per step at hw = 0.1, exact dx", phase_per_step(kExact, 0.1L), 1.1751e-4,
            1e-8);
  note.near("the same, average", phase_per_step(kAverage, 0.1L), 2.7517e-7, 1e-10);
}

void constant_and_other_force(Notebook& note) {
  const Problem hanging = problem_of("gravity-spring");
  note.near("order of exact dx", rms_slope(kExact, hanging), 2, 0.05);
  note.near("order of average", rms_slope(kAverage, hanging), 2, 0.05);
  Simulation<double> together(kExact, hanging, 0.1);
  together.system().combine_forces();
  together.restart(1, 0, 0.1);
  together.steps(0.1, 1000);
  Real x = 0, v = 0;
  exact_state(hanging, static_cast<Real>(0.1) * 1000, {&x, 1}, {&v, 1});
  note.at_most("error of the two solved together after 1000 steps", std::fabs(together.x() - x),
               1e-11);
}

void terminal_speed(Notebook& note) {
  constexpr double kSetups[][2] = {{0.1, 1 / 60.0}, {1, 1 / 60.0}, {1, 0.1}};
  for (const auto& [b, h] : kSetups) {
    const Problem falling = problem_of("drag", {{"b", b}, {"g", -9.8}, {"v0", 0}});
    Simulation<double> simulation(kExact, falling, h);
    simulation.steps(h, static_cast<std::uint64_t>(40 / (b * h)));
    note.near("terminal speed over the true one less bh/(1 - e^-bh)",
              simulation.v() / (-9.8 / b) + b * h / std::expm1(-b * h), 0, 1e-8);
  }
}

void average_recommended(Notebook& note) {
  const Real theta = 0.1L;
  note.near("loss per step of one spring over (hw)^4/24",
            -determinant_less_1(kAverage, oscillator(), theta) / std::pow(0.1, 4) * 24, 1, 0.01);
  const Problem hanging = problem_of("gravity-spring");
  note.at_least("rms error of average over exact dx, gravity and spring",
                rms_of(kAverage, hanging, 10, 2048) / rms_of(kExact, hanging, 10, 2048), 5);
  const auto error_at_end = [&hanging](const char* method) {
    return static_cast<double>(run_of(method, hanging, 10 / 2048.0L, 2048).position.final);
  };
  note.near("the same of the error at its end", error_at_end(kAverage) / error_at_end(kExact), 42.4,
            0.5);
}

// Returns the rms position error during ten seconds, for a chain of eight masses between walls.
// omega = 1 for each spring. The first mass is released at 1 m.
double chain_error(const char* method, Real h) {
  const auto steps = static_cast<std::uint64_t>(std::lround(10 / static_cast<double>(h)));
  return static_cast<double>(run_of(method, problem_of("chain"), h, steps).position.rms);
}

// Returns the rms position error at h = 0.1 for the chain if it starts in one of its modes: 1 is
// the longest wave, 8 the shortest.
double mode_error(const char* method, int mode) {
  Problem chain = problem_of("chain");
  for (std::size_t i = 0; i < chain.dimension(); ++i) {
    chain.x0[i] = std::sin(static_cast<double>(i + 1) * mode * kPi / 9);
  }
  return static_cast<double>(run_of(method, chain, 0.1L, 100).position.rms);
}

void network_of_equal_springs(Notebook& note) {
  const double exact = chain_error(kExact, 0.1L);
  const double average = chain_error(kAverage, 0.1L);
  note.near("rms error of exact dx, 8 masses, 10 s, hw = 0.1", exact, 5.0245e-3, 1e-6);
  note.near("rms error of average", average, 3.2481e-3, 1e-6);
  note.near("error of average over that of velocity Verlet",
            average / chain_error("velocity-verlet", 0.1L), 0.5048, 1e-3);
  note.near("the same, in the longest wave",
            mode_error(kAverage, 1) / mode_error("velocity-verlet", 1), 25.70, 0.1);
  note.near("the same, in the shortest wave",
            mode_error(kAverage, 8) / mode_error("velocity-verlet", 8), 0.0613, 1e-3);
  note.near("order of exact dx", std::log2(exact / chain_error(kExact, 0.05L)), 2, 0.1);
  note.near("order of average", std::log2(average / chain_error(kAverage, 0.05L)), 2, 0.1);
  const Problem chain = problem_of("chain");
  const auto energy_after = [&chain](const char* method) {
    Simulation<Real> simulation(method, chain, 0.2L);
    simulation.steps(0.2L, 20'000);
    return static_cast<double>(*energy(chain, simulation.state().x, simulation.state().v) /
                               *energy(chain, chain.x0, chain.v0));
  };
  note.near("E/E0 of exact dx after 20000 steps of hw = 0.2", energy_after(kExact), 1.5062e7, 1e4);
  note.near("E/E0 of average", energy_after(kAverage), 0.02311, 1e-4);
}

void chain_by_modes(Notebook& note) {
  const Problem chain = problem_of("chain", {{"n", 32}, {"k", 25}});
  constexpr Real kStep = 1 / 1024.0L;
  constexpr std::uint64_t kSteps = 10 * 1024;
  Simulation<Real> reference("yoshida6", chain, kStep);
  reference.steps(kStep, kSteps);
  std::vector<Real> x(chain.dimension()), v(chain.dimension());
  exact_state(chain, 10, x, v);
  Real worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, std::fabs(x[i] - reference.state().x[i]));
  }
  note.at_most("modes against Yoshida 6 in small steps, 32 masses, 10 s", worst, 1e-12);
  LabSystem<double> system(chain);
  integrate::NormalModes<double> modes(chain.dimension(), system.forces(),
                                       library_functions<double>());
  integrate::State<double> state{0, std::vector<double>(x.size()), std::vector<double>(x.size())};
  state.x[0] = 1;
  for (int i = 0; i < 100; ++i) modes.step(state, system, 0.1);
  exact_state(chain, 100 * static_cast<Real>(0.1), x, v);
  worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, std::fabs(x[i] - state.x[i]));
  note.at_most("100 steps by modes found from the forces, binary64", worst, 1e-12);
}

constexpr Claim kKinematicClaims[] = {
    {"S0-11", "dv and dx of a spring as given.", Verdict::holds, "They are a rotation in phase.",
     spring_formulas},
    {"S0-12", "\"Literally zero error\" at any step, however long it runs.", Verdict::qualified,
     "No error of the method; rounding grows with the number of steps.", literally_zero_error},
    {"S0-13", "Two springs: very small errors, but it diverges over a very long time.",
     Verdict::holds, "E grows by (hw)^4/6 a step.", two_springs_diverge},
    {"S0-14", "The error is 12,000 times smaller than semi-implicit Euler's.", Verdict::qualified,
     "For the squared error of a short run from rest; over 3 hours the two are equal.",
     error_12000_times_smaller},
    {"S0-15", "Average acceleration removes energy, which makes it stable.", Verdict::holds,
     "Below hw = pi/2 for each of two springs.", average_removes_energy},
    {"S0-16", "Average acceleration beats exact dx if several forces depend on position.",
     Verdict::qualified, "For springs of like stiffness; for unlike ones exact dx is far better.",
     average_beats_exact},
    {"S0-17", "It took 5 % of the energy in about 3 hours.", Verdict::holds,
     "For suitable stiffness at any common step.", five_percent_in_three_hours},
    {"S0-18", "The error is 58 million times smaller than semi-implicit Euler's.",
     Verdict::qualified, "For the squared error of a short run from rest, nearly equal springs.",
     error_58_million_times_smaller},
    {"S0-19", "Results far exceed the more expensive fourth-order methods.", Verdict::qualified,
     "For one force, which is exact; for two springs only at moderate accuracy.",
     exceeds_fourth_order},
    {"S0-20", "(Order, not stated.)", Verdict::holds,
     "Order 2; average acceleration of two equal springs from rest: 3.", order_of_kinematic},
    {"S0-21", "A constant and another force combine, perfect for the constant one.",
     Verdict::qualified, "Order 2 together; exact if the spring's rest point is shifted.",
     constant_and_other_force},
    {"S0-22", "(Gravity and exact drag summed, not stated.)", Verdict::qualified,
     "Terminal speed is off by bh/(1 - e^-bh).", terminal_speed},
    {"S0-23", "Forces of position or velocity should use average acceleration.", Verdict::wrong,
     "A lone spring loses energy by it; with gravity exact dx is far better.", average_recommended},
    {"S0-24", "A network of equal springs, each solved as if alone: a pretty good approximation.",
     Verdict::qualified,
     "Order 2; the average form beats leapfrog in waves as short as a spring and loses in long "
     "ones; exact dx gains energy.",
     network_of_equal_springs},
    {"S0-25", "A linear chain of masses and springs can be solved exactly.", Verdict::holds,
     "By its modes, to rounding.", chain_by_modes},
};

}  // namespace

std::span<const Claim> kinematic_claims() { return kKinematicClaims; }

}  // namespace orrery::lab
