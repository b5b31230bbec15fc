// Tests contacts under load: towers, heavy bodies on light ones. Also tests bodies on slopes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "common/core/rng.h"
#include "tests/unit/physics/small_scenes.h"

namespace orrery {
namespace {

// A tower of boxes on a plane.
struct Tower {
  int boxes = 30;
  double size = 1;        // edge of a box
  double rate = 60;       // ticks per time
  double gap = 0;         // distance of the boxes at the start, in units of size
  double off_centre = 0;  // largest displacement of a box along x and z, in units of size
  physics::Material floor{};
  physics::Material material{};
  double density = 1000;
};

std::ostream& operator<<(std::ostream& out, const Tower& t) {
  return out << t.boxes << " boxes of " << t.size << ", " << t.rate << " Hz, gap " << t.gap
             << ", off centre " << t.off_centre << ", density " << t.density;
}

// Adds the tower. Returns the places of the boxes, of which box i has slot i + 1.
std::vector<Vec3> build(ContactWorld& world, const Tower& tower) {
  world.time = 1 / tower.rate;
  world.add_fixed(world.add_shape(physics::ShapeKind::plane, {}, 0, tower.floor), {});
  const double h = tower.size / 2;
  const std::uint32_t box = world.add_box({h, h, h}, tower.material, tower.density);
  SplitMix64 random(7);
  std::vector<Vec3> places;
  for (int i = 0; i < tower.boxes; ++i) {
    const double x = tower.off_centre * tower.size * random.symmetric();
    const double z = tower.off_centre * tower.size * random.symmetric();
    places.push_back({x, h + i * tower.size, z});
    world.add(box, places.back() + Vec3{0, (i + 1) * tower.gap * tower.size, 0});
  }
  return places;
}

// Expects that after 60 units of time each box is within `share` of its size from its place, and
// hardly moves.
void expect_standing(const Tower& tower, double share) {
  ContactWorld world(64);
  const std::vector<Vec3> places = build(world, tower);
  world.step(static_cast<int>(60 * tower.rate));
  double moved = 0, speed = 0;
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    moved = std::max(moved, length(world.bodies.position(i + 1) - places[i]));
    speed = std::max(speed, length(world.bodies.velocity(i + 1)));
  }
  EXPECT_LT(moved, share * tower.size) << tower;
  EXPECT_LT(speed, 0.002 * tower.size) << tower;
}

TEST(Loads, TowersOfThirtyBoxesStandForAMinute) {
  for (const double size : {1.0, 3.0, 10.0, 30.0}) {
    expect_standing({.size = size}, 0.04);
    expect_standing({.size = size, .off_centre = 0.02}, 0.04);
  }
  expect_standing({.floor = {0.6, 0, 0}, .material = {0.4, 0.2, 0}, .density = 600}, 0.04);
}

TEST(Loads, TowersStandAtOtherTickRates) {
  expect_standing({.boxes = 10, .rate = 30}, 0.04);
  expect_standing({.boxes = 15, .rate = 30}, 0.04);
  expect_standing({.rate = 240}, 0.04);
}

// No tower may sway.
TEST(Loads, SlowTowersOfAnyHeightAndSizeStandStill) {
  for (const double size : {1.0, 3.0, 10.0, 30.0}) {
    for (const int boxes : {4, 5, 6, 8, 10, 12, 15, 20}) {
      expect_standing({.boxes = boxes, .size = size}, 0.02);
      if (boxes < 20) expect_standing({.boxes = boxes, .size = size, .gap = 0.01}, 0.04);
    }
  }
}

TEST(Loads, TowersOfSmallBoxesStand) {
  expect_standing({.boxes = 12, .size = 0.1}, 0.1);
  expect_standing({.boxes = 6, .size = 0.05}, 0.08);
}

// A box carries another one of the same size and of `ratio` times its mass, and the other way
// round.
void expect_carried(double ratio, double size, bool heavy_above, double sink) {
  ContactWorld world(64);
  world.add_fixed(add_plane(world), {});
  const double h = size / 2;
  const std::uint32_t light = world.add_box({h, h, h});
  const std::uint32_t heavy = world.add_box({h, h, h}, {}, 1000 * ratio);
  const Vec3 place{0, 3 * h, 0};
  world.add(heavy_above ? light : heavy, {0, h, 0});
  const std::uint32_t top = world.add(heavy_above ? heavy : light, place);
  world.step(1200);
  EXPECT_NEAR(world.bodies.position(top).y, place.y, sink) << ratio << " " << size;
  EXPECT_LT(length(world.bodies.velocity(top)), 0.005) << ratio << " " << size;
}

TEST(Loads, ABoxCarriesAHeavyOne) {
  for (const double size : {1.0, 10.0}) {
    for (const double ratio : {10.0, 100.0, 1000.0}) expect_carried(ratio, size, false, 0.0002);
    expect_carried(10, size, true, 0.002);
    expect_carried(100, size, true, 0.005);
    expect_carried(1000, size, true, 0.03);
  }
  expect_carried(100, 0.1, true, 0.005);
}

// Returns the number of contacts under load.
int loaded(ContactWorld& world) {
  int count = 0;
  for (std::uint32_t i = 0; i < physics::kColours; ++i) {
    const auto& blocks = world.solver.contacts().lanes().colour(i).general.blocks;
    for (const physics::ManifoldBlock& block : blocks) count += std::popcount(block.footer.loaded);
  }
  return count;
}

// In a high tower all contacts are under load, and it is slender, at every size. In a low one, and
// without gravity, none is. At four times the rate, contacts are stiff enough.
TEST(Loads, FollowFromTheWeight) {
  for (const double size : kSizes) {
    for (const double rate : {60.0, 240.0}) {
      ContactWorld low(64);
      low.gravity = {0, -kGravity * size, 0};
      build(low, {.boxes = 12, .size = size, .rate = rate});
      ContactWorld world(64);
      world.gravity = {0, -kGravity * size, 0};
      build(world, {.boxes = 20, .size = size, .rate = rate});
      for (int i = 0; i < 4 * static_cast<int>(rate); ++i) {
        low.step(1);
        world.step(1);
        ASSERT_EQ(loaded(low), 0) << size << " " << rate << " " << i;
      }
      EXPECT_EQ(loaded(world), rate == 60 ? 20 : 0) << size << " " << rate;
      world.gravity = {};
      world.step(1);
      EXPECT_EQ(loaded(world), 0) << size << " " << rate;
    }
  }
}

TEST(Loads, AStackOfTenCarriesAHeavyBox) {
  ContactWorld world(64);
  build(world, {.boxes = 10});
  const Vec3 place{0, 10.5, 0};
  const std::uint32_t top = world.add(world.add_box({0.5, 0.5, 0.5}, {}, 1e5), place);
  world.step(1800);
  EXPECT_LT(length(world.bodies.position(top) - place), 0.06);
  EXPECT_LT(length(world.bodies.velocity(top)), 0.002);
}

// A block that is put on a slope below the angle of friction keeps its place along the slope from
// the first tick on.
TEST(Loads, ABlockOnASlopeKeepsItsPlace) {
  for (const double size : kSizes) {
    for (const double degrees : {5.0, 10.0, 20.0, 25.0}) {
      for (const bool plane : {false, true}) {
        for (const bool hull : {false, true}) {
          ContactWorld world(64);
          const double h = size / 2;
          const Quat lean = turn_about({0, 0, 1}, degrees * std::numbers::pi / 180);
          const Vec3 up = rotate(lean, {0, 1, 0}), down = rotate(lean, {-1, 0, 0});
          const std::uint32_t floor = plane ? add_plane(world) : world.add_box({size, h, size});
          world.add_fixed(floor, plane ? Vec3{} : -h * up, lean);
          const std::uint32_t box =
              hull ? add_box_hull(world, {h, h, h}) : world.add_box({h, h, h});
          const std::uint32_t block = world.add(box, h * up, {}, {}, lean);
          world.step(600);
          EXPECT_NEAR(dot(world.bodies.position(block), down), 0, 2e-5)
              << size << " at " << degrees << (plane ? " plane" : " box") << (hull ? " hull" : "");
        }
      }
    }
  }
}

// A car of 1,000 kg on four braked wheels of 20 kg does not move on a slope.
TEST(Loads, ABrakedCarStandsOnASlope) {
  for (const bool capsules : {false, true}) {
    ContactWorld world(64);
    const double radius = 0.35, half = 0.1;
    const Quat lean = turn_about({0, 0, 1}, 15 * std::numbers::pi / 180);
    const auto at = [&](double x, double y, double z) { return rotate(lean, {x, y, z}); };
    world.add_fixed(add_plane(world), {}, lean);
    const std::uint32_t car = world.add(world.add_box({1.5, 0.25, 0.7}, {}, 1000 / 2.1),
                                        at(0, radius + 0.3, 0), {}, {}, lean);
    const std::uint32_t wheel =
        capsules ? add_capsule(world, radius, half) : world.add_ball(radius, {}, 111);
    const Quat across = turn_about({1, 0, 0}, std::numbers::pi / 2);
    std::vector<physics::Joint> joints;
    for (const double x : {-1.2, 1.2}) {
      for (const double z : {-0.8, 0.8}) {
        physics::Joint joint;
        joint.kind = physics::JointKind::hinge;
        joint.a = car;
        joint.b = world.add(wheel, at(x, radius, z), {}, {}, lean * across);
        joint.motor_max = 1e5;
        joint.at_a = {{x, -0.3, z}, turn_about({0, 1, 0}, -std::numbers::pi / 2)};
        const Quat inside = conjugate(world.bodies.orientation(joint.b)) * lean;
        joint.at_b = {{}, inside * joint.at_a.orientation};
        joints.push_back(joint);
      }
    }
    world.solver.set_joints(joints);
    world.step(120);
    const Vec3 before = world.bodies.position(car);
    world.step(600);
    EXPECT_LT(length(world.bodies.position(car) - before), 1e-5) << capsules;
  }
}

}  // namespace
}  // namespace orrery
