// Measures errors of Orrery, Bullet and ODE in motions with a known exact course.
#include "tests/bench/rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "tests/bench/fidelity/fidelity.h"
#include "tests/bench/table.h"

namespace orrery::bench {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kG = 9.81;
constexpr std::uint32_t kSubsteps = 4;  // unless a row says otherwise

using Make = std::unique_ptr<Simulation> (*)(const Scene&, std::uint32_t);

// Prints a row with the results of `measure` for each engine.
void compare(const std::string& quantity, const std::string& aim,
             const std::function<std::string(Make)>& measure) {
  print_row(quantity, aim, measure(simulate_orrery),
            "Bullet " + measure(simulate_bullet) + "; ODE " + measure(simulate_ode));
}

void run(Simulation& simulation, int ticks) {
  for (int i = 0; i < ticks; ++i) simulation.tick();
}

// Sums over all bodies that move. Potential energy is zero at the origin. Angular momentum is about
// the origin.
struct Sums {
  double energy = 0;
  double kinetic = 0;
  Vec3 momentum;
  Vec3 angular_momentum;
};

Sums sums_of(const Scene& scene, const Simulation& simulation) {
  Sums sums;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const BodyDef& def = scene.bodies[i];
    if (def.kind == BodyKind::anchor) continue;
    const BodyMotion m = simulation.motion(i);
    const Quat& q = m.pose.orientation;
    const Vec3 spin = rotate(q, scaled(moments_of(scene, def), rotate_back(q, m.angular_velocity)));
    sums.kinetic +=
        0.5 * def.mass * dot(m.velocity, m.velocity) + 0.5 * dot(m.angular_velocity, spin);
    sums.energy -= def.mass * dot(scene.gravity, m.pose.position);
    sums.momentum += def.mass * m.velocity;
    sums.angular_momentum += def.mass * cross(m.pose.position, m.velocity) + spin;
  }
  sums.energy += sums.kinetic;
  return sums;
}

// Returns the sum of the distances between the two points of each joint.
double gaps(const Scene& scene, const Simulation& simulation) {
  double sum = 0;
  for (const JointDef& joint : scene.joints) {
    const auto point = [&](std::uint32_t body, const Vec3& at) {
      const BodyDef& def = scene.bodies[body];
      const bool fixed = def.kind == BodyKind::anchor;
      const Pose pose = fixed ? Pose{def.position, def.orientation} : simulation.motion(body).pose;
      return pose.position + rotate(pose.orientation, at);
    };
    sum += length(point(joint.b, joint.at_b) - point(joint.a, joint.at_a));
  }
  return sum;
}

// --- pendulums ---

