// The figures of Dummer's "A Simple Time-Corrected Verlet Integration Method".
#include "client/lab/figures/figure_tools.h"
#include "client/lab/figures/figures.h"

namespace orrery::lab {

namespace {

constexpr std::uint64_t kSeed = 5;

struct Subject {
  const char* problem;
  const char* title;
  double dt;
  double time;
};

constexpr Subject kProjectile{"projectile", "Projectile, 20 m/s upwards", 0.1, 4};
constexpr Subject kPolynomial{"polynomial-b", "x = t^4/12 - t^3/2 + t^2", 0.1, 4};
constexpr Subject kSine{"sine", "x = sin t", 0.1, 4 * kPi};

Chart fixed_steps(const Subject& subject) {
  const Problem problem = problem_of(subject.problem);
  const auto run = [&](const char* title, int colour, const char* method) {
    return run_curve(title, colour, method, problem, subject.dt, subject.time, 0,
                     Stroke::line_with_dots);
  };
  Panel panel = time_panel("", "position x [m]",
                           {run("semi-implicit Euler", kSemiImplicitColour, "semi-implicit-euler"),
                            run("Verlet", kVerletColour, "verlet"),
                            run("time-corrected Verlet", kCorrectedColour, "tcv"),
                            exact_curve(problem, 0, subject.time)});
  return {std::string(subject.title) + ", fixed steps of 0.1 s: both Verlets are one", {panel}, 1};
}

Chart random_steps(const Subject& subject) {
  const Problem problem = problem_of(subject.problem);
  const auto run = [&](const char* title, int colour, const char* method) {
    return random_curve(title, colour, method, problem, subject.dt, subject.time, kSeed,
                        Stroke::line_with_dots);
  };
  Panel panel = time_panel("", "position x [m]",
                           {run("semi-implicit Euler", kSemiImplicitColour, "semi-implicit-euler"),
                            run("Verlet", kVerletColour, "verlet"),
                            run("time-corrected Verlet", kCorrectedColour, "tcv"),
                            run("fully corrected Verlet", kRungeKuttaColour, "tcv-full"),
                            exact_curve(problem, 0, subject.time)});
  return {std::string(subject.title) + ", random steps of 0.05 to 0.15 s", {panel}, 1};
}

Chart initial_condition() {
  const Problem problem = problem_of("projectile");
  const auto run = [&problem](const char* title, int colour, const char* method) {
    return run_curve(title, colour, method, problem, 0.25, 4, 0, Stroke::line_with_dots);
  };
  Panel panel = time_panel(
      "", "height x [m]",
      {run("from x-1 = x0 - v0 dt", kEulerColour, "verlet-naive-start"),
       run("from x-1 of equation (2)", kSemiImplicitColour, "verlet"), exact_curve(problem, 0, 4)});
  return {"Projectile by Verlet from a wrong and from the right start, dt = 0.25 s", {panel}, 1};
}

constexpr Figure kCorrectedVerletFigures[] = {
    {"verlet-projectile", "projectile with fixed steps (Dummer)",
     [] { return fixed_steps(kProjectile); }},
    {"verlet-polynomial", "polynomial with fixed steps (Dummer)",
     [] { return fixed_steps(kPolynomial); }},
    {"verlet-sine", "sine with fixed steps (Dummer)", [] { return fixed_steps(kSine); }},
    {"verlet-initial-condition", "projectile from a wrong start (Dummer)", initial_condition},
    {"verlet-projectile-random", "projectile with random steps (Dummer)",
     [] { return random_steps(kProjectile); }},
    {"verlet-polynomial-random", "polynomial with random steps (Dummer)",
     [] { return random_steps(kPolynomial); }},
    {"verlet-sine-random", "sine with random steps (Dummer)", [] { return random_steps(kSine); }},
};

}  // namespace

std::span<const Figure> corrected_verlet_figures() { return kCorrectedVerletFigures; }

}  // namespace orrery::lab
