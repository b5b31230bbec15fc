// Figures that compare methods: work and precision, order, energy over time.
#include <algorithm>

#include "client/lab/exact.h"
#include "client/lab/figures/figure_tools.h"
#include "client/lab/figures/figures.h"

namespace orrery::lab {

namespace {

struct Contestant {
  const char* method;
  int colour;
};

constexpr Contestant kContestants[] = {{"explicit-euler", 1},  {"semi-implicit-euler", 2},
                                       {"velocity-verlet", 5}, {"rk4", 3},
                                       {"forest-ruth", 4},     {"pefrl", 6},
                                       {"yoshida6", 0}};
constexpr Contestant kWithDrag[] = {{"explicit-euler", 1},         {"semi-implicit-euler", 2},
                                    {"velocity-verlet", 5},        {"rk4", 3},
                                    {"forest-ruth-exact-drag", 4}, {"pefrl-exact-drag", 6},
                                    {"leapfrog-kdk-exact-drag", 0}};
constexpr Contestant kWithKinematic[] = {
    {"semi-implicit-euler", 2}, {"velocity-verlet", 5},  {"rk4", 3}, {"pefrl", 6},
    {"kinematic", 1},           {"kinematic-average", 4}};

Panel logarithmic_panel(const std::string& x_label) {
  Panel panel;
  panel.x_label = x_label;
  panel.y_label = "error of x and v, of the start";
  panel.x_logarithmic = panel.y_logarithmic = true;
  panel.y_range = Range{1e-15, 10};
  return panel;
}

// Returns a panel with the final error as a function of force evaluations, for 16 to 16384 steps.
Panel work_panel(const Problem& problem, std::span<const Contestant> contestants) {
  Panel panel = logarithmic_panel("force evaluations");
  const Real size = std::max(Real(1), std::fabs(problem.x0[0]));
  for (const auto& [method, colour] : contestants) {
    Curve curve{method, colour, Stroke::line_with_dots, {}};
    for (std::uint64_t steps = 16; steps <= 16'384; steps *= 2) {
      const RunReport report =
          run_of(method, problem, natural_time(problem) / static_cast<Real>(steps), steps,
                 Precision::extended);
      if (report.blew_up_at || report.state.final == 0) continue;
      curve.points.emplace_back(static_cast<double>(report.evaluations),
                                static_cast<double>(report.state.final / size));
    }
    panel.curves.push_back(std::move(curve));
  }
  return panel;
}

Chart work(const char* title, const char* problem, std::span<const Contestant> contestants) {
  return {title, {work_panel(problem_of(problem), contestants)}, 1};
}

Chart orders() {
  Panel panel = logarithmic_panel("step dt [s]");
  for (const auto& [method, colour] : kContestants) {
    Curve curve{method, colour, Stroke::line_with_dots, {}};
    for (const OrderPoint& point : measure_order(method, oscillator(), {}, 16'384).points) {
      curve.points.emplace_back(static_cast<double>(point.dt), static_cast<double>(point.error));
    }
    panel.curves.push_back(std::move(curve));
  }
  return {"Order: error on the oscillator after 10 s, over the step", {panel}, 1};
}

Curve energy_curve(const Contestant& contestant, const Problem& problem, double dt,
                   std::uint64_t steps) {
  Curve curve{contestant.method, contestant.colour, Stroke::thin, {}};
  const Real first = *energy(problem, problem.x0, problem.v0);
  RunSetup setup;
  setup.method = contestant.method;
  setup.problem = problem;
  setup.dt = dt;
  setup.steps = steps;
  observe_run(setup, [&](Real t, std::span<const Real> x, std::span<const Real> v) {
    curve.points.emplace_back(static_cast<double>(t),
                              static_cast<double>(*energy(problem, x, v) / first));
  });
  return curve;
}

Chart energy_of_oscillator() {
  Panel panel = time_panel("", "energy E/E0", {});
  for (const Contestant& contestant : {Contestant{"explicit-euler", 1},
                                       {"backward-euler", 4},
                                       {"semi-implicit-euler", 2},
                                       {"velocity-verlet", 5},
                                       {"rk4", 3}}) {
    panel.curves.push_back(energy_curve(contestant, oscillator(), 0.2, 200));
  }
  panel.y_range = Range{0, 2};
  return {"Energy of a spring over time, h omega = 0.2", {panel}, 1};
}

Chart energy_of_orbit() {
  const Problem kepler = problem_of("kepler");
  Panel wide = time_panel("RK4 and semi-implicit Euler", "energy E/E0, E0 < 0", {});
  for (const Contestant& contestant :
       {Contestant{"semi-implicit-euler", 2}, {"rk4", 3}, {"velocity-verlet", 5}}) {
    wide.curves.push_back(energy_curve(contestant, kepler, 2 * kPi / 50, 50 * 40));
  }
  wide.y_range = Range{0.7, 1.2};
  Panel zoom = time_panel("symplectic methods", "energy E/E0, E0 < 0", {});
  for (const Contestant& contestant :
       {Contestant{"velocity-verlet", 5}, {"leapfrog-dkd", 1}, {"pefrl", 6}}) {
    zoom.curves.push_back(energy_curve(contestant, kepler, 2 * kPi / 50, 50 * 40));
  }
  return {"Energy of a Kepler orbit, e = 0.5, 40 periods of 50 steps", {wide, zoom}, 1};
}

constexpr Figure kComparisonFigures[] = {
    {"orders", "error over step, by method", orders},
    {"work-precision-oscillator", "error over force evaluations on the oscillator",
     [] { return work("Work and precision: oscillator, 10 s", "oscillator", kContestants); }},
    {"work-precision-kepler", "error over force evaluations on an orbit",
     [] { return work("Work and precision: Kepler orbit, e = 0.5, 7 s", "kepler", kContestants); }},
    {"work-precision-damped", "error over force evaluations with drag",
     [] {
       return work("Work and precision: damped spring from 1000 m, 10 s", "damped", kWithDrag);
     }},
    {"work-precision-two-springs", "error over force evaluations with two springs",
     [] {
       return work("Work and precision: a mass on two equal springs, 10 s", "two-springs",
                   kWithKinematic);
     }},
    {"energy-oscillator", "energy of a spring over time", energy_of_oscillator},
    {"energy-kepler", "energy of an orbit over time", energy_of_orbit},
};

}  // namespace

std::span<const Figure> comparison_figures() { return kComparisonFigures; }

}  // namespace orrery::lab
