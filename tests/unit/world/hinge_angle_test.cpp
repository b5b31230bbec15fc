// Tests that the angle of a hinge continues over any number of turns.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "common/core/versions.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kPi = 3.14159265358979323846;

// A plate of a size in metres on a hinge along z through its centre. It is at the angle 0.
struct Plate {
  double size = 1;
  std::uint32_t rate = 60;
  double spin = 0;
  JointDef joint;

  Scene scene() const {
    Scene scene;
    use_contacts(scene);
    scene.tick_rate = rate;
    scene.bodies.resize(2);
    scene.bodies[0].kind = BodyKind::anchor;
    const double moment = size * size / 6;
    scene.bodies[1].inertia = {moment, moment, moment};
    scene.bodies[1].angular_velocity = {0, 0, spin};
    scene.joints.push_back(joint);
    JointDef& made = scene.joints[0];
    made.kind = physics::JointKind::hinge;
    made.b = 1;
    made.axis = {0, 0, 1};
    return scene;
  }
};

// Counts the turns of a plate from tick to tick.
class Turned {
 public:
  explicit Turned(World& world) : world_(world) {}
  double run_ticks(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      run(world_, 1);
      const Quat q = world_.bodies().orientation(1);
      const double now = 2 * std::atan2(q.z, q.w);
      angle_ += std::remainder(now - angle_, 2 * kPi);
      largest_ = std::max(largest_, std::abs(angle_));
    }
    return angle_;
  }
  double largest() const { return largest_; }

 private:
  World& world_;
  double angle_ = 0;
  double largest_ = 0;
};

TEST(HingeAngle, ASpringTurnsToItsRestHoweverManyTurnsThatIs) {
  for (const double size : {0.01, 1.0, 10.0}) {
    for (const std::uint32_t rate : {60u, 240u}) {
      for (const double rest : {2.356, -2.356, kPi, 4.0, -10.0, 20.0}) {
        Plate plate{size, rate, 0, {}};
        plate.joint.frequency = 1;
        plate.joint.damping_ratio = 0.2;
        plate.joint.rest = rest;
        World world(plate.scene());
        Turned turned(world);
        // Ten periods at a damping ratio of 0.2 leave exp(-4 pi) of the amplitude.
        EXPECT_NEAR(turned.run_ticks(static_cast<int>(10 * rate)), rest, 1e-4 * std::abs(rest))
            << size << " " << rate;
        // A step response overshoots by exp(-pi z / sqrt(1 - z^2)).
        EXPECT_NEAR(turned.largest() / std::abs(rest), 1.527, 0.02) << size << " " << rest;
      }
    }
  }
}

TEST(HingeAngle, ALimitStopsAtAnyAngle) {
  for (const double size : {0.01, 1.0, 10.0}) {
    for (const std::uint32_t rate : {60u, 240u}) {
      for (const double limit : {3.1, 3.14159, 3.3, 6.3, 20.0}) {
        for (const double sign : {1.0, -1.0}) {
          Plate plate{size, rate, 10 * sign, {}};
          plate.joint.limited = true;
          plate.joint.lower = -limit;
          plate.joint.upper = limit;
          World world(plate.scene());
          Turned turned(world);
          turned.run_ticks(static_cast<int>(3 * rate));
          EXPECT_NEAR(turned.largest(), limit, 1e-3) << size << " " << rate << " " << limit;
        }
      }
    }
  }
}

TEST(HingeAngle, IsInTheImage) {
  Plate plate{1, 60, 7, {}};
  plate.joint.limited = true;
  plate.joint.lower = -1;
  plate.joint.upper = 30;
  World world(plate.scene());
  run(world, 180);  // more than three turns
  std::vector<std::uint8_t> image;
  save_image(world, image);
  World other(plate.scene());
  ASSERT_TRUE(restore_image(other, image).ok());
  for (int i = 0; i < 300; ++i) {
    run(world, 1);
    run(other, 1);
    ASSERT_EQ(world.hash(), other.hash()) << i;
  }
  const physics::JointSet& joints = world.collision()->solver.joints();
  EXPECT_NEAR(joints.numbers().back(), 30, 1e-3);
}

// An image of version 3 lacks the angle. The hinge then counts from the nearest half turn.
TEST(HingeAngle, IsAbsentFromOldImages) {
  Plate plate{1, 60, 1, {}};
  plate.joint.frequency = 0.1;
  plate.joint.rest = 1;
  World world(plate.scene());
  run(world, 30);
  std::vector<std::uint8_t> image;
  save_image(world, image);
  ASSERT_EQ(image[4], kContactsImageVersion);
  std::vector<std::uint8_t> old = image;
  old[4] = kOldContactsImageVersion;
  old.erase(old.end() - 16, old.end() - 8);
  seal(old);
  World other(plate.scene());
  ASSERT_TRUE(restore_image(other, old).ok());
  run(world, 100);
  run(other, 100);
  EXPECT_EQ(world.hash(), other.hash());
  old.erase(old.end() - 16, old.end() - 8);
  seal(old);
  EXPECT_FALSE(restore_image(other, old).ok());
}

}  // namespace
}  // namespace orrery
