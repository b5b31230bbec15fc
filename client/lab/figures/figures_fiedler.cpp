// The figures of Fiedler's "Integration Basics".
#include "client/lab/figures/figure_tools.h"
#include "client/lab/figures/figures.h"

namespace orrery::lab {

namespace {

constexpr const char* kPosition = "position x [m]";

Problem damped() { return problem_of("damped"); }
Problem undamped() { return problem_of("oscillator", {{"k", 15}, {"x0", 1000}}); }

Chart one_panel(const std::string& title, std::vector<Curve> curves) {
  Panel panel = time_panel("", kPosition, std::move(curves));
  return {title, {panel}, 1};
}

Chart damped_exact() {
  return one_panel("Damped spring, k = 15 N/m, b = 0.1 N s/m, m = 1 kg: exact",
                   {exact_curve(damped(), 0, 60)});
}

Chart damped_explicit() {
  Chart chart =
      one_panel("Damped spring by explicit Euler, dt = 1/100 s: it gains energy",
                {run_curve("explicit Euler", kEulerColour, "explicit-euler", damped(), 0.01, 60),
                 exact_curve(damped(), 0, 60)});
  return chart;
}

Chart damped_semi_implicit() {
  return one_panel("Damped spring by semi-implicit Euler, dt = 1/100 s",
                   {run_curve("semi-implicit Euler", kSemiImplicitColour, "semi-implicit-euler",
                              damped(), 0.01, 60),
                    exact_curve(damped(), 0, 60)});
}

std::vector<Curve> both(const Problem& problem, double dt, double from, double to, Stroke stroke) {
  return {run_curve("semi-implicit Euler", kSemiImplicitColour, "semi-implicit-euler", problem, dt,
                    to, from, stroke),
          run_curve("RK4", kRungeKuttaColour, "rk4", problem, dt, to, from, stroke),
          exact_curve(problem, from, to)};
}

Chart damped_both() {
  Panel all = time_panel("the whole run", kPosition, both(damped(), 0.01, 0, 60, Stroke::line));
  Panel zoom = time_panel("zoomed in: one crest", kPosition,
                          both(damped(), 0.01, 16.1, 16.3, Stroke::line_with_dots));
  zoom.x_range = Range{16.1, 16.3};
  return {"Damped spring by semi-implicit Euler and RK4, dt = 1/100 s", {all, zoom}, 1};
}

Chart undamped_exact() {
  return one_panel("Undamped spring, k = 15 N/m, m = 1 kg: exact",
                   {exact_curve(undamped(), 0, 20)});
}

Chart ninety_seconds() {
  Panel start = time_panel("the first seconds", kPosition,
                           both(undamped(), 0.1, 0, 5, Stroke::line_with_dots));
  Panel end = time_panel("after 90 seconds", kPosition,
                         both(undamped(), 0.1, 85, 90, Stroke::line_with_dots));
  start.x_range = Range{0, 5};
  end.x_range = Range{85, 90};
  return {"Undamped spring, dt = 0.1 s: semi-implicit Euler leads, RK4 shrinks", {start, end}, 1};
}

Chart quarter_second(const std::string& title, const Curve& curve, const std::string& method) {
  Panel all = time_panel("90 seconds", kPosition, {curve});
  Panel end = time_panel(
      "the last ten seconds, with the exact solution", kPosition,
      {exact_curve(undamped(), 80, 90), run_curve(curve.title, curve.colour, method, undamped(),
                                                  0.25, 90, 80, Stroke::line_with_dots)});
  end.x_range = Range{80, 90};
  all.x_range = Range{0, 90};
  all.legend = false;
  return {title, {all, end}, 1};
}

Chart quarter_second_rk4() {
  return quarter_second("Undamped spring by RK4, dt = 0.25 s: loses energy and falls behind",
                        run_curve("RK4", kRungeKuttaColour, "rk4", undamped(), 0.25, 90), "rk4");
}

Chart quarter_second_semi_implicit() {
  return quarter_second(
      "Undamped spring by semi-implicit Euler, dt = 0.25 s: no drift of energy, but it leads",
      run_curve("semi-implicit Euler", kSemiImplicitColour, "semi-implicit-euler", undamped(), 0.25,
                90),
      "semi-implicit-euler");
}

constexpr Figure kFiedlerFigures[] = {
    {"damped-exact", "exact motion of the damped spring (Fiedler)", damped_exact},
    {"damped-explicit-euler", "explicit Euler on it at dt = 1/100 (Fiedler)", damped_explicit},
    {"damped-semi-implicit-euler", "semi-implicit Euler on it at dt = 1/100 (Fiedler)",
     damped_semi_implicit},
    {"damped-rk4", "RK4 and semi-implicit Euler on it, with a zoom (Fiedler)", damped_both},
    {"undamped-exact", "exact motion of the undamped spring (Fiedler)", undamped_exact},
    {"undamped-dt-0.1", "RK4 and semi-implicit Euler over 90 s at dt = 0.1 (Fiedler)",
     ninety_seconds},
    {"undamped-dt-0.25-rk4", "RK4 over 90 s at dt = 0.25 (Fiedler)", quarter_second_rk4},
    {"undamped-dt-0.25-semi-implicit-euler", "semi-implicit Euler over 90 s at dt = 0.25 (Fiedler)",
     quarter_second_semi_implicit},
};

}  // namespace

std::span<const Figure> fiedler_figures() { return kFiedlerFigures; }

}  // namespace orrery::lab
