// Tests impacts of bodies on joints against the laws of rigid bodies.
#include "common/physics/solve/joint_impacts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using physics::Joint;
using physics::JointKind;

constexpr double kRadius = 0.2;  // of all balls

Vec3 unit(const Vec3& v) { return (1 / length(v)) * v; }

// A chain of balls on joints of random kinds, which moves as one rigid body, and a free ball that
// is about to hit one of them.
struct Hit {
  Hit(std::uint64_t seed, bool hangs, double friction)
      : world(64), random(seed), restitution(0.2 + 0.8 * (0.5 + 0.5 * random.symmetric())) {
    world.gravity = {};
    const physics::Material material{friction, restitution, 0};
    const std::uint32_t count =
        2 + static_cast<std::uint32_t>(4 * (0.5 + 0.5 * random.symmetric()));
    const Vec3 spin = hangs ? Vec3{} : draw(2), drift = hangs ? Vec3{} : draw(1);
    Vec3 place;
    std::uint32_t last = world.add_fixed(world.add_ball(0.01), {});
    for (std::uint32_t i = 0; i < count; ++i) {
      const Vec3 at = place;  // the joint is between the last ball and the next one
      place = place + Vec3{0.5, 0, 0} + draw(0.1);
      const std::uint32_t shape =
          world.add_ball(kRadius, material, 1000 * std::pow(10, 2 * random.symmetric()));
      const std::uint32_t ball = world.add(shape, place, drift + cross(spin, place), spin);
      if (i > 0 || hangs) join(last, ball, 0.5 * (at + place));
      last = ball;
      if (i == 0 || (0.5 + 0.5 * random.symmetric()) < 0.5) target = ball;
    }
    const Vec3 away = unit(Vec3{0, 1, 0} + draw(0.3));
    const Vec3 from = world.bodies.position(target) + (2 * kRadius + 1e-3) * away;
    projectile = world.add(world.add_ball(kRadius, material, 300), from,
                           world.bodies.velocity(target) - 3.0 * away + draw(0.5));
    world.solver.set_joints(joints);
  }
  Vec3 draw(double scale) {
    const double x = random.symmetric(), y = random.symmetric(), z = random.symmetric();
    return scale * Vec3{x, y, z};
  }
  // Joins two balls at a point, with axes along the axes of the world.
  void join(std::uint32_t a, std::uint32_t b, const Vec3& at) {
    Joint& joint = joints.emplace_back();
    constexpr JointKind kKinds[] = {JointKind::ball, JointKind::hinge, JointKind::weld};
    joint.kind = kKinds[static_cast<std::size_t>(3 * (0.5 + 0.5 * random.symmetric()))];
    joint.a = a;
    joint.b = b;
    joint.a_moves = world.bodies.inverse_mass(a) > 0;
    const auto anchor = [&](std::uint32_t slot) {
      const Quat to_body = conjugate(world.bodies.orientation(slot));
      return Pose{rotate(to_body, at - world.bodies.position(slot)), to_body};
    };
    joint.at_a = anchor(a);
    joint.at_b = anchor(b);
  }
  // Returns the speed at which the projectile leaves its target.
  double leaving() const {
    const physics::Bodies& bodies = world.bodies;
    const Vec3 apart = bodies.position(projectile) - bodies.position(target);
    return dot(bodies.velocity(projectile) - bodies.velocity(target), unit(apart));
  }
  Vec3 speed_at(std::uint32_t slot, const Vec3& anchor) const {
    const physics::Bodies& bodies = world.bodies;
    const Vec3 arm = rotate(bodies.orientation(slot), anchor);
    return bodies.velocity(slot) + cross(bodies.angular_velocity(slot), arm);
  }
  double energy() const {
    double sum = 0;
    for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
      if (world.bodies.inverse_mass(slot) == 0) continue;
      const Vec3 v = world.bodies.velocity(slot), l = world.bodies.angular_momentum(slot);
      sum += dot(v, v) / world.bodies.inverse_mass(slot) / 2 +
             dot(l, scaled(world.bodies.inverse_inertia(slot), l)) / 2;
    }
    return sum;
  }
  // Returns the momentum, and the angular momentum about the origin.
  std::pair<Vec3, Vec3> momenta() const {
    Vec3 p, l;
    for (std::uint32_t slot = 0; slot < world.bodies.slots(); ++slot) {
      if (world.bodies.inverse_mass(slot) == 0) continue;
      const Vec3 own = (1 / world.bodies.inverse_mass(slot)) * world.bodies.velocity(slot);
      p = p + own;
      l = l + cross(world.bodies.position(slot), own) +
          rotate(world.bodies.orientation(slot), world.bodies.angular_momentum(slot));
    }
    return {p, l};
  }
  ContactWorld world;
  SplitMix64 random;
  double restitution;
  std::vector<Joint> joints;
  std::uint32_t target = 0;
  std::uint32_t projectile = 0;
};

