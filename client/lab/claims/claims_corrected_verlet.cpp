// The claims of Dummer's "A Simple Time-Corrected Verlet Integration Method".
#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "client/lab/claims/claim_tools.h"
#include "client/lab/exact.h"
#include "client/lab/random_steps.h"
#include "common/integrate/time_corrected_verlet.h"

namespace orrery::lab {

namespace {

constexpr double kFrame = 1 / 30.0;  // the article's game runs at about 30 frames per second
constexpr double kFourPi = 4 * kPi;

// A problem of the article and the duration of its run.
struct Trial {
  const char* name;
  Problem problem;
  double time;
};

Trial projectile() { return {"projectile", problem_of("projectile"), 4}; }
Trial polynomial_a() { return {"polynomial-a", problem_of("polynomial-a"), 4}; }
Trial polynomial_b() { return {"polynomial-b", problem_of("polynomial-b"), 4}; }
Trial sine() { return {"sine", problem_of("sine"), kFourPi}; }
Trial cosine() { return {"cosine", problem_of("cosine"), kFourPi}; }
Trial spring() { return {"oscillator", oscillator(), kFourPi}; }
Trial spring_from_zero() {
  return {"oscillator from x = 0", problem_of("oscillator", {{"x0", 0}, {"v0", 1}}), kFourPi};
}

// The final error and the largest error of a run. With Errors::final_only, `max` is also the final
// error.
struct RandomRun {
  double final = 0;
  double max = 0;
};
enum class Errors { final_only, largest_too };

// Runs with random steps. With equal seeds, all methods take equal steps.
RandomRun random_run(const char* method, const Trial& trial, double dt, std::uint64_t seed,
                     Errors errors) {
  Steps<double> steps(dt, seed);
  double h = steps.next();
  Simulation<double> simulation(method, trial.problem, h);
  RandomRun run;
  Real x = 0, v = 0;
  while (simulation.state().t < trial.time) {
    simulation.step(h);
    h = steps.next();
    if (errors == Errors::final_only && simulation.state().t < trial.time) continue;
    exact_state(trial.problem, simulation.state().t, {&x, 1}, {&v, 1});
    run.final = static_cast<double>(std::fabs(simulation.x() - x));
    run.max = std::max(run.max, run.final);
  }
  return run;
}

struct Ensemble {
  std::vector<RandomRun> runs;

  Ensemble(const char* method, const Trial& trial, double dt, std::uint64_t seeds,
           Errors errors = Errors::final_only) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      runs.push_back(random_run(method, trial, dt, seed, errors));
    }
  }
  double rms() const {
    double sum = 0;
    for (const RandomRun& run : runs) sum += run.final * run.final;
    return std::sqrt(sum / static_cast<double>(runs.size()));
  }
};

// Returns the share of seeds for which `a` has a smaller error than `b`. `error` selects the final
// or the largest error.
double share_better(const Ensemble& a, const Ensemble& b, double RandomRun::*error) {
  int better = 0;
  for (std::size_t i = 0; i < a.runs.size(); ++i) better += a.runs[i].*error < b.runs[i].*error;
  return better / static_cast<double>(a.runs.size());
}

std::uint64_t seeds_of(const Notebook& note) { return note.thorough() ? 10'000 : 2'000; }

double random_slope(const char* method, const Trial& trial, std::uint64_t seeds) {
  return std::log2(Ensemble(method, trial, kFrame / 8, seeds).rms() /
                   Ensemble(method, trial, kFrame / 16, seeds).rms());
}

double final_error(const char* method, const Trial& trial) {
  const auto steps = static_cast<std::uint64_t>(std::lround(trial.time / kFrame));
  const Real h = static_cast<Real>(trial.time) / static_cast<Real>(steps);
  return static_cast<double>(run_of(method, trial.problem, h, steps).position.final);
}

void verlet_is_second_order(Notebook& note) {
  note.near("order on oscillator", slope_of("verlet", "oscillator"), 2, 0.05);
  note.near("order on kepler", slope_of("verlet", "kepler"), 2, 0.05);
  note.near("order on polynomial-b", slope_of("verlet", "polynomial-b"), 2, 0.05);
}

void corrected_is_first_order(Notebook& note) {
  const std::uint64_t seeds = note.thorough() ? 2'000 : 400;
  note.between("order with random steps on projectile", random_slope("tcv", projectile(), seeds),
               0.9, 1.2);
  note.between("order with random steps on polynomial-b",
               random_slope("tcv", polynomial_b(), seeds), 0.9, 1.2);
  note.between("order with random steps on cosine", random_slope("tcv", cosine(), seeds), 0.9, 1.2);
}

