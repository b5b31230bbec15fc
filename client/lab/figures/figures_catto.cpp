// The figures of Catto's "Numerical Methods": springs over time and in phase space, and spinning
// bodies.
#include <algorithm>

#include "client/lab/figures/figure_tools.h"
#include "client/lab/figures/figures.h"
#include "client/lab/rolling_capsule.h"
#include "client/lab/rotation_run.h"

namespace orrery::lab {

namespace {

constexpr double kFrame = 1 / 60.0;

Curve renamed(Curve curve, const std::string& title, int colour, Stroke stroke) {
  curve.title = title;
  curve.colour = colour;
  curve.stroke = stroke;
  return curve;
}

Chart spring_in_time() {
  const Problem spring = oscillator();
  Panel panel =
      time_panel("", "position x [m], velocity v [m/s]",
                 {renamed(exact_curve(spring, 0, 4 * kPi), "position", kEulerColour, Stroke::line),
                  renamed(exact_curve(spring, 0, 4 * kPi, Quantity::velocity), "velocity",
                          kSemiImplicitColour, Stroke::dashed)});
  return {"Mass on a spring, omega = 1 rad/s: exact", {panel}, 1};
}

Curve circle(double radius_x, double radius_v) {
  Curve curve{"exact", kExactColour, Stroke::thin, {}};
  for (int i = 0; i <= 200; ++i) {
    const double angle = 2 * kPi * i / 200;
    curve.points.emplace_back(radius_x * std::cos(angle), -radius_v * std::sin(angle));
  }
  return curve;
}

Panel phase_panel(const std::string& title, std::vector<Curve> curves, double half_width) {
  Panel panel;
  panel.title = title;
  panel.x_label = "position x [m]";
  panel.y_label = "velocity v / omega [m]";
  panel.curves = std::move(curves);
  panel.x_range = panel.y_range = Range{-half_width, half_width};
  panel.square = true;
  return panel;
}

Chart phase_exact() {
  return {"Phase portrait of a mass on a spring: exact, clockwise in time",
          {phase_panel("", {circle(1, 1)}, 1.5)},
          1};
}

Chart phase_explicit() {
  return {"Phase portrait by explicit Euler, h omega = 0.1: spirals out",
          {phase_panel("",
                       {circle(1, 1), phase_curve("explicit Euler", kEulerColour, "explicit-euler",
                                                  oscillator(), 0.1, 250, Stroke::line_with_dots)},
                       4)},
          1};
}

Chart phase_implicit() {
  return {
      "Phase portrait by implicit Euler, h omega = 0.1: spirals in",
      {phase_panel("",
                   {circle(1, 1), phase_curve("implicit Euler", kImplicitColour, "backward-euler",
                                              oscillator(), 0.1, 250, Stroke::line_with_dots)},
                   1.5)},
      1};
}

Panel semi_implicit_panel(double theta, std::uint64_t steps, double half_width) {
  const std::string at = "h omega = " + std::to_string(theta).substr(0, theta > 2 ? 4 : 3);
  const Stroke stroke = theta < 0.5              ? Stroke::line
                        : theta > 1 && theta < 2 ? Stroke::dots
                                                 : Stroke::line_with_dots;
  return phase_panel(
      at + ", " + std::to_string(steps) + " steps",
      {circle(1, 1), phase_curve("semi-implicit Euler", kSemiImplicitColour, "semi-implicit-euler",
                                 oscillator(), theta, steps, stroke)},
      half_width);
}

Chart phase_semi_implicit() {
  return {"Phase portraits by semi-implicit Euler, from near exact to blowing up",
          {semi_implicit_panel(0.1, 200, 1.5), semi_implicit_panel(0.5, 60, 1.5),
           semi_implicit_panel(1, 60, 1.5), semi_implicit_panel(1.5, 400, 3),
           semi_implicit_panel(1.9, 400, 6), semi_implicit_panel(2.01, 14, 100)},
          3};
}

Chart phase_damped() {
  const Problem damped = problem_of("damped", {{"k", 1}, {"b", 0.2}, {"x0", 1}, {"v0", 0}});
  const Curve x = exact_curve(damped, 0, 40);
  const Curve v = exact_curve(damped, 0, 40, Quantity::velocity);
  Curve spiral{"exact, damping ratio 0.1", kExactColour, Stroke::line, {}};
  for (std::size_t i = 0; i < x.points.size(); ++i) {
    spiral.points.emplace_back(x.points[i].second, v.points[i].second);
  }
  return {"Phase portrait of a damped spring: position and velocity decay",
          {phase_panel("", {spiral}, 1.2)},
          1};
}

Chart damping_ratios() {
  std::vector<Curve> curves;
  constexpr struct {
    double zeta;
    const char* title;
    Stroke stroke;
  } kRatios[] = {{0, "0: none", Stroke::thin},
                 {0.1, "0.1: oscillates", Stroke::line},
                 {1, "1: critical", Stroke::dashed},
                 {2, "2: creeps", Stroke::line}};
  int colour = 0;
  for (const auto& [zeta, title, stroke] : kRatios) {
    const Problem problem = problem_of("damped", {{"k", 1}, {"b", 2 * zeta}, {"x0", 1}, {"v0", 0}});
    curves.push_back(renamed(exact_curve(problem, 0, 20), title, colour++, stroke));
  }
  Panel panel = time_panel("", "position x [m]", curves);
  return {"Spring and damper, omega = 1 rad/s, by damping ratio: exact", {panel}, 1};
}

Curve tumbling_energy_curve(const std::string& title, int colour, Stroke stroke,
                            std::string_view method) {
  const Triple<double> inertia{1, 2, 3};
  Curve curve{title, colour, stroke, {}};
  double first = 0;
  observe_rotation({method, inertia, {0.01, 5, 0.01}, kFrame, 3'600},
                   [&](double t, const Triple<double>& w) {
                     const double energy = integrate::dot(integrate::scaled(inertia, w), w);
                     if (t == 0) first = energy;
                     curve.points.emplace_back(t, energy / first);
                   });
  return curve;
}

Chart gyro_energy() {
  Panel panel = time_panel(
      "", "kinetic energy E/E0",
      {tumbling_energy_curve("explicit", kEulerColour, Stroke::line, "explicit"),
       tumbling_energy_curve("momentum, old inertia", kVerletColour, Stroke::line, "momentum"),
       tumbling_energy_curve("dropped", kOtherColour, Stroke::dashed, "dropped"),
       tumbling_energy_curve("implicit, one Newton step", kImplicitColour, Stroke::line,
                             "implicit-gyro"),
       tumbling_energy_curve("Cayley midpoint", kSemiImplicitColour, Stroke::line, "cayley")});
  panel.y_range = Range{0, 6};
  return {"A free box of inertia 1 : 2 : 3, spin 5 rad/s, h = 1/60 s: kinetic energy", {panel}, 1};
}

Panel spin_panel(const std::string& title, std::string_view method, const Triple<double>& inertia,
                 const Triple<double>& omega, double seconds, int axes = 3) {
  constexpr const char* kTitles[] = {"omega 1", "omega 2", "omega 3"};
  constexpr int kColoursOfAxes[] = {kEulerColour, kSemiImplicitColour, kRungeKuttaColour};
  std::vector<Curve> curves;
  for (int axis = 0; axis < axes; ++axis) {
    curves.push_back({kTitles[axis],
                      kColoursOfAxes[axis],
                      axis == 1   ? Stroke::line
                      : axis == 0 ? Stroke::dashed
                                  : Stroke::thin,
                      {}});
  }
  const auto steps = static_cast<std::uint64_t>(seconds / kFrame);
  observe_rotation({method, inertia, omega, kFrame, steps},
                   [&curves](double t, const Triple<double>& w) {
                     for (std::size_t i = 0; i < curves.size(); ++i) {
                       curves[i].points.emplace_back(t, w[i]);
                     }
                   });
  Panel panel = time_panel(title, "spin [rad/s]", std::move(curves));
  return panel;
}

Chart flips() {
  const auto panel = [](const char* title, std::string_view method) {
    Panel spin = spin_panel(title, method, {1, 2, 3}, {0.01, 5, 0.01}, 30);
    spin.y_range = Range{-6, 6};
    return spin;
  };
  return {"A box flips over as it spins: spin about its own axes, h = 1/60 s",
          {panel("Cayley midpoint, as the exact solution", "cayley"),
           panel("implicit, one Newton step: flips in time, but slows", "implicit-gyro"),
           panel("gyroscopic term dropped: never flips", "dropped")},
          1};
}

Chart capsule_blows_up() {
  Panel panel = spin_panel("", "explicit", {1, 1, 0.2}, {1, 0.5, 20}, 7.5);
  panel.y_range = Range{-150, 150};
  return {"A spinning capsule by explicit Euler, h = 1/60 s: blows up after 7.7 s", {panel}, 1};
}

Chart capsule() {
  const auto panel = [](const char* title, std::string_view method) {
    Panel across = spin_panel(title, method, {1, 1, 0.2}, {1, 0.5, 20}, 10, 2);
    across.y_range = Range{-1.5, 1.5};
    return across;
  };
  return {"A free capsule, 20 rad/s about its long axis: spin across that axis, h = 1/60 s",
          {panel("gyroscopic term dropped: no wobble, for ever", "dropped"),
           panel("implicit, one Newton step: the wobble is damped", "implicit-gyro"),
           panel("Cayley midpoint, as the exact solution", "cayley")},
          1};
}

Curve tilt_curve(const std::string& title, int colour, Stroke stroke, std::string_view method) {
  Curve curve{title, colour, stroke, {}};
  RollingCapsule capsule(method, kFrame, 1);
  for (int i = 0; i <= 540; ++i) {
    const Triple<double> l = capsule.momentum();
    const double size = std::sqrt(integrate::dot(l, l));
    const double cosine = integrate::dot(capsule.axis(), l) / size;
    curve.points.emplace_back(i * kFrame, std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / kPi);
    capsule.step();
  }
  return curve;
}

Curve wander_curve(const std::string& title, int colour, Stroke stroke, std::string_view method) {
  Curve curve{title, colour, stroke, {}};
  RollingCapsule capsule(method, kFrame, 1);
  const Triple<double> first = capsule.momentum();
  for (int i = 0; i <= 540; ++i) {
    const Triple<double> l = capsule.momentum();
    const Triple<double> side = integrate::cross(first, l);
    const double angle =
        std::atan2(std::sqrt(integrate::dot(side, side)), integrate::dot(first, l));
    curve.points.emplace_back(i * kFrame, angle * 180 / kPi);
    capsule.step();
  }
  return curve;
}

Chart rolling() {
  const auto curves = [](auto curve) {
    return std::vector<Curve>{
        curve("dropped", kOtherColour, Stroke::dashed, "dropped"),
        curve("implicit, one Newton step", kImplicitColour, Stroke::line, "implicit-gyro"),
        curve("Cayley midpoint", kSemiImplicitColour, Stroke::line, "cayley")};
  };
  Panel tilt =
      time_panel("long axis against the angular momentum", "angle [degrees]", curves(tilt_curve));
  Panel wander = time_panel("angular momentum against itself at first: 0 in truth",
                            "angle [degrees]", curves(wander_curve));
  return {"A capsule with rolling resistance, h = 1/60 s, until nearly at rest", {tilt, wander}, 1};
}

constexpr Figure kCattoFigures[] = {
    {"spring-time", "position and velocity of a spring in time (Catto)", spring_in_time},
    {"phase-exact", "phase portrait of a spring (Catto)", phase_exact},
    {"phase-explicit-euler", "phase portrait by explicit Euler (Catto)", phase_explicit},
    {"phase-implicit-euler", "phase portrait by implicit Euler (Catto)", phase_implicit},
    {"phase-semi-implicit-euler", "phase portraits at h omega = 0.1 to 1.9, and 2.01 (Catto)",
     phase_semi_implicit},
    {"phase-damped", "phase portrait with damping (Catto)", phase_damped},
    {"damping-ratios", "motion by damping ratio (Catto)", damping_ratios},
    {"gyro-capsule-explicit", "a spinning capsule by explicit Euler (Catto)", capsule_blows_up},
    {"gyro-capsule", "the capsule with the term dropped and implicit (Catto)", capsule},
    {"gyro-flip", "the flipping box (Catto)", flips},
    {"gyro-energy", "kinetic energy of the box by method (Catto)", gyro_energy},
    {"gyro-rolling", "the capsule with rolling resistance (Catto)", rolling},
};

}  // namespace

std::span<const Figure> catto_figures() { return kCattoFigures; }

}  // namespace orrery::lab
