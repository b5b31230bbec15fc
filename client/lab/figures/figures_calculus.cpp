// Figures that explain derivatives, differences, Taylor series and solvable equations (Catto), and
// bounces, the errors of Euler's method and single steps (Pronost).
#include <array>

#include "client/lab/figures/figure_tools.h"
#include "client/lab/figures/figures.h"

namespace orrery::lab {

namespace {

using Function = double (*)(double);

Curve function_curve(const std::string& title, int colour, Stroke stroke, Function function,
                     double from, double to) {
  Curve curve{title, colour, stroke, {}};
  for (int i = 0; i <= 300; ++i) {
    const double x = from + (to - from) * i / 300;
    curve.points.emplace_back(x, function(x));
  }
  return curve;
}

Curve segment(const std::string& title, int colour, Stroke stroke,
              std::vector<std::pair<double, double>> points) {
  return {title, colour, stroke, std::move(points)};
}

Panel plain_panel(const std::string& title, std::vector<Curve> curves) {
  Panel panel;
  panel.title = title;
  panel.x_label = "t";
  panel.y_label = "x";
  panel.curves = std::move(curves);
  return panel;
}

Chart derivatives() {
  const Function exponential = [](double x) { return std::exp(x); };
  const Function sine = [](double x) { return std::sin(x); };
  const Function cosine = [](double x) { return std::cos(x); };
  const Function parabola = [](double x) { return x * x; };
  const Function slope = [](double x) { return 2 * x; };
  const Function straight = [](double x) { return 1 + x / 2; };
  const Function level = [](double) { return 0.5; };
  const auto pair = [](const char* kind, const char* name, const char* derived, Function f,
                       Function d, double from, double to) {
    return plain_panel(kind, {function_curve(name, kSemiImplicitColour, Stroke::line, f, from, to),
                              function_curve(derived, kEulerColour, Stroke::dashed, d, from, to)});
  };
  return {"Functions and their derivatives",
          {pair("a line", "1 + t/2", "its derivative 1/2", straight, level, -2, 2),
           pair("a parabola", "t^2", "its derivative 2t", parabola, slope, -2, 2),
           pair("an exponential", "e^t", "its derivative e^t", exponential, exponential, -2, 2),
           pair("a wave", "sin t", "its derivative cos t", sine, cosine, 0, 2 * kPi)},
          2};
}

// Returns the line through two points of sin t, extended on both sides.
Curve secant(const std::string& title, int colour, double at, double step) {
  const double slope = (std::sin(at + step) - std::sin(at)) / step;
  return segment(title, colour, Stroke::line_with_dots,
                 {{at - 0.4, std::sin(at) - 0.4 * slope},
                  {at, std::sin(at)},
                  {at + step, std::sin(at + step)},
                  {2, std::sin(at) + (2 - at) * slope}});
}

Chart secants() {
  const Function sine = [](double x) { return std::sin(x); };
  constexpr double kAt = 0.5;
  const double slope = std::cos(kAt);
  Panel panel = plain_panel(
      "",
      {function_curve("x(t) = sin t", kExactColour, Stroke::line, sine, 0, 2),
       secant("secant, h = 1.2", kEulerColour, kAt, 1.2),
       secant("h = 0.6", kVerletColour, kAt, 0.6), secant("h = 0.3", kSemiImplicitColour, kAt, 0.3),
       segment(
           "tangent", kRungeKuttaColour, Stroke::dashed,
           {{kAt - 0.4, std::sin(kAt) - 0.4 * slope}, {2, std::sin(kAt) + (2 - kAt) * slope}})});
  return {"The derivative of sin t at t = 0.5: the limit of secants as h goes to 0", {panel}, 1};
}

Chart solutions() {
  const Function line = [](double t) { return 1 + t / 2; };
  const Function growth = [](double t) { return std::exp(t / 2); };
  const Function decay = [](double t) { return std::exp(-t / 2); };
  // A projectile with initial velocities of 10 m/s horizontally and 20 m/s upwards.
  const Function flight = [](double along) {
    const double t = along / 10;
    return 20 * t - 9.8 * t * t / 2;
  };
  Panel path = plain_panel("y'' = -9.8 m/s^2: a parabola",
                           {function_curve("projectile, 10 m/s along and 20 m/s up",
                                           kSemiImplicitColour, Stroke::line, flight, 0, 40)});
  path.x_label = "distance x [m]";
  path.y_label = "height y [m]";
  return {
      "Equations that have an exact solution",
      {plain_panel("x' = 1/2: a line",
                   {function_curve("1 + t/2", kSemiImplicitColour, Stroke::line, line, 0, 4)}),
       plain_panel("x' = c x: an exponential",
                   {function_curve("c = 1/2", kEulerColour, Stroke::line, growth, 0, 4),
                    function_curve("c = -1/2", kSemiImplicitColour, Stroke::dashed, decay, 0, 4)}),
       path},
      3};
}

Chart bounce() {
  const Problem ball = make_problem("bounce").value();
  Panel panel = time_panel(
      "", "height [m]",
      {exact_curve(ball, 0, 2), run_curve("as seen at ten frames a second", kEulerColour,
                                          "kinematic", ball, 0.1, 2, 0, Stroke::line_with_dots)});
  return {"A sequence of instants: no frame falls on a bounce, paths become pieces of lines",
          {panel},
          1};
}

Chart differences() {
  const Function sine = [](double x) { return std::sin(x); };
  constexpr double kAt = 0.8, kStep = 0.7;
  const auto line = [&](const char* title, int colour, Stroke stroke, double slope) {
    return segment(title, colour, stroke,
                   {{kAt - 1, std::sin(kAt) - slope}, {kAt + 1, std::sin(kAt) + slope}});
  };
  const double forward = (std::sin(kAt + kStep) - std::sin(kAt)) / kStep;
  const double backward = (std::sin(kAt) - std::sin(kAt - kStep)) / kStep;
  const double central = (std::sin(kAt + kStep) - std::sin(kAt - kStep)) / (2 * kStep);
  Panel panel =
      plain_panel("", {function_curve("x(t) = sin t", kExactColour, Stroke::line, sine, -0.4, 2.2),
                       line("tangent", kOtherColour, Stroke::thin, std::cos(kAt)),
                       line("forward difference", kEulerColour, Stroke::dashed, forward),
                       line("backward difference", kRungeKuttaColour, Stroke::dashed, backward),
                       line("central difference", kSemiImplicitColour, Stroke::line, central)});
  return {
      "Finite differences of sin t at t = 0.8, h = 0.7: the central one is nearest", {panel}, 1};
}

Chart taylor() {
  const Function sine = [](double t) { return std::sin(t); };
  const Function first = [](double t) { return t; };
  const Function third = [](double t) { return t - t * t * t / 6; };
  const Function fifth = [](double t) { return t - t * t * t / 6 + std::pow(t, 5) / 120; };
  const Function seventh = [](double t) {
    return t - t * t * t / 6 + std::pow(t, 5) / 120 - std::pow(t, 7) / 5040;
  };
  Panel panel = plain_panel(
      "", {function_curve("sin t", kExactColour, Stroke::line, sine, 0, 2 * kPi),
           function_curve("order 1", kEulerColour, Stroke::dashed, first, 0, 2 * kPi),
           function_curve("order 3", kSemiImplicitColour, Stroke::line, third, 0, 2 * kPi),
           function_curve("order 5", kRungeKuttaColour, Stroke::dashed, fifth, 0, 2 * kPi),
           function_curve("order 7", kImplicitColour, Stroke::line, seventh, 0, 2 * kPi)});
  panel.y_range = Range{-2, 2};
  return {"Taylor series of sin t about 0", {panel}, 1};
}

// The example equation of the figures below: x' = x cos t, with the solution x = e^(sin t).
double slope_at(double t, double x) { return x * std::cos(t); }
double exact_at(double t) { return std::exp(std::sin(t)); }

Chart drift() {
  std::vector<Curve> curves{function_curve("exact", kExactColour, Stroke::line, exact_at, 0, 10)};
  constexpr std::array<int, 3> kColours = {kEulerColour, kSemiImplicitColour, kRungeKuttaColour};
  constexpr std::array<double, 3> kSteps = {0.5, 0.25, 0.125};
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    Curve curve{
        "dt = " + std::to_string(kSteps[i]).substr(0, 5), kColours[i], Stroke::line_with_dots, {}};
    double x = 1;
    for (double t = 0; t <= 10; t += kSteps[i]) {
      curve.points.emplace_back(t, x);
      x += kSteps[i] * slope_at(t, x);
    }
    curves.push_back(std::move(curve));
  }
  return {"Euler's method drifts off x' = x cos t; smaller steps drift less",
          {plain_panel("", std::move(curves))},
          1};
}

constexpr double kFrom = 0.9;
constexpr double kStep = 1.2;

// Returns a short line with the slope `slope` through (t, x).
Curve tangent(const std::string& title, int colour, double t, double x, double slope) {
  constexpr double kHalf = 0.25;
  return segment(title, colour, Stroke::line,
                 {{t - kHalf, x - kHalf * slope}, {t + kHalf, x + kHalf * slope}});
}

Panel step_panel(const std::string& title, std::vector<Curve> tangents, double end) {
  std::vector<Curve> curves{
      function_curve("exact", kExactColour, Stroke::thin, exact_at, kFrom - 0.3, kFrom + 1.6)};
  for (Curve& curve : tangents) curves.push_back(std::move(curve));
  curves.push_back(segment("step taken", kEulerColour, Stroke::line_with_dots,
                           {{kFrom, exact_at(kFrom)}, {kFrom + kStep, end}}));
  Panel panel = plain_panel(title, std::move(curves));
  return panel;
}

Panel euler_step() {
  const double x = exact_at(kFrom), k = slope_at(kFrom, x);
  return step_panel("Euler: tangent at the start",
                    {tangent("slope at the start", kSemiImplicitColour, kFrom, x, k)},
                    x + kStep * k);
}

Panel midpoint_step() {
  const double x = exact_at(kFrom), k = slope_at(kFrom, x);
  const double xm = x + kStep / 2 * k, tm = kFrom + kStep / 2, km = slope_at(tm, xm);
  return step_panel(
      "midpoint: tangent half way",
      {segment("half a step of Euler", kOtherColour, Stroke::dashed, {{kFrom, x}, {tm, xm}}),
       tangent("slope half way", kSemiImplicitColour, tm, xm, km)},
      x + kStep * km);
}

Panel heun_step() {
  const double x = exact_at(kFrom), k = slope_at(kFrom, x);
  const double xe = x + kStep * k, te = kFrom + kStep, ke = slope_at(te, xe);
  return step_panel(
      "improved Euler: mean of both ends",
      {segment("a step of Euler", kOtherColour, Stroke::dashed, {{kFrom, x}, {te, xe}}),
       tangent("slope at the start", kSemiImplicitColour, kFrom, x, k),
       tangent("slope at its end", kRungeKuttaColour, te, xe, ke)},
      x + kStep * (k + ke) / 2);
}

Panel rk4_step() {
  const double x = exact_at(kFrom), half = kStep / 2, k1 = slope_at(kFrom, x);
  const double k2 = slope_at(kFrom + half, x + half * k1);
  const double k3 = slope_at(kFrom + half, x + half * k2);
  const double k4 = slope_at(kFrom + kStep, x + kStep * k3);
  return step_panel("RK4: four tangents, weights 1 2 2 1",
                    {tangent("slope 1", kSemiImplicitColour, kFrom, x, k1),
                     tangent("slope 2", kRungeKuttaColour, kFrom + half, x + half * k1, k2),
                     tangent("slope 3", kImplicitColour, kFrom + half, x + half * k2, k3),
                     tangent("slope 4", kCorrectedColour, kFrom + kStep, x + kStep * k3, k4)},
                    x + kStep * (k1 + 2 * k2 + 2 * k3 + k4) / 6);
}

Panel backward_step() {
  const double x = exact_at(kFrom), te = kFrom + kStep;
  const double xe = x / (1 - kStep * std::cos(te));
  return step_panel("backward Euler: tangent at the end",
                    {tangent("slope at the end", kSemiImplicitColour, te, xe, slope_at(te, xe))},
                    xe);
}

Panel verlet_step() {
  // A step of Verlet from two exact points of x'' = -x, where x = cos t.
  const Function cosine = [](double t) { return std::cos(t); };
  const double t = 0.6, h = 0.6;
  const double next = 2 * std::cos(t) - std::cos(t - h) - h * h * std::cos(t);
  const double straight = 2 * std::cos(t) - std::cos(t - h);
  Panel panel = plain_panel(
      "Verlet: straight on, then h^2 a",
      {function_curve("exact, x'' = -x", kExactColour, Stroke::thin, cosine, -0.3, 1.6),
       segment("straight on", kOtherColour, Stroke::dashed,
               {{t - h, std::cos(t - h)}, {t + h, straight}}),
       segment("h^2 a", kSemiImplicitColour, Stroke::line, {{t + h, straight}, {t + h, next}}),
       segment("x-1, x0, x1", kEulerColour, Stroke::line_with_dots,
               {{t - h, std::cos(t - h)}, {t, std::cos(t)}, {t + h, next}})});
  return panel;
}

Chart steps() {
  return {"One step of six methods",
          {euler_step(), midpoint_step(), heun_step(), rk4_step(), backward_step(), verlet_step()},
          2};
}

constexpr Figure kCalculusFigures[] = {
    {"derivatives", "functions and their derivatives (Catto)", derivatives},
    {"secants", "the derivative as the limit of secants (Catto)", secants},
    {"solutions", "a line, exponentials and the path of a projectile (Catto)", solutions},
    {"differences", "forward, backward and central differences (Catto)", differences},
    {"taylor-sine", "Taylor series of the sine (Catto)", taylor},
    {"bounce", "instants that miss the bounce of a ball (Pronost)", bounce},
    {"error-accumulation", "Euler's method drifts off the function (Pronost)", drift},
    {"steps", "Euler, midpoint, improved Euler, RK4, backward Euler, Verlet (Pronost)", steps},
};

}  // namespace

std::span<const Figure> calculus_figures() { return kCalculusFigures; }

}  // namespace orrery::lab