void accurate_euler_is_first_order(Notebook& note) { note_slopes(note, "taylor-euler", 1, 0.05); }

void projectile_perfect(Notebook& note) {
  for (const std::uint64_t steps : {120u, 1920u}) {
    const RunReport report =
        run_of("verlet", projectile().problem, 4 / static_cast<Real>(steps), steps);
    const auto n = static_cast<double>(steps);
    note.at_most("error after " + std::to_string(steps) + " steps", report.position.final,
                 1e-16 * n * n * 20.4);
  }
}

void verlet_better_than_euler(Notebook& note) {
  note.near(
      "error over that of semi-implicit Euler, polynomial-a",
      final_error("verlet", polynomial_a()) / final_error("semi-implicit-euler", polynomial_a()), 1,
      1e-6);
  note.at_most(
      "the same, polynomial-b",
      final_error("verlet", polynomial_b()) / final_error("semi-implicit-euler", polynomial_b()),
      0.01);
  note.at_most("error over that of the more accurate Euler, polynomial-b",
               final_error("verlet", polynomial_b()) / final_error("taylor-euler", polynomial_b()),
               0.02);
}

void equal_at_fixed_step(Notebook& note) {
  const Problem problem = problem_of("oscillator", {{"k", 4}});
  constexpr double kStep = 1 / 60.0;
  Simulation<double> plain("verlet", problem, kStep);
  Simulation<double> corrected("tcv", problem, kStep);
  int differ = 0;
  for (int i = 0; i < 100'000; ++i) {
    plain.step(kStep);
    corrected.step(kStep);
    const bool same =
        std::bit_cast<std::uint64_t>(plain.x()) == std::bit_cast<std::uint64_t>(corrected.x());
    differ += same ? 0 : 1;
  }
  note.near("positions that differ in any bit, of 100000", differ, 0, 0);
}

double error_after_3s(const char* method, double dt) {
  const auto steps = static_cast<std::uint64_t>(std::lround(3 / dt));
  const RunReport report = run_of(method, projectile().problem, dt, steps);
  return static_cast<double>(report.x[0] - report.exact_x[0]);
}

void initial_condition(Notebook& note) {
  for (const double dt : {0.01, 0.05, 0.1, 0.25}) {
    const std::string at = ", dt = " + std::to_string(dt).substr(0, 4);
    note.near("error of the plain start less a T dt/2" + at,
              error_after_3s("verlet-naive-start", dt) + 9.8 * 3 / 2 * dt, 0, 1e-9);
    note.near("error of equation (2)" + at, error_after_3s("verlet", dt), 0, 1e-10);
  }
}

void larger_first_step(Notebook& note) {
  note.near("order of the error in the first step",
            std::log2(error_after_3s("verlet-naive-start", 0.1) /
                      error_after_3s("verlet-naive-start", 0.05)),
            1, 1e-9);
}

void equation_two(Notebook& note) {
  Real x = 0, v = 0;
  exact_state(projectile().problem, -0.1L, {&x, 1}, {&v, 1});
  const double before = integrate::position_before(0.0, 20.0, -9.8, 0.1);
  note.near("x-1 of equation (2) less the exact one", before - static_cast<double>(x), 0, 1e-15);
}

void original_falls_further(Notebook& note) {
  for (const Trial& trial : {projectile(), polynomial_a(), sine(), spring()}) {
    const Ensemble plain("verlet", trial, kFrame, seeds_of(note), Errors::largest_too);
    const Ensemble corrected("tcv", trial, kFrame, seeds_of(note), Errors::largest_too);
    note.at_least(std::string("share of seeds, largest error, ") + trial.name,
                  share_better(corrected, plain, &RandomRun::max), 0.999);
    note.at_least(std::string("share of seeds, error at the end, ") + trial.name,
                  share_better(corrected, plain, &RandomRun::final), 0.98);
  }
}

void how_much_better(Notebook& note) {
  for (const Trial& trial : {projectile(), polynomial_a(), sine(), spring(), spring_from_zero()}) {
    const double plain = Ensemble("verlet", trial, kFrame, seeds_of(note)).rms();
    note.at_least(std::string("rms of the original over the corrected, ") + trial.name,
                  plain / Ensemble("tcv", trial, kFrame, seeds_of(note)).rms(), 50);
  }
}

