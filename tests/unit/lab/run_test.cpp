// Tests runs and measurements, and the settings that they refuse.
#include "client/lab/run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "client/cli/render/plot/gnuplot.h"
#include "client/lab/analysis.h"
#include "client/lab/figures/figures.h"
#include "client/lab/rotation_run.h"
#include "common/core/nearest.h"
#include "common/integrate/catalogue.h"

namespace orrery::lab {

using plot::Curve, plot::Panel, plot::PictureFormat, plot::Stroke;

namespace {

RunSetup setup_of(const char* method, const char* problem, Real dt, std::uint64_t steps) {
  RunSetup setup;
  setup.method = method;
  setup.problem = make_problem(problem).value();
  setup.dt = dt;
  setup.steps = steps;
  return setup;
}

std::string refusal(const char* problem, std::vector<Setting> settings) {
  const Result<Problem> made = make_problem(problem, settings);
  return made.ok() ? "" : made.error().text();
}

TEST(Run, ReportsWhatCanBeWorkedOutByHand) {
  const RunReport report = run(setup_of("explicit-euler", "constant", 1, 10));
  EXPECT_EQ(report.x[0], 450);
  EXPECT_EQ(report.v[0], 100);
  EXPECT_EQ(report.exact_x[0], 500);
  EXPECT_EQ(report.position.final, 50);
  EXPECT_EQ(report.position.max, 50);
  EXPECT_EQ(report.evaluations, 10u);
  EXPECT_FALSE(report.energy);  // the initial energy is 0
  EXPECT_FALSE(report.phase_error);
}

TEST(Run, BlowsUpAtAStepAndEnds) {
  RunSetup setup = setup_of("semi-implicit-euler", "oscillator", 3, 1'000'000);
  const RunReport report = run(setup);
  ASSERT_TRUE(report.blew_up_at);
  EXPECT_LT(*report.blew_up_at, 200u);
  EXPECT_TRUE(std::isfinite(report.x[0]));
  EXPECT_LT(report.evaluations, 200u);
}

TEST(Run, SubstepsAreSteps) {
  RunSetup whole = setup_of("leapfrog-dkd", "oscillator", 0.025L, 400);
  RunSetup parts = setup_of("leapfrog-dkd", "oscillator", 0.1L, 100);
  whole.precision = parts.precision = Precision::extended;
  parts.substeps = 4;
  EXPECT_NEAR(static_cast<double>(run(whole).x[0] - run(parts).x[0]), 0, 1e-15);
}

// Methods that are exact under a constant force meet each bounce, within steps of any length.
TEST(Run, BouncesCutSteps) {
  for (const char* method : {"kinematic", "velocity-verlet", "rk4", "leapfrog-dkd"}) {
    for (const Real dt : {0.01L, 0.1L, 0.75L, 2.5L}) {
      RunSetup setup = setup_of(method, "bounce", dt, static_cast<std::uint64_t>(5 / dt));
      EXPECT_LT(static_cast<double>(run(setup).state.max), 1e-11) << method;
      setup.seed = 7;
      EXPECT_LT(static_cast<double>(run(setup).state.max), 1e-11) << method;
    }
  }
  EXPECT_GT(static_cast<double>(run(setup_of("explicit-euler", "bounce", 0.1L, 20)).state.max),
            0.1);
  const RunReport rest = run(setup_of("kinematic", "bounce", 0.1L, 42));
  EXPECT_EQ(rest.x[0], 0);
  EXPECT_EQ(rest.v[0], 0);
}

TEST(Run, RandomStepsFollowTheirSeed) {
  RunSetup setup = setup_of("velocity-verlet", "projectile", 0.1L, 50);
  setup.seed = 1;
  const RunReport first = run(setup);
  EXPECT_EQ(first.x[0], run(setup).x[0]);
  setup.seed = 2;
  EXPECT_NE(first.time, run(setup).time);
}

TEST(Run, RefusesSetupsThatMakeNoSense) {
  struct Case {
    Real dt;
    std::uint64_t steps;
    std::uint64_t substeps;
    const char* named;
  };
  for (const Case& bad :
       {Case{0, 1, 1, "--dt"}, Case{-0.1L, 1, 1, "--dt"}, Case{NAN, 1, 1, "--dt"},
        Case{INFINITY, 1, 1, "--dt"}, Case{1e-300L, 1, 1, "--dt"}, Case{1e7L, 1, 1, "--dt"},
        Case{0.1L, 0, 1, "--steps"}, Case{0.1L, kStepsMax + 1, 1, "--steps"},
        Case{0.1L, 1, 0, "--substeps"}, Case{0.1L, 1, kSubstepsMax + 1, "--substeps"},
        Case{0.1L, kStepsMax, 2, "--substeps"}}) {
    RunSetup setup = setup_of("rk4", "oscillator", bad.dt, bad.steps);
    setup.substeps = bad.substeps;
    const Status status = check_setup(setup);
    ASSERT_FALSE(status.ok()) << bad.named;
    EXPECT_TRUE(status.error().text().starts_with(bad.named)) << status.error().text();
  }
  RunSetup multistep = setup_of("ab4", "oscillator", 0.1L, 10);
  EXPECT_TRUE(check_setup(multistep).ok());
  multistep.seed = 1;
  EXPECT_FALSE(check_setup(multistep).ok());
}

TEST(Problem, RefusesBadParameters) {
  EXPECT_NE(refusal("oscilator", {}).find("oscillator"), std::string::npos);
  EXPECT_NE(refusal("damped", {{"kk", 1}}).find("did you mean k"), std::string::npos);
  for (const auto& [problem, setting] : {std::pair<const char*, Setting>{"damped", {"m", 0}},
                                         {"damped", {"m", -1}},
                                         {"damped", {"k", -1}},
                                         {"damped", {"b", -1}},
                                         {"damped", {"x0", NAN}},
                                         {"damped", {"x0", INFINITY}},
                                         {"damped", {"x0", 1e10}},
                                         {"oscillator", {"omega", 0}},
                                         {"oscillator", {"k", 0}},
                                         {"bounce", {"kept", 1}},
                                         {"bounce", {"kept", -0.1}},
                                         {"bounce", {"g", 0}},
                                         {"bounce", {"x0", -1}},
                                         {"kepler", {"e", 1}},
                                         {"kepler", {"e", -0.1}},
                                         {"chain", {"n", 0}},
                                         {"chain", {"n", 2.5}},
                                         {"chain", {"n", 1e6}}}) {
    EXPECT_FALSE(refusal(problem, {setting}).empty()) << problem << " " << setting.key;
  }
  EXPECT_FALSE(refusal("oscillator", {{"omega", 1}, {"k", 1}}).empty());
  EXPECT_FALSE(refusal("constant", {{"k", 1}}).empty());
}

TEST(Problem, OmegaAndSpringsAgree) {
  const std::vector<Setting> by_spring{{"k", 8}, {"m", 2}}, by_omega{{"omega", 2}};
  EXPECT_EQ(make_problem("oscillator", by_spring).value().stiffness, 4);
  EXPECT_EQ(make_problem("oscillator", by_omega).value().stiffness, 4);
}

TEST(Method, RefusesUnknownNamesAndWhatAProblemLacks) {
  const Problem kepler = make_problem("kepler").value();
  const Status unknown = check_method("rk5", kepler);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().text().find("rk4"), std::string::npos);
  EXPECT_FALSE(check_method("kinematic", kepler).ok());
  EXPECT_FALSE(check_method("kinematic-average", make_problem("pendulum").value()).ok());
  EXPECT_TRUE(check_method("kinematic", make_problem("damped").value()).ok());
  EXPECT_FALSE(check_method("", kepler).ok());
  EXPECT_FALSE(check_method("ab4", make_problem("bounce").value()).ok());
  EXPECT_TRUE(check_method("verlet", make_problem("bounce").value()).ok());
}

TEST(Method, EveryMethodOfTheCatalogueRuns) {
  for (const integrate::Method& method : integrate::kMethods) {
    const std::string name(method.name);
    const RunReport report = run(setup_of(name.c_str(), "oscillator", 0.05L, 100));
    EXPECT_LT(static_cast<double>(report.position.final), 0.2) << name;
    EXPECT_GT(report.evaluations, 0u) << name;
  }
}

// No step size makes an assertion fail: a run that blows up stops while its numbers are finite.
TEST(Method, EveryMethodSurvivesEveryProblem) {
  for (const std::string_view method : method_names()) {
    for (const ProblemInfo& info : problems()) {
      const std::string name(method), problem(info.name);
      if (!check_method(name, make_problem(problem).value()).ok()) continue;
      RunSetup setup = setup_of(name.c_str(), problem.c_str(), 1, 20);
      for (const Real dt : {1e-15L, 0.1L, 3.0L, 1e6L}) {
        setup.dt = dt;
        for (const Precision precision :
             {Precision::binary32, Precision::binary64, Precision::extended}) {
          setup.precision = precision;
          const RunReport report = run(setup);
          EXPECT_TRUE(std::isfinite(report.x[0])) << name << " " << problem;
        }
      }
    }
  }
}

TEST(Method, TakesItsOwnSettings) {
  std::vector<Setting> settings{{"beta", 0.3}, {"k", 2}, {"gamma", 0.55}};
  const Result<MethodOptions> options = take_method_options("newmark", settings);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options.value().beta, 0.3);
  EXPECT_EQ(options.value().gamma, 0.55);
  ASSERT_EQ(settings.size(), 1u);
  std::vector<Setting> bad{{"beta", -1}};
  EXPECT_FALSE(take_method_options("newmark", bad).ok());
}

