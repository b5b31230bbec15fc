// The claims of Fiedler's "Integration Basics".
#include <algorithm>
#include <array>
#include <cstdio>

#include "client/lab/claims/claim_tools.h"

namespace orrery::lab {

namespace {

// The undamped spring of the article: k = 15, released at 1000 m.
Problem undamped() { return problem_of("oscillator", {{"k", 15}, {"x0", 1000}}); }

// A row as printed in one of the article's two tables, which show explicit Euler in binary32.
struct Row {
  const char* position;
  const char* velocity;
};

template <std::size_t N>
int rows_that_differ(const std::array<Row, N>& rows, float dt, std::uint64_t first,
                     const char* format) {
  Simulation<float> simulation("explicit-euler", problem_of("constant"), dt);
  simulation.steps(dt, first);
  int differ = 0;
  for (const Row& row : rows) {
    char x[32], v[32];
    std::snprintf(x, sizeof x, format, static_cast<double>(simulation.x()));
    std::snprintf(v, sizeof v, format, static_cast<double>(simulation.v()));
    if (std::string_view(x) != row.position || std::string_view(v) != row.velocity) ++differ;
    simulation.step(dt);
  }
  return differ;
}

constexpr std::array<Row, 11> kSecondTable = {{{"0", "0"},
                                               {"0", "10"},
                                               {"10", "20"},
                                               {"30", "30"},
                                               {"60", "40"},
                                               {"100", "50"},
                                               {"150", "60"},
                                               {"210", "70"},
                                               {"280", "80"},
                                               {"360", "90"},
                                               {"450", "100"}}};

constexpr std::array<Row, 11> kHundredthTable = {{{"489.552155", "98.999062"},
                                                  {"490.542145", "99.099060"},
                                                  {"491.533142", "99.199059"},
                                                  {"492.525146", "99.299057"},
                                                  {"493.518127", "99.399055"},
                                                  {"494.512115", "99.499054"},
                                                  {"495.507111", "99.599052"},
                                                  {"496.503113", "99.699051"},
                                                  {"497.500092", "99.799049"},
                                                  {"498.498077", "99.899048"},
                                                  {"499.497070", "99.999046"}}};

void table_of_seconds(Notebook& note) {
  note.near("rows that differ", rows_that_differ(kSecondTable, 1.0f, 0, "%g"), 0, 0);
}

void error_of_fifty_metres(Notebook& note) {
  for (const double dt : {1.0, 0.5, 0.25, 0.1, 0.01}) {
    const auto steps = static_cast<std::uint64_t>(std::lround(10 / dt));
    const RunReport report = run_of("explicit-euler", problem_of("constant"), dt, steps);
    note.near("error at dt = " + std::to_string(dt).substr(0, 4) + " less aT dt/2",
              static_cast<double>(report.position.final) - 50 * dt, 0, 1e-9);
  }
}

void table_of_hundredths(Notebook& note) {
  note.near("rows that differ in binary32",
            rows_that_differ(kHundredthTable, 1.0f / 100.0f, 990, "%f"), 0, 0);
  const RunReport report = run_of("explicit-euler", problem_of("constant"), 0.01L, 1000);
  note.near("position at 10 s in binary64", report.x[0], 499.5, 1e-9);
}

void exact_if_rate_is_constant(Notebook& note) {
  const RunReport report =
      run_of("explicit-euler", problem_of("constant"), 1, 10, Precision::binary32);
  note.near("error of the velocity", report.v[0] - report.exact_v[0], 0, 0);
  note.at_least("error of the position", report.position.final, 49);
}

void explicit_unstable_on_damped(Notebook& note) {
  const RunReport report = run_of("explicit-euler", problem_of("damped"), 0.01L, 10'000);
  Simulation<double> simulation("explicit-euler", problem_of("damped"), 0.01);
  double largest = 0;
  for (int i = 0; i < 10'000; ++i) {
    simulation.step(0.01);
    largest = std::max(largest, std::fabs(simulation.x()));
  }
  note.near("largest |x| in 100 s", largest, 12108.67, 0.01);
  note.near("E/E0 after 100 s", report.energy->last, 150.1535, 1e-3);
}

void no_practical_option(Notebook& note) {
  for (const Real h : {1 / 140.0L, 1 / 150.0L, 1 / 200.0L}) {
    const double radius = spectral_radius("explicit-euler", problem_of("damped"), h);
    note.near(
        "growth per step squared less 1 - bh + kh^2, h = 1/" + std::to_string(std::lround(1 / h)),
        radius * radius - static_cast<double>(1 - 0.1L * h + 15 * h * h), 0, 1e-12);
  }
  note.near("limit of h", stability_limit("explicit-euler", "damped"), 1 / 150.0, 1e-6);
}

double largest_error(const char* method, const Problem& problem, Real dt, std::uint64_t steps) {
  return static_cast<double>(run_of(method, problem, dt, steps).position.max);
}

void semi_implicit_close(Notebook& note) {
  const Problem damped = problem_of("damped");
  const RunReport report = run_of(kSemiImplicit, damped, 0.01L, 10'000);
  note.between("largest error of 1000 m", report.position.max, 19.7, 19.9);
  note.near("rms error", report.position.rms, 7.536161, 1e-3);
  note.near("largest error of velocity Verlet",
            largest_error("velocity-verlet", damped, 0.01L, 10'000), 1.785892, 1e-3);
  note.near("largest error of backward Euler",
            largest_error("backward-euler", damped, 0.01L, 10'000), 325.713506, 1e-3);
}

void same_order_better_result(Notebook& note) {
  note_slopes(note, kSemiImplicit, 1, 0.05);
  constexpr std::pair<const char*, double> kRatios[] = {
      {"oscillator", 18.456}, {"damped", 85.22}, {"kepler", 117.5}};
  for (const auto& [name, ratio] : kRatios) {
    const Problem problem = problem_of(name);
    note.near(std::string("error of explicit over semi-implicit Euler on ") + name,
              error_of("explicit-euler", problem, 4096) / error_of(kSemiImplicit, problem, 4096),
              ratio, 0.01 * ratio);
  }
}

void order_of_lines(Notebook& note) {
  const double asked_between = error_of("semi-implicit-euler-x-first", oscillator(), 4096);
  note.near("growth per step, force asked between the lines",
            spectral_radius("semi-implicit-euler-x-first", oscillator(), 0.1L), 1, 1e-15);
  note.near("its error, 4096 steps", asked_between, 6.627449e-4, 1e-9);
  note.near("error, force asked before them", error_of("explicit-euler", oscillator(), 4096),
            1.228182e-2, 1e-7);
}

void verlet_second_order(Notebook& note) {
  note.near("order on oscillator", slope_of("verlet", "oscillator"), 2, 0.05);
  note.near("order on kepler", slope_of("verlet", "kepler"), 2, 0.05);
  note.near("order with drag in the plain form", slope_of("verlet", "damped"), 1, 0.05);
  const std::uint64_t periods = note.thorough() ? 100'000 : 5'000;
  const LongEnergyReport energy = measure_energy("verlet", oscillator(), 60, periods);
  note.at_most("largest energy error, last ten periods over first ten",
               *energy.last_max / energy.first_max, 1.10);
}

void rk4_error(Notebook& note) { note_slopes(note, "rk4", 4, 0.1); }

void euler_first_order(Notebook& note) {
  for (const char* method : {"explicit-euler", "backward-euler"}) {
    note.near(std::string("order of ") + method, slope_of(method, "oscillator"), 1, 0.05);
  }
}

void indistinguishable(Notebook& note) {
  const Problem damped = problem_of("damped");
  note.at_most("largest error of semi-implicit Euler, of the amplitude",
               largest_error(kSemiImplicit, damped, 0.01L, 10'000) / 1000, 0.02);
  note.at_most("largest error of RK4, of the amplitude",
               largest_error("rk4", damped, 0.01L, 10'000) / 1000, 1e-6);
}

void out_of_phase(Notebook& note) {
  note.between("phase error of semi-implicit Euler after 90 s, rad",
               *run_of(kSemiImplicit, undamped(), 0.1L, 900).phase_error, 2.2, 2.5);
  note.near("phase error of velocity Verlet, rad",
            *run_of("velocity-verlet", undamped(), 0.1L, 900).phase_error, 2.2242, 1e-3);
}

void rk4_loses_energy(Notebook& note) {
  const RunReport report = run_of("rk4", undamped(), 0.1L, 900);
  note.near("E/E0 after 90 s", report.energy->last, 0.95944773, 1e-6);
  note.near("phase error, rad", *report.phase_error, -0.061891, 1e-4);
  note.near("largest error of 1000 m", report.position.max, 64.09, 0.05);
}

void rk4_keeps_frequency(Notebook& note) {
  const RunReport report = run_of("rk4", undamped(), 0.25L, 360);
  note.near("E/E0 after 90 s", report.energy->last, 0.025847, 1e-6);
  note.at_most("phase error, rad", *report.phase_error, -1.5);
}

void conserves_near_its_limit(Notebook& note) {
  for (const double theta : {0.3873, 0.9682, 1.5, 1.9, 1.99}) {
    const double mean = oscillator_energy(kSemiImplicit, theta, 1'000'000).mean;
    note.near("mean E/E0 over 1/(1 - (hw)^2/4) at hw = " + std::to_string(theta).substr(0, 4),
              mean * (1 - theta * theta / 4), 1, 1e-2);
  }
}

void symplectic_beats_rk4(Notebook& note) {
  const RunReport tenth = run_of("pefrl", undamped(), 0.1L, 900);
  note.near("phase error of PEFRL at dt = 0.1, rad", *tenth.phase_error, -4.69e-4, 1e-5);
  note.at_least(
      "largest error of RK4 at dt = 0.1 over that of PEFRL",
      largest_error("rk4", undamped(), 0.1L, 900) / static_cast<double>(tenth.position.max), 130);
  const RunReport pefrl = run_of("pefrl", undamped(), 0.25L, 360);
  note.at_most("largest error of PEFRL at dt = 0.25", pefrl.position.max, 20);
  note.at_least(
      "that of RK4 over it",
      largest_error("rk4", undamped(), 0.25L, 360) / static_cast<double>(pefrl.position.max), 50);
  note.near("E/E0 of PEFRL", pefrl.energy->last, 1, 1e-3);
  const std::uint64_t periods = note.thorough() ? 100'000 : 1'000;
  for (const char* problem : {"oscillator", "kepler"}) {
    const LongEnergyReport energy = measure_energy("pefrl", problem_of(problem), 60, periods);
    note.at_most(
        std::string("PEFRL: largest energy error, last over first ten periods, ") + problem,
        *energy.last_max / energy.first_max, 1.10);
  }
}

constexpr Claim kFiedlerClaims[] = {
    {"S1-01", "Table at dt = 1 s under a force of 10 N.", Verdict::holds,
     "Bit for bit; the loop as printed makes one step more.", table_of_seconds},
    {"S1-02", "Exactly 500 m; Euler is 50 m off.", Verdict::holds, "The error is aT dt/2.",
     error_of_fifty_metres},
    {"S1-03", "Table at dt = 1/100 s.", Verdict::holds,
     "In binary32 to the last digit printed; part of its error is rounding.", table_of_hundredths},
    {"S1-04", "Euler is 100 % accurate only if the rate of change is constant.", Verdict::holds,
     "Velocity exact, position not.", exact_if_rate_is_constant},
    {"S1-05", "A damped spring, k = 15, b = 0.1, is unstable at dt = 1/100.", Verdict::holds,
     "E grows 150 times in 100 s.", explicit_unstable_on_damped},
    {"S1-06", "No practical option; always a k at which it fails.", Verdict::qualified,
     "Stable for h < b/k: a step 1.5 times smaller is enough here.", no_practical_option},
    {"S1-07", "Semi-implicit Euler is stable and very close to the exact solution.", Verdict::holds,
     "2 % of the amplitude.", semi_implicit_close},
    {"S1-08", "The same order as explicit Euler, but a much better result.", Verdict::holds,
     "Order 1, errors 18 to 118 times smaller.", same_order_better_result},
    {"S1-09", "position += v dt; velocity += a dt is explicit Euler.", Verdict::qualified,
     "If the force is asked before the first line; between the two it is symplectic.",
     order_of_lines},
    {"S1-10", "Verlet is second order and symplectic.", Verdict::holds,
     "Without drag; with drag in the plain form order 1.", verlet_second_order},
    {"S1-11", "RK4's error is on the order of the fourth derivative.", Verdict::qualified,
     "Order 4; the constant has fifth derivatives.", rk4_error},
    {"S1-12", "Explicit and implicit Euler are only first order.", Verdict::holds, "",
     euler_first_order},
    {"S1-13", "Semi-implicit Euler and RK4 cannot be told apart at dt = 1/100.", Verdict::holds,
     "At 2 % of the amplitude.", indistinguishable},
    {"S1-14", "At dt = 0.1 semi-implicit Euler is out of phase after 90 s.", Verdict::holds,
     "By a third of a turn.", out_of_phase},
    {"S1-15", "RK4 matches the frequency but loses energy at dt = 0.1.", Verdict::holds,
     "4 % of the energy, 3.5 degrees.", rk4_loses_energy},
    {"S1-16", "At dt = 0.25 RK4 keeps the correct frequency but loses energy.", Verdict::wrong,
     "A quarter of a turn behind; right about the energy.", rk4_keeps_frequency},
    {"S1-17", "Semi-implicit Euler conserves better on average, even near its limit.",
     Verdict::qualified, "No drift, but at hw = 1.9 the mean is ten times the energy at first.",
     conserves_near_its_limit},
    {"S1-18", "Higher-order symplectic methods do better than RK4.", Verdict::holds,
     "PEFRL at the same cost: 59 times smaller errors.", symplectic_beats_rk4},
};

}  // namespace

std::span<const Claim> fiedler_claims() { return kFiedlerClaims; }

}  // namespace orrery::lab
