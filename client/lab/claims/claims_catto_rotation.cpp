// The claims of Catto's "Numerical Methods" about gyroscopic motion.
#include <algorithm>

#include "client/lab/claims/claim_tools.h"
#include "client/lab/random_steps.h"
#include "client/lab/rolling_capsule.h"
#include "client/lab/rotation_run.h"

namespace orrery::lab {

namespace {

using integrate::cross;
using integrate::dot;

constexpr double kTickStep = 1 / 60.0;
constexpr std::uint64_t kMinute = 3'600;
constexpr std::uint64_t kHour = 216'000;

// Setups: a box that flips like a tennis racket, and a capsule that spins about its long axis.
RotationSetup box(std::string_view method, std::uint64_t steps) {
  return {method, {1, 2, 3}, {0.01, 5, 0.01}, kTickStep, steps};
}
RotationSetup capsule(std::string_view method, std::uint64_t steps) {
  return {method, {1, 1, 0.2}, {1, 0.5, 20}, kTickStep, steps};
}

double blow_up_time(const RotationReport& report) {
  return report.blew_up_at ? static_cast<double>(*report.blew_up_at) * kTickStep : INFINITY;
}

void explicit_blows_up(Notebook& note) {
  note.at_most("box: seconds to 1e12 times the energy",
               blow_up_time(run_rotation(box("explicit", kHour))), 120);
  RotationSetup fast = box("explicit", kHour);
  fast.omega = {0.03, 15, 0.03};
  note.at_most("box at three times the spin: seconds", blow_up_time(run_rotation(fast)), 11);
  note.at_most("capsule: seconds to 1e12 times the energy",
               blow_up_time(run_rotation(capsule("explicit", kHour))), 10);
}

void dropped_spins_for_ever(Notebook& note) {
  const RotationReport report = run_rotation(box("dropped", kMinute));
  note.near("flips in 60 s", report.flips, 0, 0);
  note.at_most("largest energy error", report.energy_error_max, 1e-12);
  note.near("box: wander of the direction of L, rad", report.direction_error_max, 2.83e-3, 1e-5);
  note.near("capsule: wander of the direction of L, rad",
            run_rotation(capsule("dropped", kMinute)).direction_error_max, 0.433, 1e-3);
}

void momentum_loses_rotation(Notebook& note) {
  const RotationReport report = run_rotation(box("momentum", kMinute));
  note.at_most("error of |L|", report.momentum_error_max, 1e-13);
  note.at_least("E/E0 after 60 s", report.energy_last, 1.9);
  note.at_least("flips in 60 s, 12 in truth", report.flips, 50);
}

void one_newton_step(Notebook& note) {
  const double one = run_rotation(box("implicit-gyro", kMinute)).energy_last;
  const double many = run_rotation(box("implicit-gyro-converged", kMinute)).energy_last;
  note.at_most("difference of E/E0 from the converged iteration", std::fabs(one - many), 1e-5);
}

void tumbling_reproduced(Notebook& note) {
  const auto exact = exact_flips({1, 2, 3}, {0.01, 5, 0.01});
  note.near("exact interval between flips, s", exact->interval, 5.025929138, 1e-8);
  note.near("exact flips in 60 s", exact->flips_by(60), 12, 0);
  const RotationReport report = run_rotation(box("implicit-gyro", kMinute));
  note.near("flips in 60 s", report.flips, 12, 1);
  note.near("first flip, s", report.first_flip.value_or(0), 2.75, 0.1);
}

void explicit_grows(Notebook& note) {
  const RotationReport report = run_rotation(box("explicit", kMinute));
  note.at_least("E/E0 after 60 s", report.energy_last, 5);
  const Triple<double> inertia{1, 2, 3};
  double last = 0, falling = 0;
  observe_rotation(box("explicit", kMinute), [&](double, const Triple<double>& spin) {
    const double energy = dot(integrate::scaled(inertia, spin), spin);
    falling += energy < last * (1 - 1e-14) ? 1 : 0;
    last = energy;
  });
  note.near("steps with a loss", falling, 0, 0);
}

void kinetic_energy_dissipates(Notebook& note) {
  const RotationReport minute = run_rotation(box("implicit-gyro", kMinute));
  note.near("E/E0 - 1 after 60 s", minute.energy_last - 1, -0.598, 1e-3);
  note.near("|L|/|L0| - 1 after 60 s", minute.momentum_last - 1, -0.3658, 1e-3);
  const RotationReport hour = run_rotation(box("implicit-gyro", kHour));
  note.near("steps with a gain in an hour", hour.rising_steps, 0, 0);
  note.near("E/E0 - 1 after an hour", hour.energy_last - 1, -0.9764, 1e-3);
  note.near("flips in an hour, 716 in truth", hour.flips, 718, 0);
  const RotationReport cayley = run_rotation(box("cayley", kHour));
  note.at_most("splitting by Cayley factors: energy error in an hour", cayley.energy_error_max,
               1e-4);
  note.at_most("its error of |L|", cayley.momentum_error_max, 1e-10);
  note.near("its flips", cayley.flips, 716, 0);
}

// Returns the share of random boxes that gain energy in one step of implicit-gyro. The spin is 1
// rad/s and the step `hw` seconds. All sides are between `shortest` and 1.
double share_rising(double hw, double shortest, int boxes) {
  Uniform uniform(20);
  const auto rotator = make_rotator<double>("implicit-gyro");
  int rising = 0;
  for (int i = 0; i < boxes; ++i) {
    // Draws random sides and computes the moments of inertia from them. Random moments might belong
    // to no body.
    const auto side = [&] { return shortest + (1 - shortest) * uniform(); };
    const double a = side();
    const double b = side();
    const double c = side();
    const Triple<double> inertia{b * b + c * c, c * c + a * a, a * a + b * b};
    const double z = 2 * uniform() - 1, turn = 2 * kPi * uniform();
    const double flat = std::sqrt(1 - z * z);
    const Triple<double> omega{flat * std::cos(turn), flat * std::sin(turn), z};
    RotationState<double> state = spinning(inertia, omega);
    const auto energy = [&] {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += state.l[k] * state.l[k] / inertia[k];
      return sum;
    };
    const double before = energy();
    rotator->step(state, inertia, hw);
    rising += energy() > before * (1 + 1e-12) ? 1 : 0;
  }
  return static_cast<double>(rising) / boxes;
}

void always_dissipative(Notebook& note) {
  const int boxes = note.thorough() ? 1'000'000 : 200'000;
  note.near("share that gain, sides up to 5 : 1, h|w| = 0.3", share_rising(0.3, 0.2, boxes), 0, 0);
  note.at_least("share that gain, sides up to 5 : 1, h|w| = 3", share_rising(3, 0.2, boxes), 0.01);
  note.near("share that gain, sides up to 100 : 1, h|w| = 0.3", share_rising(0.3, 0.01, boxes),
            0.002, 0.001);
}

// The errors of a rolling capsule during 9 s, after which it is nearly at rest. The reference is
// the method `cayley` with steps that are 64 times smaller.
struct RollingReport {
  double energy_error = 0;  // largest, relative to the initial energy
  // Largest angle between the angular momentum in the world and its initial value, in radians.
  double direction_error = 0;
  // Largest angle between the long axis and that of the reference, in radians.
  double axis_error = 0;
  double rising_steps = 0;  // steps in which the energy rises by more than rounding
};

double angle_between(const Triple<double>& a, const Triple<double>& b) {
  const Triple<double> side = cross(a, b);
  return std::atan2(std::sqrt(dot(side, side)), dot(a, b));
}

RollingReport roll(std::string_view method) {
  RollingCapsule capsule(method, kTickStep, 1);
  RollingCapsule exact("cayley", kTickStep, 64);
  const Triple<double> direction = capsule.momentum();
  const double energy_at_first = capsule.energy();
  RollingReport report;
  double last = energy_at_first;
  for (int i = 0; i < 540; ++i) {
    capsule.step();
    exact.step();
    report.energy_error = std::max(report.energy_error,
                                   std::fabs(capsule.energy() - exact.energy()) / energy_at_first);
    report.direction_error =
        std::max(report.direction_error, angle_between(capsule.momentum(), direction));
    report.axis_error = std::max(report.axis_error, angle_between(capsule.axis(), exact.axis()));
    report.rising_steps += capsule.energy() > last * (1 + 1e-13) ? 1 : 0;
    last = capsule.energy();
  }
  return report;
}

void dropped_with_rolling(Notebook& note) {
  const RollingReport report = roll("dropped");
  note.near("steps with a gain of energy", report.rising_steps, 0, 0);
  note.near("wander of the direction of L, rad", report.direction_error, 0.4334, 1e-3);
  note.at_least("error of the long axis, rad", report.axis_error, 0.5);
}

void implicit_with_rolling(Notebook& note) {
  const RollingReport with = roll("implicit-gyro");
  note.near("steps with a gain of energy", with.rising_steps, 0, 0);
  note.at_most("largest energy error, of the energy at first", with.energy_error, 0.03);
  note.at_most("wander of the direction of L over that of dropped",
               with.direction_error / roll("dropped").direction_error, 0.5);
  note.at_most("wander with Cayley factors, rad", roll("cayley").direction_error, 1e-9);
}

constexpr Claim kCattoRotationClaims[] = {
    {"S3-13", "Explicit integration of the gyroscopic torque blows up.", Verdict::holds,
     "The box in 88 s, the capsule in 8 s.", explicit_blows_up},
    {"S3-14", "Dropping it is stable, spins for ever and does not tumble.", Verdict::holds,
     "The direction of L in the world wanders as well.", dropped_spins_for_ever},
    {"S3-15", "The momentum with the old inertia is stable but loses the correct rotation.",
     Verdict::holds, "|L| is exact; E rises until the spin is about the least inertia.",
     momentum_loses_rotation},
    {"S3-16", "One Newton step for the implicit torque.", Verdict::holds,
     "As good as many while h|w| is below 0.25.", one_newton_step},
    {"S3-17", "With it the tumbling motion is reproduced.", Verdict::holds,
     "12 flips in a minute, as the exact solution.", tumbling_reproduced},
    {"S3-18", "With explicit Euler the kinetic energy grows unbounded.", Verdict::holds, "",
     explicit_grows},
    {"S3-19", "Kinetic energy dissipates over time.", Verdict::holds,
     "98 % of it in an hour, and 81 % of |L|, which is not said.", kinetic_energy_dissipates},
    {"S3-20", "(Is one Newton step always dissipative?)", Verdict::qualified,
     "For h|w| up to 0.3 and sides up to 5 : 1; slender boxes may gain before.",
     always_dissipative},
    {"S3-24", "Dropped, with rolling resistance: stable, but not plausible.", Verdict::holds,
     "The direction of L in the world turns by 0.43 rad, and no torque turns it.",
     dropped_with_rolling},
    {"S3-25", "Implicit, with rolling resistance: even better.", Verdict::qualified,
     "Energy within 3 % of the exact motion, never a gain; but a wobble that the resistance leaves "
     "is damped, and L wanders by 0.18 rad.",
     implicit_with_rolling},
};

}  // namespace

std::span<const Claim> catto_rotation_claims() { return kCattoRotationClaims; }

}  // namespace orrery::lab
