// Tests the claims of J. Dummer's article on time-corrected Verlet.
//
// Problems:
// - projectile: x'' = -9.8, x0 = 0, v0 = 20, T = 4
// - polynomial: x = t^4/12 - t^3/2 + t^2, T = 4
// - forced x'' = -cos t and spring x'' = -x: x0 = 1, v0 = 0, T = 4 pi
//
// Random steps are (0.5 + u) dt0 with u in [0, 1). The first step is dt0, and the last one is
// shortened to end at T.
#include "common/integrate/time_corrected_verlet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "common/core/rng.h"

namespace orrery::integrate {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr auto kPublished = TimeCorrection::published;
constexpr auto kFull = TimeCorrection::full;

struct Problem {
  const char* name;
  double end;
  double x0;
  double v0;
  std::function<double(double t, double x)> acceleration;
  std::function<double(double t)> exact;
};

Problem projectile() {
  return {"projectile",
          4,
          0,
          20,
          [](double, double) { return -9.8; },
          [](double t) { return 20 * t - 4.9 * t * t; }};
}

Problem polynomial() {
  return {"polynomial",
          4,
          0,
          0,
          [](double t, double) { return t * t - 3 * t + 2; },
          [](double t) { return t * t * t * t / 12 - t * t * t / 2 + t * t; }};
}

Problem forced_cosine() {
  return {"cosine",
          4 * kPi,
          1,
          0,
          [](double t, double) { return -std::cos(t); },
          [](double t) { return std::cos(t); }};
}

Problem spring() {
  return {"spring",
          4 * kPi,
          1,
          0,
          [](double, double x) { return -x; },
          [](double t) { return std::cos(t); }};
}

std::vector<double> random_steps(double end, double dt0, std::uint64_t seed) {
  SplitMix64 draw(seed);
  std::vector<double> steps{dt0};
  double t = dt0;
  while (end - t > 1e-9) {
    const double dt = std::min(dt0 * (1 + 0.5 * draw.symmetric()), end - t);
    steps.push_back(dt);
    t += dt;
  }
  return steps;
}

// Returns the positions after each step.
std::vector<double> run(const Problem& p, const std::vector<double>& steps,
                        TimeCorrection correction) {
  std::vector<double> positions;
  double t = 0;
  double x = p.x0;
  double previous_dt = steps.front();
  double previous = position_before(x, p.v0, p.acceleration(0, x), previous_dt);
  for (const double dt : steps) {
    const double next =
        time_corrected_verlet(x, previous, p.acceleration(t, x), dt, previous_dt, correction);
    previous = x;
    x = next;
    previous_dt = dt;
    t += dt;
    positions.push_back(x);
  }
  return positions;
}

constexpr int kSeeds = 400;

// Returns the root mean square of the error at the end of runs with kSeeds seeds.
double rms_error(const Problem& p, double dt0, TimeCorrection correction) {
  double sum = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    const std::vector<double> steps = random_steps(p.end, dt0, static_cast<std::uint64_t>(seed));
    double t = 0;
    for (const double dt : steps) t += dt;
    const double error = run(p, steps, correction).back() - p.exact(t);
    sum += error * error;
  }
  return std::sqrt(sum / kSeeds);
}

double slope(const Problem& p, TimeCorrection correction) {
  const double coarse = rms_error(p, 1.0 / 60, correction);
  const double fine = rms_error(p, 1.0 / 120, correction);
  const double order = std::log2(coarse / fine);
  std::printf("%s: rms %.4e at 1/60, %.4e at 1/120, order %.3f\n", p.name, coarse, fine, order);
  return order;
}

// The article says that the published form is between order 2 and 4 "with changing dt".
TEST(TimeCorrectedVerlet, S2_02_published_form_is_of_order_1_with_random_steps) {
  for (const Problem& p : {projectile(), polynomial()}) {
    const double order = slope(p, kPublished);
    EXPECT_GT(order, 0.9) << p.name;
    EXPECT_LT(order, 1.2) << p.name;
  }
}

TEST(TimeCorrectedVerlet, S2_06_equals_plain_verlet_in_every_bit_at_a_fixed_step) {
  const double dt = 1.0 / 60;
  const double k = 4;
  double plain = 1;
  double plain_previous = position_before(plain, 0.5, -k * plain, dt);
  double published = plain, published_previous = plain_previous;
  double full = plain, full_previous = plain_previous;
  for (int i = 0; i < 100000; ++i) {
    const auto advance = [](double& x, double& previous, double next) {
      previous = x;
      x = next;
    };
    advance(plain, plain_previous, plain + (plain - plain_previous) + dt * dt * (-k * plain));
    advance(
        published, published_previous,
        time_corrected_verlet(published, published_previous, -k * published, dt, dt, kPublished));
    advance(full, full_previous,
            time_corrected_verlet(full, full_previous, -k * full, dt, dt, kFull));
    ASSERT_EQ(plain, published) << "step " << i;
    ASSERT_EQ(plain, full) << "step " << i;
  }
}

