// The claims of Pronost's lecture "Numerical Integration" (Utrecht University).
#include <algorithm>

#include "client/lab/claims/claim_tools.h"
#include "client/lab/exact.h"
#include "client/lab/methods/predictor.h"
#include "common/integrate/rotation_algebra.h"

namespace orrery::lab {

namespace {

double oscillator_error(const char* method, double omega, double h, std::uint64_t steps) {
  const Problem problem = problem_of("oscillator", {{"omega", omega}});
  return static_cast<double>(run_of(method, problem, h, steps).position.final);
}

void midpoint_order(Notebook& note) {
  note_slopes(note, "midpoint", 2, 0.05);
  note_slopes(note, "explicit-euler", 1, 0.05);
}

void better_below_one_second(Notebook& note) {
  for (const double omega : {1.0, 10.0, 100.0}) {
    const double ratio = oscillator_error("midpoint", omega, 0.5, 10) /
                         oscillator_error("explicit-euler", omega, 0.5, 10);
    const std::string what =
        "error of midpoint over Euler's, dt = 0.5, omega = " + std::to_string(std::lround(omega));
    if (omega == 1) note.at_most(what, ratio, 0.6);
    if (omega > 1) note.at_least(what, ratio, 100);
  }
}

// Returns v after one step of 0.1 on v' = -b v, from v = 1.
double first_step(const char* method, double b) {
  Problem problem = problem_of("drag");
  problem.drag = b;
  Simulation<double> simulation(method, problem, 0.1);
  simulation.step(0.1);
  return simulation.v();
}

void over_and_underestimate(Notebook& note) {
  note.near("Euler's point for v' = -v", first_step("explicit-euler", 1), 0.9, 1e-12);
  note.near("the point from its slope", first_step("backward-euler-predictor", 1), 0.91, 1e-12);
  note.near("their mean", first_step("heun", 1), 0.905, 1e-12);
  note.between("exact value", std::exp(-0.1), 0.9, 0.91);
  note.near("Euler's point for v' = v", first_step("explicit-euler", -1), 1.1, 1e-12);
  note.near("the point from its slope", first_step("backward-euler-predictor", -1), 1.11, 1e-12);
  note.near("their mean", first_step("heun", -1), 1.105, 1e-12);
  note.between("exact value", std::exp(0.1), 1.1, 1.11);
}

void heun_order(Notebook& note) {
  note_slopes(note, "heun", 2, 0.05);
  const double radius = spectral_radius("heun", oscillator(), 0.1L);
  note.near("energy growth per step at hw = 0.1", radius * radius, 1 + 0.25e-4, 1e-12);
}

void rk4_order(Notebook& note) { note_slopes(note, "rk4", 4, 0.1); }

void verlet_order_and_limit(Notebook& note) {
  note.near("order on oscillator", slope_of("verlet", "oscillator"), 2, 0.05);
  note.near("order on kepler", slope_of("verlet", "kepler"), 2, 0.05);
  note.near("limit of hw", stability_limit("verlet", "oscillator"), 2, 1e-4);
}

void verlet_first_step(Notebook& note) {
  note.near("order with a first step by Euler", slope_of("verlet-euler-start", "oscillator"), 1,
            0.05);
  note.near("the same on kepler", slope_of("verlet-euler-start", "kepler"), 1, 0.05);
  note.near("order with a first step by RK4", slope_of("verlet-rk4-start", "oscillator"), 2, 0.05);
  Simulation<double> verlet("verlet-euler-start", oscillator(), 0.1);
  Simulation<double> euler("semi-implicit-euler-x-first", oscillator(), 0.1);
  double distance = 0;
  for (int i = 0; i < 1000; ++i) {
    verlet.step(0.1);
    euler.step(0.1);
    distance = std::max(distance, std::fabs(verlet.x() - euler.x()));
  }
  note.at_most("largest difference from semi-implicit Euler, position first", distance, 1e-12);
}

void drag_and_verlet(Notebook& note) {
  note.near("order with the velocity of the last step", slope_of("verlet", "damped"), 1, 0.05);
  note.near("order with the central velocity", slope_of("verlet-central-drag", "damped"), 2, 0.05);
}

void running_backwards(Notebook& note) {
  note.at_most("distance of the path retraced", retrace_distance(), 1e-12);
}

double error_of_oscillator(const char* method, double h) {
  const auto steps = static_cast<std::uint64_t>(std::lround(10 / h));
  return static_cast<double>(run_of(method, oscillator(), h, steps).position.max);
}

void implicit_not_more_accurate(Notebook& note) {
  note.between(
      "error of backward over explicit Euler",
      error_of_oscillator("backward-euler", 0.01) / error_of_oscillator("explicit-euler", 0.01),
      0.8, 1.2);
}

double largest_gain(const Problem& problem, Real h, std::uint64_t steps) {
  Simulation<Real> simulation("backward-euler", problem, h);
  Real last = *energy(problem, problem.x0, problem.v0);
  Real gain = -INFINITY;
  for (std::uint64_t i = 0; i < steps; ++i) {
    simulation.step(h);
    const Real now = *energy(problem, simulation.state().x, simulation.state().v);
    gain = std::max(gain, now - last);
    last = now;
  }
  return static_cast<double>(gain);
}

void implicit_adds_no_energy(Notebook& note) {
  note.at_most("largest gain in a step, oscillator", largest_gain(oscillator(), 0.1L, 100), 0);
  note.at_most("largest gain in a step, kepler", largest_gain(problem_of("kepler"), 0.001L, 6283),
               0);
  const Problem ball = problem_of("projectile");
  Simulation<Real> fall("backward-euler", ball, 0.1L);
  fall.steps(0.1L, 100);
  note.near("loss of a projectile in 100 steps of 0.1 s, n g^2 h^2/2",
            *energy(ball, fall.state().x, fall.state().v) - *energy(ball, ball.x0, ball.v0), -48.02,
            1e-9);
  Simulation<double> hill("backward-euler", problem_of("inverted"), 0.1);
  hill.steps(0.1, 30);
  note.near("E after 30 steps on x'' = x, 0.5 at first",
            (hill.v() * hill.v() - hill.x() * hill.x()) / 2, 0.675949, 1e-6);
  const Problem top = problem_of("pendulum", {{"x0", kPi}, {"v0", 0.5}});
  note.at_least("largest gain in a step, pendulum pushed off its top", largest_gain(top, 0.05L, 20),
                1e-4);
  const LongEnergyReport trapezoidal = measure_energy("trapezoidal", oscillator(), 60, 1000);
  note.at_most("the trapezoidal rule is implicit and conserves: largest error",
               trapezoidal.last_max.value_or(INFINITY), 1e-11);
}

void closed_form_of_drag(Notebook& note) {
  for (const double bh : {0.1, 1.0, 2.0, 2.5, 10.0}) {
    double v = 1;
    for (int i = 0; i < 10; ++i) v = integrate::backward_euler_drag(v, bh, 1.0);
    const std::string at = ", bh = " + std::to_string(bh).substr(0, 4);
    note.near("v after 10 steps times (1 + bh)^10" + at, v * std::pow(1 + bh, 10), 1, 40 * 0x1p-52);
    const RunReport newton = run_of("backward-euler", problem_of("drag", {{"b", bh}}), 1, 10);
    note.near("v by Newton's iteration over that" + at, static_cast<double>(newton.v[0]) / v, 1,
              1e-12);
  }
}

void predictor_corrector(Notebook& note) {
  for (const char* method : {"backward-euler-predictor", "backward-euler-predictor-x"}) {
    note_slopes(note, method, 1, 0.05);
  }
  note.near("its limit of hw", stability_limit("backward-euler-predictor", "oscillator"),
            2 / std::sqrt(3.0), 1e-4);
  note.near("limit with x from the predicted velocity",
            stability_limit("backward-euler-predictor-x", "oscillator"), 1, 1e-4);
  note.near("limit of hb", stability_limit("backward-euler-predictor", "drag"), 1, 1e-4);
  note.near("error over explicit Euler's, h = 0.01",
            error_of_oscillator("backward-euler-predictor", 0.01) /
                error_of_oscillator("explicit-euler", 0.01),
            0.953, 0.01);
  const auto drag_error = [](const char* method) {
    const RunReport report = run_of(method, problem_of("drag"), 1 / 16.0L, 16);
    return static_cast<double>(std::fabs(report.v[0] - report.exact_v[0]));
  };
  note.at_least("error on drag over explicit Euler's",
                drag_error("backward-euler-predictor") / drag_error("explicit-euler"), 1);
}

void stability_of_semi_implicit(Notebook& note) {
  note.near("limit of hw", stability_limit("semi-implicit-euler", "oscillator"), 2, 1e-4);
  note.at_most("|lambda| of backward Euler at hw = 1000",
               spectral_radius("backward-euler", oscillator(), 1000), 1);
}

void conserves_over_time(Notebook& note) {
  note.near("mean E/E0 at hw = 1", oscillator_energy("semi-implicit-euler", 1, 600'000).mean,
            4 / 3.0, 1e-4);
}

void less_accurate_similar_stability(Notebook& note) {
  note.near("limit of hw, semi-implicit Euler",
            stability_limit("semi-implicit-euler", "oscillator"), 2, 1e-4);
  note.near("limit of hw, RK4", stability_limit("rk4", "oscillator"), std::sqrt(8.0), 1e-4);
  note.near("limit of hb, RK4", stability_limit("rk4", "drag"), 2.78529, 1e-4);
  note.at_least(
      "error over RK4's, 4096 steps",
      error_of("semi-implicit-euler", oscillator(), 4096) / error_of("rk4", oscillator(), 4096),
      1e6);
}

void first_order_methods(Notebook& note) {
  for (const char* method :
       {"explicit-euler", "backward-euler", "semi-implicit-euler", "exponential-euler"}) {
    note.near(std::string("order of ") + method, slope_of(method, "oscillator"), 1, 0.05);
  }
  note.near("error of exponential Euler without drag over the more accurate Euler's",
            error_of("exponential-euler", oscillator(), 1024) /
                error_of("taylor-euler", oscillator(), 1024),
            1, 1e-15);
}

void second_order_methods(Notebook& note) {
  for (const char* method :
       {"verlet", "velocity-verlet", "trapezoidal", "beeman", "midpoint", "heun", "newmark",
        "leapfrog-kdk", "leapfrog-dkd", "leapfrog-staggered"}) {
    for (const char* problem : {"oscillator", "kepler"}) {
      note.near(std::string("order of ") + method + " on " + problem, slope_of(method, problem), 2,
                0.05);
    }
  }
  note.near("order of newmark with gamma = 0.55", slope_of("newmark", "oscillator", {0.3, 0.55}), 1,
            0.05);
  note.near("order of leapfrog without its half kick",
            slope_of("leapfrog-staggered-no-start", "oscillator"), 1, 0.05);
}

void multistep_methods(Notebook& note) {
  note.near("order of ab2", slope_of("ab2", "oscillator"), 2, 0.1);
  note.near("order of ab4", slope_of("ab4", "oscillator"), 4, 0.1);
  note.near("order of abm4", slope_of("abm4", "oscillator"), 4, 0.1);
  const auto growth = [](const char* method) {
    return static_cast<double>(growth_rate(method, oscillator(), std::sqrt(0.15L), {}, 100'000));
  };
  note.near("growth (ln) of ab2 per step at hw = 0.387", growth("ab2"), 7.705e-3, 1e-5);
  note.near("growth of ab4", growth("ab4"), -1.6053e-3, 3e-6);
  note.near("growth of abm4", growth("abm4"), 4.117e-4, 1e-6);
}

void substeps(Notebook& note) {
  constexpr struct {
    const char* method;
    double factor;
  } kExpected[] = {{"semi-implicit-euler", 2}, {"velocity-verlet", 4}, {"rk4", 16}};
  for (const auto& [method, factor] : kExpected) {
    Real errors[2];
    for (int i = 0; i < 2; ++i) {
      RunSetup setup;
      setup.method = method;
      setup.problem = oscillator();
      setup.dt = 0.1L;
      setup.steps = 100;
      setup.substeps = i == 0 ? 4 : 8;
      errors[i] = run(setup).state.final;
    }
    note.near(std::string("error of 4 substeps over 8, ") + method,
              static_cast<double>(errors[0] / errors[1]) / factor, 1, 0.1);
  }
}

double binary32_error(int steps) {
  Simulation<float> simulation("explicit-euler", problem_of("constant"),
                               10.0f / static_cast<float>(steps));
  simulation.steps(10.0f / static_cast<float>(steps), static_cast<std::uint64_t>(steps));
  return std::fabs(static_cast<double>(simulation.x()) - 500);
}

void rounding_errors(Notebook& note) {
  note.near("binary32 error after 1e4 steps", binary32_error(10'000), 0.058868, 1e-5);
  note.at_least("after 1e6 steps over that", binary32_error(1'000'000) / binary32_error(10'000),
                10);
}

// Rotates with omega = (cos t, sin t, 0) for pi seconds. Compares the attitude with a single
// rotation by the integral of omega.
void rotation_is_the_same(Notebook& note) {
  using namespace integrate;
  constexpr int kSteps = 20'000;
  Quaternion<double> q{0, 0, 0, 1};
  for (int i = 0; i < kSteps; ++i) {
    const double t = (i + 0.5) * kPi / kSteps;
    q = normalized(
        product(q, cayley_factor(Triple<double>{std::cos(t), std::sin(t), 0}, kPi / kSteps)));
  }
  // The integral of omega is (0, 2, 0): a rotation by 2 rad about the second axis.
  const Quaternion<double> summed{0, std::sin(1.0), 0, std::cos(1.0)};
  const double same = std::fabs(q[1] * summed[1] + q[3] * summed[3]);
  note.near("error of the attitude, rad", 2 * std::acos(std::min(1.0, same)), 1.360419, 1e-3);
}

void dimensions_apart(Notebook& note) {
  note.near("order of velocity Verlet on kepler", slope_of("velocity-verlet", "kepler"), 2, 0.05);
}

constexpr Claim kUtrechtClaims[] = {
    {"S4-01", "Midpoint has an error of O(dt^2), Euler of O(dt).", Verdict::holds, "",
     midpoint_order},
    {"S4-02", "That is better when dt < 1.", Verdict::wrong,
     "It depends on units; it is hw that has to be small.", better_below_one_second},
    {"S4-03", "Improved Euler takes the mean of an over- and an underestimate.", Verdict::holds, "",
     over_and_underestimate},
    {"S4-04", "Improved Euler is O(dt^2).", Verdict::holds,
     "And unstable on a spring: E grows by 1 + (hw)^4/4.", heun_order},
    {"S4-05", "RK4 is O(dt^4).", Verdict::holds, "", rk4_order},
    {"S4-06", "Verlet is O(dt^2) and very stable.", Verdict::holds, "For hw < 2.",
     verlet_order_and_limit},
    {"S4-07", "Verlet's first step is usually from Euler or RK4.", Verdict::wrong,
     "From Euler the whole run is of order 1; from RK4 of order 2.", verlet_first_step},
    {"S4-08", "Drag is more difficult for Verlet.", Verdict::holds,
     "Order 1 in the plain form, 2 with the central velocity.", drag_and_verlet},
    {"S4-09", "Backward Euler: the state from which running backwards gets back.", Verdict::holds,
     "To rounding.", running_backwards},
    {"S4-10", "Implicit methods do not guarantee more accuracy.", Verdict::holds,
     "Backward and explicit Euler are equally wrong.", implicit_not_more_accurate},
    {"S4-11", "But they do not add energy, they lose some.", Verdict::wrong,
     "Only where the potential curves upwards; and some conserve it.", implicit_adds_no_energy},
    {"S4-12", "With drag: v / (1 + dt b).", Verdict::holds, "Never changes sign.",
     closed_form_of_drag},
    {"S4-13", "Predictor-corrector: more accurate than explicit, twice the work.",
     Verdict::qualified,
     "No better at small steps, worse on drag, and stable only below hw = 1.15.",
     predictor_corrector},
    {"S4-14", "Semi-implicit has the stability of implicit Euler.", Verdict::wrong,
     "A limit of hw = 2 against none.", stability_of_semi_implicit},
    {"S4-15", "It conserves energy over time.", Verdict::qualified,
     "No drift; the mean is biased, by a third at hw = 1.", conserves_over_time},
    {"S4-16", "O(dt), less accurate than RK4, cheaper, similar stability.", Verdict::holds,
     "2 against 2.83, and better for each evaluation.", less_accurate_similar_stability},
    {"S4-17", "First order: Euler, backward, semi-implicit, exponential Euler.", Verdict::holds, "",
     first_order_methods},
    {"S4-18", "Second order: Verlet and its kin, trapezoidal, Beeman, midpoint, Heun, Newmark.",
     Verdict::holds, "Newmark with gamma = 1/2; leapfrog with its half kick.",
     second_order_methods},
    {"S4-19", "Linear multistep methods are of higher order.", Verdict::holds,
     "Weakly unstable on a spring.", multistep_methods},
    {"S4-20", "Several iterations of h/n in a frame.", Verdict::holds,
     "Errors fall by n to the order.", substeps},
    {"S4-21", "The smallest step is the most accurate, but more rounding errors occur.",
     Verdict::holds, "In binary32 a million steps are worse than ten thousand.", rounding_errors},
    {"S4-22", "Rotation works exactly the same with angle, spin and acceleration.", Verdict::wrong,
     "For a fixed axis only: turns do not add.", rotation_is_the_same},
    {"S4-23", "Every dimension can be calculated separately.", Verdict::holds,
     "The step can; the force has to see all.", dimensions_apart},
};

}  // namespace

std::span<const Claim> utrecht_claims() { return kUtrechtClaims; }

}  // namespace orrery::lab