// Returns the largest difference between corrected Verlet and a semi-implicit Euler that starts
// with the velocity v0 - a0 dt/2. The difference is divided by the largest |x|, or by 1 if that is
// smaller.
double distance_from_euler(const Trial& trial, std::uint64_t seed) {
  Steps<double> steps(kFrame, seed);
  double h = steps.next();
  Simulation<double> corrected("tcv", trial.problem, h);
  Simulation<double> euler("semi-implicit-euler", trial.problem, h);
  const std::vector<double> x0{euler.x()}, v0{euler.v()};
  std::vector<double> a0{0};
  euler.system().acceleration(0, x0, v0, a0);
  euler.restart(x0[0], v0[0] - a0[0] * kFrame / 2, h);
  double distance = 0, size = 1;
  while (corrected.state().t < trial.time) {
    corrected.step(h);
    euler.step(h);
    distance = std::max(distance, std::fabs(corrected.x() - euler.x()));
    size = std::max(size, std::fabs(euler.x()));
    h = steps.next();
  }
  return distance / size;
}

void simple_yet_powerful(Notebook& note) {
  for (const Trial& trial : {projectile(), polynomial_b(), cosine(), polynomial_a(), sine()}) {
    const bool at_rest =
        trial.name == std::string("polynomial-a") || trial.name == std::string("sine");
    const Ensemble corrected("tcv", trial, kFrame, seeds_of(note));
    const Ensemble euler("semi-implicit-euler", trial, kFrame, seeds_of(note));
    const double share = share_better(corrected, euler, &RandomRun::final);
    const std::string what =
        std::string("share of seeds better than semi-implicit Euler, ") + trial.name;
    note.between(what, share, at_rest ? 0.3 : 0.999, at_rest ? 0.7 : 1);
    note.at_most(std::string("distance from semi-implicit Euler at v0 - a0 dt/2, ") + trial.name,
                 distance_from_euler(trial, 1), 1e-11);
  }
}

double corrected_over_full(const Trial& trial, std::uint64_t seeds) {
  return Ensemble("tcv", trial, kFrame, seeds).rms() /
         Ensemble("tcv-full", trial, kFrame, seeds).rms();
}

void full_correction(Notebook& note) {
  const std::uint64_t seeds = seeds_of(note);
  note.at_least("rms of published over full, polynomial-b",
                corrected_over_full(polynomial_b(), seeds), 10);
  note.at_least("rms of published over full, cosine", corrected_over_full(cosine(), seeds), 80);
  note.at_least("rms of published over full, oscillator from rest",
                corrected_over_full(spring(), seeds), 30);
  note.at_least("rms of published over full, oscillator from x = 0",
                corrected_over_full(spring_from_zero(), seeds), 2);
  note.at_most("rms of full, projectile", Ensemble("tcv-full", projectile(), kFrame, seeds).rms(),
               1e-11);
  note.near("order of full with random steps, polynomial-b",
            random_slope("tcv-full", polynomial_b(), 400), 2, 0.1);
  note.near("order of full with random steps, sine", random_slope("tcv-full", sine(), 400), 2, 0.1);
}

void full_is_velocity_verlet(Notebook& note) {
  Steps<double> steps(kFrame, 14);
  double h = steps.next();
  Simulation<double> full("tcv-full", oscillator(), h);
  Simulation<double> verlet("velocity-verlet", oscillator(), h);
  double distance = 0;
  for (int i = 0; i < 10'000; ++i) {
    full.step(h);
    verlet.step(h);
    distance = std::max(distance, std::fabs(full.x() - verlet.x()));
    h = steps.next();
  }
  note.at_most("largest difference over 10000 random steps", distance, 1e-11);
}

double error_after_change_of_rate(const char* method) {
  const Problem problem = projectile().problem;
  Simulation<double> simulation(method, problem, 1 / 60.0);
  simulation.steps(1 / 60.0, 60);
  simulation.steps(1 / 30.0, 60);
  return simulation.x() - (20 * 3 - 9.8 * 9 / 2);
}

void change_of_rate(Notebook& note) {
  note.near("error of published, m", error_after_change_of_rate("tcv"), -9.8 / 60, 1e-9);
  note.near("error of full, m", error_after_change_of_rate("tcv-full"), 0, 1e-9);
  note.near("error of the original, m", error_after_change_of_rate("verlet"), -10.445, 1e-3);
}