// Returns the period of the pendulum: 2 pi sqrt(I / (m g l)) / agm(1, cos(angle / 2)), by Gauss.
double exact_period(double angle) {
  double a = 1, b = std::cos(angle / 2);
  for (int i = 0; i < 20; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * kPi * std::sqrt((1.01 / 12 + 0.25) / (kG * 0.5)) / a;
}

struct Swing {
  double amplitude = 0;  // of the last two seconds, divided by the first amplitude
  double period_error = 0;
};

constexpr double kSwing = kPi / 6;

// Swings the pendulum. The top of a swing lies between ticks, so it is computed from the cosine
// curve through the angles of three ticks. The top of a parabola would be 3e-7 too low.
Swing swing(Simulation& simulation, int seconds) {
  Swing result;
  double angles[3] = {kSwing, kSwing, kSwing};
  double first = 0, last = 0;
  int periods = -1;
  for (int tick = 1; tick <= 60 * seconds; ++tick) {
    simulation.tick();
    const Vec3 p = simulation.motion(1).pose.position;
    angles[0] = angles[1];
    angles[1] = angles[2];
    angles[2] = std::atan2(p.x, -p.y);
    if (angles[1] < 0 && angles[2] >= 0) {
      last = (tick - angles[2] / (angles[2] - angles[1])) / 60.0;
      if (++periods == 0) first = last;
    }
    if (tick > 60 * (seconds - 2) && angles[1] >= angles[0] && angles[1] > angles[2]) {
      const double cosine = (angles[0] + angles[2]) / (2 * angles[1]);  // of the phase of a tick
      const double slope = (angles[2] - angles[0]) / 2;
      const double top = std::sqrt(angles[1] * angles[1] + slope * slope / (1 - cosine * cosine));
      result.amplitude = std::max(result.amplitude, top);
    }
  }
  result.amplitude /= kSwing;
  result.period_error = (last - first) / periods / exact_period(kSwing) - 1;
  return result;
}

void print_pendulum() {
  const Scene scene = make_pendulum(kSwing);
  for (const std::uint32_t n : {1u, 2u, 4u, 8u, 16u}) {
    const std::string aim = n == kSubsteps ? "1e-4, 1e-4" : "";
    compare(
        format("pendulum, %u substeps: loss of amplitude in 60 s, error of the period, CPU us a s",
               n),
        aim, [&](Make make) {
          Swing best;
          Best time;
          time.run([&] { best = swing(*make(scene, n), 60); });
          return format("%.1e, %.1e, %.0f", 1 - best.amplitude, best.period_error,
                        time.seconds() / 60 * 1e6);
        });
  }
  compare("pendulum: amplitude after an hour", "0.999", [&](Make make) {
    return format("%.5f", swing(*make(scene, kSubsteps), 3600).amplitude);
  });
  compare("pendulum: energy after 1, 5, 10, 20, 40 and 60 minutes, share of the first", "",
          [&](Make make) {
            const auto simulation = make(scene, kSubsteps);
            const double lowest = -kG * 0.5;  // of the potential energy
            const double first = sums_of(scene, *simulation).energy - lowest;
            std::string text;
            int minutes = 0;
            for (const int at : {1, 5, 10, 20, 40, 60}) {
              run(*simulation, 3600 * (at - minutes));
              minutes = at;
              const double energy = sums_of(scene, *simulation).energy - lowest;
              text += format(text.empty() ? "%.5f" : ", %.5f", energy / first);
            }
            return text;
          });
}

void print_double_pendulum() {
  const Scene scene = make_double_pendulum();
  for (const std::uint32_t n : {1u, 2u, 4u, 8u, 16u}) {
    compare(format("double pendulum, %u substeps: energy after 60 s, J", n),
            n == kSubsteps ? "-0.1" : "", [&](Make make) {
              const auto simulation = make(scene, n);
              const double before = sums_of(scene, *simulation).energy;
              run(*simulation, 3600);
              return format("%+.3f", sums_of(scene, *simulation).energy - before);
            });
  }
}

void print_top() {
  for (const double spin : {200.0, 300.0}) {
    const Scene scene = make_top(spin);
    compare(format("heavy top at %.0f rad/s, 10 s: error of the precession, of the energy, of the "
                   "vertical angular momentum",
                   spin),
            "1e-3", [&](Make make) {
              const auto simulation = make(scene, kSubsteps);
              const Sums before = sums_of(scene, *simulation);
              double turned = 0;
              Vec3 last = scene.bodies[1].position;
              for (int tick = 0; tick < 600; ++tick) {
                simulation->tick();
                const Vec3 now = simulation->motion(1).pose.position;
                turned +=
                    std::atan2(last.z * now.x - last.x * now.z, last.x * now.x + last.z * now.z);
                last = now;
              }
              const Sums after = sums_of(scene, *simulation);
              return format("%.0e, %.0e, %.0e", turned / 10 / precession_of_top(spin) - 1,
                            after.energy / before.energy - 1,
                            after.angular_momentum.y / before.angular_momentum.y - 1);
            });
  }
}

// --- chains ---

void print_chains() {
  const Scene planar = make_planar_chain();
  for (const std::uint32_t n : {1u, 4u, 16u}) {
    compare(format("planar chain, %u substeps, 10 s: largest error of energy, momentum (kg m/s), "
                   "angular momentum",
                   n),
            "", [&](Make make) {
              const auto simulation = make(planar, n);
              const Sums before = sums_of(planar, *simulation);
              double energy = 0;
              for (int tick = 0; tick < 600; ++tick) {
                simulation->tick();
                const double now = sums_of(planar, *simulation).energy;
                energy = std::max(energy, std::abs(now / before.energy - 1));
              }
              const Sums after = sums_of(planar, *simulation);
              return format("%.0e, %.0e, %.0e", energy, length(after.momentum - before.momentum),
                            length(after.angular_momentum - before.angular_momentum) /
                                length(before.angular_momentum));
            });
  }
  const Scene chain = make_long_chain();
  for (const std::uint32_t n : {kSubsteps, chain.substeps}) {
    compare(format("chain of 50 links and a hundredfold weight, %u substeps, 10 s: longest, m; "
                   "error of the energy",
                   n),
            n == kSubsteps ? "50.02" : "", [&](Make make) {
              const auto simulation = make(chain, n);
              const double before = sums_of(chain, *simulation).energy;
              double most = 0;
              for (int tick = 0; tick < 600; ++tick) {
                simulation->tick();
                most = std::max(most, gaps(chain, *simulation));
              }
              const double after = sums_of(chain, *simulation).energy;
              return format("%.4f, %.0e", 50 + most, after / before - 1);
            });
  }
}

// --- contacts ---

// Returns the greatest relative error of the height of an apex, among the first eight apexes after
// bounces of a ball.
double apex_error(Simulation& simulation, double height, double restitution) {
  double error = 0, exact = height, apex = 0, slowest = 1e300, before = 0;
  for (int tick = 0, bounces = 0; tick < 6000 && bounces <= 8; ++tick) {
    simulation.tick();
    const BodyMotion m = simulation.motion(1);
    if (before < 0 && m.velocity.y > 0) {
      if (bounces++ > 0) error = std::max(error, std::abs(apex / exact - 1));
      exact *= restitution * restitution;
      slowest = 1e300;
    }
    if (std::abs(m.velocity.y) < slowest) {
      slowest = std::abs(m.velocity.y);
      apex = m.pose.position.y - 0.5 + slowest * slowest / (2 * kG);
    }
    before = m.velocity.y;
  }
  return error;
}

void print_bounces() {
  for (const double height : {0.5, 2.0, 10.0}) {
    const Scene scene = make_dropped_ball(height, 0.8);
    compare(format("ball with restitution 0.8 from %.1f m: worst of eight apexes", height), "1 %",
            [&](Make make) {
              const auto simulation = make(scene, kSubsteps);
              return format("%.2f %%", 100 * apex_error(*simulation, height, 0.8));
            });
  }
}

void print_friction() {
  const Scene ball = make_slipping_ball();
  // The angular momentum about the z axis stays constant. Friction acts along the x axis, so it has
  // no moment about the z axis. The moments of the weight and the normal force cancel.
  compare(
      "ball that slips into rolling: final speed / (5/7 of the first), error of the angular "
      "momentum about its track",
      "", [&](Make make) {
        const auto simulation = make(ball, kSubsteps);
        const double before = sums_of(ball, *simulation).angular_momentum.z;
        run(*simulation, 300);
        const double after = sums_of(ball, *simulation).angular_momentum.z;
        return format("%.5f, %.0e", simulation->motion(1).velocity.x / 5, after / before - 1);
      });
  const Scene sticks = make_slope(0.5);
  compare("block on a slope of 20 degrees, friction 0.5: creep in 10 s, mm", "", [&](Make make) {
    const auto simulation = make(sticks, kSubsteps);
    run(*simulation, 600);
    return format("%.3f", 1000 * simulation->motion(1).pose.position.x);
  });
  const Scene slides = make_slope(0.2);
  compare("the same, friction 0.2: distance in 2 s / exact", "", [&](Make make) {
    const auto simulation = make(slides, kSubsteps);
    run(*simulation, 120);
    const double exact = 0.5 * (slides.gravity.x + 0.2 * slides.gravity.y) * 4;
    return format("%.4f", simulation->motion(1).pose.position.x / exact);
  });
}

// Returns two energies as fractions of `scale`: the largest rise of the energy above its initial
// value in 10 s, and the kinetic energy at the end.
std::string energy_rise(const Scene& scene, Make make, double scale) {
  const auto simulation = make(scene, kSubsteps);
  const double before = sums_of(scene, *simulation).energy;
  double rise = 0;
  for (int tick = 0; tick < 600; ++tick) {
    simulation->tick();
    rise = std::max(rise, sums_of(scene, *simulation).energy - before);
  }
  return format("%.0e, %.3f", rise / scale, sums_of(scene, *simulation).kinetic / scale);
}

void print_loose() {
  const Scene ball = make_spinning_ball();
  const double spin = sums_of(ball, *simulate_orrery(ball, 1)).kinetic;
  compare("tilted ball that spins on a plane, 10 s: rise of energy, kinetic energy left", "0",
          [&](Make make) { return energy_rise(ball, make, spin); });
  const Scene capsules = make_capsules();
  const double scale = capsules.bodies[1].mass * kG * 27;
  compare("27 capsules that fall, 10 s: rise of energy, kinetic energy left (weight times 1 m)",
          "0", [&](Make make) { return energy_rise(capsules, make, scale); });
}

}  // namespace

void print_fidelity_rows() {
  print_pendulum();
  print_double_pendulum();
  print_top();
  print_chains();
  print_bounces();
  print_friction();
  print_loose();
}

}  // namespace orrery::bench
