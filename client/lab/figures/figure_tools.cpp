// Helpers for figures: curves of exact solutions and of runs.
#include "client/lab/figures/figure_tools.h"

#include <algorithm>

#include "client/lab/exact.h"

namespace orrery::lab {

namespace {

constexpr int kExactPoints = 1200;

Curve curve_of(const std::string& title, int colour, Stroke stroke, const RunSetup& setup,
               double from, double to) {
  Curve curve{title, colour, stroke, {}};
  observe_run(setup, [&](Real t, std::span<const Real> x, std::span<const Real>) {
    const auto time = static_cast<double>(t);
    if (time < from || time > to * (1 + 1e-9)) return;
    curve.points.emplace_back(time, static_cast<double>(x[0]));
  });
  return curve;
}

RunSetup setup_of(const std::string& method, const Problem& problem, double dt, double to) {
  RunSetup setup;
  setup.method = method;
  setup.problem = problem;
  setup.dt = dt;
  setup.steps = static_cast<std::uint64_t>(std::ceil(to / dt - 1e-9));
  return setup;
}

}  // namespace

Curve exact_curve(const Problem& problem, double from, double to, Quantity quantity) {
  Curve curve{"exact", kExactColour, Stroke::thin, {}};
  std::vector<Real> x(problem.dimension()), v(problem.dimension());
  for (int i = 0; i <= kExactPoints; ++i) {
    const double t = from + (to - from) * i / kExactPoints;
    exact_state(problem, t, x, v);
    curve.points.emplace_back(t, static_cast<double>(quantity == Quantity::position ? x[0] : v[0]));
  }
  return curve;
}

Curve run_curve(const std::string& title, int colour, const std::string& method,
                const Problem& problem, double dt, double to, double from, Stroke stroke) {
  return curve_of(title, colour, stroke, setup_of(method, problem, dt, to), from, to);
}

Curve random_curve(const std::string& title, int colour, const std::string& method,
                   const Problem& problem, double dt, double to, std::uint64_t seed,
                   Stroke stroke) {
  RunSetup setup = setup_of(method, problem, dt, 2 * to);
  setup.seed = seed;
  return curve_of(title, colour, stroke, setup, 0, to);
}

Curve phase_curve(const std::string& title, int colour, const std::string& method,
                  const Problem& problem, double dt, std::uint64_t steps, Stroke stroke) {
  Curve curve{title, colour, stroke, {}};
  RunSetup setup = setup_of(method, problem, dt, dt);
  setup.steps = steps;
  observe_run(setup, [&curve](Real, std::span<const Real> x, std::span<const Real> v) {
    curve.points.emplace_back(static_cast<double>(x[0]), static_cast<double>(v[0]));
  });
  return curve;
}

Panel time_panel(const std::string& title, const std::string& y_label, std::vector<Curve> curves) {
  Panel panel;
  panel.title = title;
  panel.x_label = "time t [s]";
  panel.y_label = y_label;
  panel.curves = std::move(curves);
  return panel;
}

}  // namespace orrery::lab