TEST(Stability, LimitsOfTheCatalogueAreMeasured) {
  const Problem oscillator = make_problem("oscillator").value();
  for (const char* name : {"explicit-euler", "semi-implicit-euler", "rk4", "pefrl",
                           "backward-euler", "backward-euler-predictor"}) {
    const StabilityReport report = measure_stability(name, oscillator);
    const double expected = integrate::find_method(name)->oscillator_limit;
    ASSERT_EQ(report.limit.has_value(), std::isfinite(expected)) << name;
    if (report.limit) {
      EXPECT_NEAR(static_cast<double>(*report.limit), expected, 1e-4) << name;
    }
  }
}

// Under drag only, the reported growth is the growth of the velocity. This holds for methods that
// keep values of the last step, and for methods that do not.
TEST(Stability, DragIsOfTheVelocity) {
  const Problem drag = make_problem("drag").value();
  for (const char* name : {"semi-implicit-euler", "leapfrog-dkd", "leapfrog-kdk"}) {
    EXPECT_NEAR(static_cast<double>(growth_rate(name, drag, 0.1L)), std::log(0.9), 1e-9) << name;
  }
}

// A method that is exact on a problem has no slope, however large its rounding errors.
TEST(Order, RoundingHasNoSlope) {
  for (const auto& [method, problem] : {std::pair<const char*, const char*>{"ab4", "constant"},
                                        {"ab4", "polynomial-a"},
                                        {"ab4", "polynomial-b"},
                                        {"rk4", "projectile"},
                                        {"kinematic", "oscillator"}}) {
    EXPECT_FALSE(measure_order(method, make_problem(problem).value()).slope)
        << method << " on " << problem;
  }
  EXPECT_NEAR(static_cast<double>(*measure_order("rk4", make_problem("damped").value()).slope), 4,
              0.05);
}