// 200 chains, which hang on a fixed body or fly. The ball leaves with the restitution times its
// speed, the joints hold, the energy does not grow, and chains in flight keep their momentum and
// angular momentum.
void check_chains(bool hangs) {
  SerialExecutor serial;
  int corrected = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const double friction = seed % 2 == 0 ? 0 : 0.4;
    Hit hit(seed, hangs, friction);
    const double before = hit.leaving(), energy = hit.energy();
    const auto [p, l] = hit.momenta();
    ASSERT_LT(before, 0);
    hit.world.strike(serial);
    EXPECT_NEAR(hit.leaving(), -hit.restitution * before, friction == 0 ? 1e-9 : -before);
    EXPECT_LE(hit.energy(), energy * (1 + 1e-12));
    if (!hangs) {
      const auto [after_p, after_l] = hit.momenta();
      EXPECT_LT(length(after_p - p), 1e-9 * (length(p) + 1));
      EXPECT_LT(length(after_l - l), 1e-9 * (length(l) + 1));
    }
    for (const Joint& joint : hit.joints) {
      const Vec3 gap =
          hit.speed_at(joint.a, joint.at_a.position) - hit.speed_at(joint.b, joint.at_b.position);
      EXPECT_LT(length(gap), 1e-8);
      const bool touches = joint.a == hit.target || joint.b == hit.target;
      if (touches) ++corrected;
    }
  }
  EXPECT_GT(corrected, 200);
}

TEST(JointImpacts, OfChainsInFlightKeepRestitutionMomentumAndEnergy) { check_chains(false); }

TEST(JointImpacts, OfHangingChainsKeepRestitutionAndEnergy) { check_chains(true); }

// A ball that hits two others at once, of which one is on a joint, moves bodies that are not on
// joints as well. All of them get the same factor, so the energy stays.
TEST(JointImpacts, OfSeveralBodiesKeepTheEnergy) {
  ContactWorld world(64);
  world.gravity = {};
  const std::uint32_t shape = world.add_ball(kRadius, {0, 1, 0});
  const std::uint32_t base = world.add_fixed(world.add_ball(0.01), {0, -1, 0});
  const std::uint32_t held = world.add(shape, {-0.21, 0, 0}), free = world.add(shape, {0.21, 0, 0});
  const std::uint32_t ball = world.add(shape, {0, 0.345, 0}, {0, -3, 0});
  Joint joint;
  joint.kind = JointKind::hinge;
  joint.a = base;
  joint.b = held;
  joint.a_moves = false;
  const Quat along_z = normalized({0, -1, 0, 1});  // turns x, the axis of hinges, to z
  joint.at_a = {{}, along_z};
  joint.at_b = {{0.21, -1, 0}, along_z};
  world.solver.set_joints({&joint, 1});
  SerialExecutor serial;
  world.strike(serial);
  const auto energy = [&](std::uint32_t slot) {
    const Vec3 v = world.bodies.velocity(slot), l = world.bodies.angular_momentum(slot);
    return dot(v, v) / world.bodies.inverse_mass(slot) / 2 +
           dot(l, scaled(world.bodies.inverse_inertia(slot), l)) / 2;
  };
  EXPECT_GT(length(world.bodies.velocity(free)), 0.1);
  EXPECT_GT(length(world.bodies.velocity(held)), 0.1);
  EXPECT_NEAR(energy(held) + energy(free) + energy(ball), 4.5 / world.bodies.inverse_mass(ball),
              1e-6 / world.bodies.inverse_mass(ball));
}

// A plate, welded to a fixed body, and bodies that hit it.
struct Plate {
  Plate(double friction, double restitution) : world(64), material{friction, restitution, 0} {
    world.gravity = {};
    base = world.add_fixed(world.add_ball(0.01), {0, -5, 0});
    plate = world.add(world.add_box({1, 0.1, 1}, material, 2.5), {0, -0.1, 0});  // 1 kg
    Joint& joint = joints.emplace_back();
    joint.kind = JointKind::weld;
    joint.a = base;
    joint.b = plate;
    joint.a_moves = false;
    const Quat to_body = conjugate(world.bodies.orientation(plate));
    joint.at_a = {{0, 4.9, 0}, {}};
    joint.at_b = {{}, to_body};
    world.solver.set_joints(joints);
  }
  // Adds a ball 1 mm above the plate.
  std::uint32_t add_ball(double mass, const Vec3& velocity) {
    const double volume = 4 * 3.14159265358979323846 / 3 * kRadius * kRadius * kRadius;
    return world.add(world.add_ball(kRadius, material, mass / volume), {0, kRadius + 1e-3, 0},
                     velocity);
  }
  ContactWorld world;
  physics::Material material;
  std::vector<Joint> joints;
  std::uint32_t base;
  std::uint32_t plate;
};