TEST(TimeCorrectedVerlet, S2_07_start_needs_equation_2) {
  const double a = -9.8;
  const double end = 3;
  for (const double dt : {0.01, 0.05, 0.1, 0.25}) {
    const int steps = static_cast<int>(std::lround(end / dt));
    const double exact = 20 * end + a / 2 * end * end;
    const auto final_error = [&](double previous) {
      double x = 0;
      for (int i = 0; i < steps; ++i) {
        const double next = time_corrected_verlet(x, previous, a, dt, dt, kPublished);
        previous = x;
        x = next;
      }
      return x - exact;
    };
    EXPECT_NEAR(final_error(0.0 - 20 * dt), a / 2 * dt * end, 1e-9) << dt;
    EXPECT_NEAR(final_error(position_before(0.0, 20.0, a, dt)), 0, 1e-10) << dt;
  }
}

TEST(TimeCorrectedVerlet, S2_12_published_form_is_semi_implicit_euler_with_a_shifted_start) {
  const double dt0 = 1.0 / 30;
  for (const Problem& p : {projectile(), polynomial(), forced_cosine(), spring()}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const std::vector<double> steps = random_steps(p.end, dt0, seed);
      const std::vector<double> verlet = run(p, steps, kPublished);
      double t = 0;
      double x = p.x0;
      double v = p.v0 - p.acceleration(0, p.x0) * dt0 / 2;
      double largest = 0;
      double difference = 0;
      for (std::size_t i = 0; i < steps.size(); ++i) {
        v += p.acceleration(t, x) * steps[i];
        x += v * steps[i];
        t += steps[i];
        largest = std::max(largest, std::abs(x));
        difference = std::max(difference, std::abs(x - verlet[i]));
      }
      EXPECT_LT(difference, 1e-11 * (1 + largest)) << p.name << " seed " << seed;
    }
  }
}

TEST(TimeCorrectedVerlet, S2_13_full_correction_is_of_order_2_and_many_times_better) {
  EXPECT_GT(slope(polynomial(), kFull), 1.9);
  EXPECT_LT(rms_error(projectile(), 1.0 / 30, kFull), 1e-11);
  struct {
    Problem problem;
    double least_gain;
  } const cases[] = {{polynomial(), 10}, {forced_cosine(), 80}, {spring(), 30}};
  for (const auto& [problem, least_gain] : cases) {
    const double published = rms_error(problem, 1.0 / 30, kPublished);
    const double full = rms_error(problem, 1.0 / 30, kFull);
    std::printf("%s: published %.4e, full %.4e, ratio %.1f\n", problem.name, published, full,
                published / full);
    EXPECT_GT(published / full, least_gain) << problem.name;
  }
}

TEST(TimeCorrectedVerlet, S2_14_full_correction_is_velocity_verlet_with_the_same_steps) {
  const Problem p = spring();
  const std::vector<double> steps = random_steps(333, 1.0 / 30, 14);
  ASSERT_GT(steps.size(), 9000u);
  const std::vector<double> corrected = run(p, steps, kFull);
  double x = p.x0;
  double v = p.v0;
  double difference = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double dt = steps[i];
    const double a0 = p.acceleration(0, x);
    x += v * dt + a0 / 2 * dt * dt;
    v += (a0 + p.acceleration(0, x)) / 2 * dt;
    difference = std::max(difference, std::abs(x - corrected[i]));
  }
  std::printf("largest difference %.2e over %zu steps\n", difference, steps.size());
  EXPECT_LT(difference, 1e-11);
}

// Runs one second at 60 frames per second, then two seconds at 30, with the acceleration -9.8. In
// the published form the velocity is wrong by -9.8 * (1/30 - 1/60) / 2 for these two seconds.
TEST(TimeCorrectedVerlet, S2_15_a_change_of_the_frame_rate_leaves_the_published_form_off_course) {
  std::vector<double> steps(60, 1.0 / 60);
  steps.insert(steps.end(), 60, 1.0 / 30);
  const Problem p = projectile();
  const double exact = p.exact(3);
  EXPECT_NEAR(run(p, steps, kPublished).back() - exact, -9.8 / 2 * (1.0 / 30 - 1.0 / 60) * 2, 1e-9);
  EXPECT_NEAR(run(p, steps, kFull).back() - exact, 0, 1e-9);
}

}  // namespace
}  // namespace orrery::integrate