TEST(Stability, RefusesProblemsWithoutALimit) {
  EXPECT_FALSE(check_stability_problem(make_problem("kepler").value()).ok());
  EXPECT_FALSE(check_stability_problem(make_problem("inverted").value()).ok());
  EXPECT_TRUE(check_stability_problem(make_problem("drag").value()).ok());
}

TEST(Energy, PeriodsAreThoseOfTheMotion) {
  for (const char* name : {"oscillator", "pendulum", "kepler"}) {
    const Problem problem = make_problem(name).value();
    EXPECT_TRUE(period_of(problem).ok()) << name;
  }
  EXPECT_FALSE(period_of(make_problem("damped").value()).ok());
  EXPECT_FALSE(period_of(make_problem("projectile").value()).ok());
  const std::vector<Setting> at_rest{{"x0", 0}};
  EXPECT_FALSE(period_of(make_problem("oscillator", at_rest).value()).ok());
  const auto report =
      measure_energy("velocity-verlet", make_problem("oscillator").value(), 60, 100);
  EXPECT_NEAR(static_cast<double>(report.first_max), 2.741555e-3, 1e-7);
}

// Both reports name the step of the blow-up. It comes within the last ten of 130 periods, or before
// the last ten of 1,000. In both cases the report has no energy error for the last ten periods.
TEST(Energy, BlowsUpAtTheVeryStep) {
  const Problem oscillator = make_problem("oscillator").value();
  for (const std::uint64_t periods : {130u, 1'000u}) {
    const auto report = measure_energy("explicit-euler", oscillator, 1, periods);
    const RunReport run_report = run(setup_of("explicit-euler", "oscillator", report.dt, periods));
    ASSERT_TRUE(report.blew_up_at && run_report.blew_up_at);
    EXPECT_EQ(*report.blew_up_at, *run_report.blew_up_at);
    EXPECT_FALSE(report.last_max);
  }
}

TEST(Rotation, RefusesBodiesThatCannotBe) {
  const auto refused = [](RotationSetup setup) { return !check_rotation(setup).ok(); };
  const RotationSetup good{"cayley", {1, 2, 3}, {0, 1, 0}, 0.1, 10};
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(refused({"caley", {1, 2, 3}, {0, 1, 0}, 0.1, 10}));
  EXPECT_TRUE(refused({"cayley", {1, 2, 4}, {0, 1, 0}, 0.1, 10}));
  EXPECT_TRUE(refused({"cayley", {0, 1, 1}, {0, 1, 0}, 0.1, 10}));
  EXPECT_TRUE(refused({"cayley", {1, 2, NAN}, {0, 1, 0}, 0.1, 10}));
  EXPECT_TRUE(refused({"cayley", {1, 2, 3}, {0, 0, 0}, 0.1, 10}));
  EXPECT_TRUE(refused({"cayley", {1, 2, 3}, {0, INFINITY, 0}, 0.1, 10}));
  EXPECT_TRUE(refused({"cayley", {1, 2, 3}, {0, 1, 0}, 0, 10}));
  EXPECT_TRUE(refused({"cayley", {1, 2, 3}, {0, 1, 0}, 0.1, 0}));
}

TEST(Figures, HaveNamesAxesAndLegends) {
  for (const Figure& figure : figures()) {
    if (figure.name.starts_with("work-precision")) continue;  // tens of seconds of runs
    const Chart chart = figure.make();
    EXPECT_FALSE(chart.title.empty()) << figure.name;
    for (const Panel& panel : chart.panels) {
      EXPECT_FALSE(panel.x_label.empty()) << figure.name;
      EXPECT_FALSE(panel.y_label.empty()) << figure.name;
      for (const Curve& curve : panel.curves) {
        EXPECT_FALSE(curve.title.empty()) << figure.name;
        EXPECT_FALSE(curve.points.empty()) << figure.name << " " << curve.title;
      }
    }
  }
  EXPECT_EQ(find_figure("none-such"), nullptr);
}

TEST(Figures, QuotesCannotLeaveATitle) {
  const Chart chart{"a\"; system 'x'",
                    {Panel{"",
                           "x",
                           "y",
                           {{"t\"\n!x", 1, Stroke::line, {{0, 0}}}},
                           {},
                           {},
                           false,
                           false,
                           false,
                           true}},
                    1};
  const std::string script = gnuplot_script(chart, PictureFormat::svg);
  EXPECT_NE(script.find("\"a; system 'x'\""), std::string::npos);
  EXPECT_NE(script.find("\"t!x\""), std::string::npos);
}

}  // namespace
}  // namespace orrery::lab