// Returns E/E0 of a spring with omega = 5 after `count` random steps of 1/120 to 1/40 s.
double energy_after(const char* method, std::uint64_t count, std::uint64_t seed) {
  const Problem problem = problem_of("oscillator", {{"omega", 5}});
  Steps<double> steps(1 / 60.0, seed);
  double h = steps.next();
  Simulation<double> simulation(method, problem, h);
  for (std::uint64_t i = 0; i < count; ++i) {
    simulation.step(h);
    h = steps.next();
  }
  return (25 * simulation.x() * simulation.x() + simulation.v() * simulation.v()) / 25;
}

void energy_with_random_steps(Notebook& note) {
  constexpr std::uint64_t kCount = 10'000'000;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const std::string at = " after 1e7 steps, seed " + std::to_string(seed);
    note.between("E/E0 of full" + at, energy_after("tcv-full", kCount, seed), 1 / 3.0, 3);
    note.at_least("E/E0 of published" + at, energy_after("tcv", kCount, seed), 5);
  }
}

void orders_of_others(Notebook& note) {
  note.near("order of midpoint", slope_of("midpoint", "oscillator"), 2, 0.05);
  note.near("order of heun", slope_of("heun", "oscillator"), 2, 0.05);
  note.near("order of explicit Euler", slope_of("explicit-euler", "oscillator"), 1, 0.05);
}

constexpr Claim kCorrectedVerletClaims[] = {
    {"S2-01", "Verlet is 4th order under the right conditions, and with constant steps.",
     Verdict::wrong, "Order 2; only the error of one step is of order 4.", verlet_is_second_order},
    {"S2-02", "Corrected, it is between 2nd and 4th order with changing steps.", Verdict::wrong,
     "Order 1.", corrected_is_first_order},
    {"S2-03", "The more accurate Euler is 2nd order.", Verdict::wrong,
     "Order 1 wherever the acceleration changes, and unstable on a spring.",
     accurate_euler_is_first_order},
    {"S2-04", "A projectile with fixed steps gives perfect results.", Verdict::holds,
     "Up to rounding, which grows like the square of the number of steps.", projectile_perfect},
    {"S2-05", "Verlet handles changing accelerations better than Euler, also the improved one.",
     Verdict::qualified,
     "Equal to semi-implicit Euler if the first acceleration is 0; else by its start.",
     verlet_better_than_euler},
    {"S2-06", "At fixed steps the corrected is identical to the original.", Verdict::holds,
     "Every bit.", equal_at_fixed_step},
    {"S2-07", "x-1 = x0 - v0 dt is wrong, equation (2) is right.", Verdict::holds,
     "The plain start is off by a T dt/2.", initial_condition},
    {"S2-08", "The larger the first step, the less accurate the start without equation (2).",
     Verdict::holds, "In proportion.", larger_first_step},
    {"S2-09", "x-1 = x0 - v0 dt + a0 dt^2/2.", Verdict::holds, "Exact under constant acceleration.",
     equation_two},
    {"S2-10", "With random steps the original always falls further away eventually.",
     Verdict::holds, "On the largest error; at one instant in all but about 1 %.",
     original_falls_further},
    {"S2-11", "(How much better the corrected is, shown in graphs.)", Verdict::holds,
     "The original does not converge at all.", how_much_better},
    {"S2-12", "Simple yet powerful with changing frame rates.", Verdict::qualified,
     "It is semi-implicit Euler from v0 - a0 dt/2: no better where a0 = 0.", simple_yet_powerful},
    {"S2-13", "(Full correction: (dt + dtp)/2 dt in place of dt^2.)", Verdict::holds,
     "Order 2, 15 to 120 times better at 30 frames a second.", full_correction},
    {"S2-14", "(Full correction is velocity Verlet.)", Verdict::holds, "Algebra.",
     full_is_velocity_verlet},
    {"S2-15", "(The frame rate drops from 60 to 30.)", Verdict::holds,
     "As published it keeps an error of the velocity of a (dt - dtp)/2.", change_of_rate},
    {"S2-16", "(Energy over long runs of random steps.)", Verdict::qualified,
     "As published it grows without bound; the full correction only wanders.",
     energy_with_random_steps},
    {"S2-17", "The central difference has x_(i+1) twice.", Verdict::slip,
     "One of the two is x_(i-1).", nullptr},
    {"S2-18", "Euler is 1st order, Runge-Kutta 2 is 2nd order.", Verdict::holds, "",
     orders_of_others},
};

}  // namespace

std::span<const Claim> corrected_verlet_claims() { return kCorrectedVerletClaims; }

}  // namespace orrery::lab