// A ball that hits a welded plate leaves it as it would leave a fixed one, with any mass, friction
// and restitution.
TEST(JointImpacts, OnAPlateThatIsWeldedAreThoseOnAFixedOne) {
  SerialExecutor serial;
  for (const double mass : {0.01, 1.0, 100.0}) {
    for (const double friction : {0.0, 0.1, 0.5, 2.0}) {
      for (const double restitution : {0.3, 1.0}) {
        SCOPED_TRACE(testing::Message() << mass << " kg, friction " << friction);
        Plate welded(friction, restitution);
        const std::uint32_t ball = welded.add_ball(mass, {5, -5, 1});
        ContactWorld fixed(64);
        fixed.gravity = {};
        fixed.add_fixed(fixed.add_box({1, 0.1, 1}, welded.material), {0, -0.1, 0});
        const std::uint32_t other =
            fixed.add(fixed.add_ball(kRadius, welded.material), {0, kRadius + 1e-3, 0}, {5, -5, 1});
        welded.world.strike(serial);
        fixed.strike(serial);
        const Vec3 v = welded.world.bodies.velocity(ball), right = fixed.bodies.velocity(other);
        EXPECT_LT(length(v - right), 1e-6);
        EXPECT_LT(length(welded.world.bodies.angular_velocity(ball) -
                         fixed.bodies.angular_velocity(other)),
                  1e-5);
      }
    }
  }
}

// A plate that moves away from its weld stops first, so it gives the ball no energy.
TEST(JointImpacts, StartFromVelocitiesThatTheJointsAllow) {
  SerialExecutor serial;
  Plate p(0, 1);
  const std::uint32_t ball = p.add_ball(1000, {0, -0.1, 0});
  p.world.bodies.set_velocity(p.plate, {0, 10, 0});
  p.world.strike(serial);
  EXPECT_NEAR(p.world.bodies.velocity(ball).y, 0.1, 1e-6);
  EXPECT_LT(length(p.world.bodies.velocity(p.plate)), 1e-6);
}

// A body that takes part in no impact with a joint keeps out of the correction: a light ball
// without restitution that falls on a heavy one is not thrown up.
TEST(JointImpacts, LeaveOtherContactsAlone) {
  SerialExecutor serial;
  Plate p(0, 1);
  const std::uint32_t soft = p.world.add_ball(kRadius, {0, 0, 0}, 3000);
  const std::uint32_t ball = p.world.add(soft, {0, kRadius + 1e-3, 0}, {0, -5, 0});
  const std::uint32_t clay = p.world.add(p.world.add_ball(kRadius, {0, 0, 0}, 30),
                                         {0, 3 * kRadius + 2e-3, 0}, {0, -10, 0});
  p.world.strike(serial);
  EXPECT_GT(p.world.bodies.velocity(ball).y, 4);
  EXPECT_LE(p.world.bodies.velocity(clay).y, 0);
}

// A door at the limit of its hinge is hit by a ball. If it leaves the limit, it moves as without
// one; if it rests there, it is a wall.
TEST(JointImpacts, OfADoorThatLeavesItsLimitAreThoseWithoutALimit) {
  SerialExecutor serial;
  for (const bool leaves : {false, true}) {
    for (const bool limited : {false, true}) {
      ContactWorld world(64);
      world.gravity = {};
      const std::uint32_t base = world.add_fixed(world.add_ball(0.01), {0, 0.5, 0});
      const Vec3 half{0.05, 0.5, 0.2};
      const Vec3 spin = leaves ? Vec3{0, 0, -10} : Vec3{};
      const std::uint32_t door =
          world.add(world.add_box(half, {0, 1, 0}, 25), {}, cross(spin, {0, -0.5, 0}), spin);
      Joint joint;
      joint.kind = JointKind::hinge;
      joint.a = base;
      joint.b = door;
      joint.a_moves = false;
      const Quat along_z = normalized({0, -1, 0, 1});
      const Quat to_body = conjugate(world.bodies.orientation(door));
      joint.at_a = {{}, along_z};
      joint.at_b = {rotate(to_body, {0, 0.5, 0}), to_body * along_z};
      joint.limited = limited;
      joint.lower = -1;
      world.solver.set_joints({&joint, 1});
      const std::uint32_t ball =
          world.add(world.add_ball(kRadius, {0, 1, 0}), {-0.05 - kRadius - 1e-3, 0, 0}, {5, 0, 0});
      world.strike(serial);
      const double mass = 1 / world.bodies.inverse_mass(ball), meets = leaves ? 10 : 5;
      const double inertia = (4 * half.x * half.x + 4 * half.y * half.y) / 12 + half.y * half.y;
      const bool is_wall = limited && !leaves;
      const double moved = is_wall ? 0 : half.y * half.y / inertia;
      const double right = 5 - 2 * meets / (1 / mass + moved) / mass;
      EXPECT_NEAR(world.bodies.velocity(ball).x, right, 1e-6);
    }
  }
}

}  // namespace
}  // namespace orrery
