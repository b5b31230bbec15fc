// Tests that fast bodies stop at obstacles, and that other bodies keep their exact motion.
#include "common/physics/sweep/continuous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/core/limits.h"
#include "common/physics/narrow/queries.h"
#include "tests/support/colliding_bodies.h"
#include "tests/unit/physics/sweep/flight.h"

namespace orrery {
namespace {

using test::draw;

std::uint32_t add_wall(CollidingBodies& group, const Vec3& half_extents, bool moves) {
  physics::PartDef part = test::part_definition(physics::ShapeKind::box);
  part.half_extents = half_extents;
  return group.add(group.shapes.add({{part}}).value(), {0, 0, 0}, moves);
}

TEST(Continuous, NothingPassesThroughAThinWall) {
  for (const double speed : {20.0, 100.0, 500.0, 5000.0, 1e6}) {
    for (const bool wall_moves : {false, true}) {
      CollidingBodies group(100);
      add_wall(group, {50, 50, 0.05}, wall_moves);  // 0.1 m thick
      SplitMix64 random(31);
      for (int i = 0; i < 60; ++i) {
        const Vec3 from{2.0 * (i % 8), 2.0 * (i / 8), -4 + 2 * random.symmetric()};
        const std::uint32_t shape = i % 2 == 0 ? group.ball : group.box;
        const std::uint32_t slot = group.add(shape, from, true);
        group.bodies.set_velocity(slot, {0.1 * speed, -0.3 * speed, speed});
        group.bodies.set_orientation(slot, test::draw_orientation(random));
      }
      Flight flight(std::move(group));
      flight.tick();
      const double way = kDt * speed;
      for (std::uint32_t slot = 1; slot <= 60; ++slot) {
        const double z = flight.group.bodies.position(slot).z;
        EXPECT_LT(z, -0.05) << "speed " << speed << " slot " << slot;
        // Bodies that move 2 m or more reach the wall, and stop less than 0.65 m from its middle.
        EXPECT_GT(z, way < 2 ? -7.0 : -0.65) << "speed " << speed << " slot " << slot;
      }
    }
  }
}

TEST(Continuous, StopsAtTheFirstOfSeveral) {
  CollidingBodies group(8);
  group.add(group.ball, {0, 0, 0}, true);
  group.bodies.set_velocity(0, {600, 0, 0});
  group.add(group.box, {8, 0, 0}, false);
  group.add(group.box, {3, 0, 0}, false);
  group.add(group.box, {5, 0, 0}, true);
  Flight flight(std::move(group));
  flight.tick();
  const double expected = 3 - test::kBoxHalfExtents.x - physics::kCoreShare * test::kBallRadius;
  EXPECT_NEAR(flight.group.bodies.position(0).x, expected, 0.01);
  EXPECT_EQ(flight.group.bodies.velocity(0), (Vec3{600, 0, 0}));
}

TEST(Continuous, LetsBodiesSlideOverSeams) {
  CollidingBodies group(32);
  for (int i = 0; i < 16; ++i) group.add(group.box, {1.0 * i, -test::kBoxHalfExtents.y, 0}, false);
  const std::uint32_t plane = group.add(group.plane, {0, 0, 0}, false);
  const std::uint32_t slider = group.add(group.ball, {0, test::kBallRadius - 0.005, 0}, true);
  group.bodies.set_velocity(slider, {600, 0, 0});
  EXPECT_LT(plane, slider);
  Flight flight(std::move(group));
  flight.tick();
  EXPECT_EQ(flight.group.bodies.position(slider).x, kDt * 600);
}

TEST(Continuous, StopsAboveAPlane) {
  CollidingBodies group(8);
  group.add(group.plane, {0, 0, 0}, false);
  const std::uint32_t falling = group.add(group.dumbbell, {0, 3, 0}, true);
  group.bodies.set_velocity(falling, {0, -500, 0});
  Flight flight(std::move(group));
  flight.tick();
  EXPECT_NEAR(flight.group.bodies.position(falling).y, physics::kCoreShare * test::kBallRadius,
              0.01);
}

// A body that stops keeps its angular momentum in its own axes, and with it its energy. If it turns
// nearly about its angular momentum, as free bodies do in a tick, it keeps it in world axes, too.
TEST(Continuous, KeepsAngularMomentumAndEnergy) {
  SplitMix64 random(38);
  for (int i = 0; i < 1000; ++i) {
    CollidingBodies group(8);
    add_wall(group, {50, 50, 0.05}, false);
    const std::uint32_t slot = group.add(group.box, {0, 0, -3}, true);
    std::vector<physics::Motion> ways(group.bodies.slots());
    const bool free = i % 2 == 0;
    const Vec3 turn = draw(random, 0.2);
    const Pose from{{0, 0, -3}, test::draw_orientation(random)};
    const Pose to{{0, 0, 3}, normalized(Quat{turn.x, turn.y, turn.z, 1} * from.orientation)};
    const Vec3 own = free ? rotate_back(to.orientation, turn + 0.2 * length(turn) * draw(random, 1))
                          : draw(random, 1);
    group.bodies.set_angular_momentum(slot, own);
    ways[slot] = {from, to};
    group.bodies.set_orientation(slot, from.orientation);
    Flight flight(std::move(group));
    flight.tick_along(ways);
    const physics::Bodies& bodies = flight.group.bodies;
    ASSERT_LT(bodies.position(slot).z, 0) << i;
    EXPECT_EQ(bodies.angular_momentum(slot), own);
    const Vec3 world = rotate(bodies.orientation(slot), own);
    if (free) {
      EXPECT_NEAR(length(world - rotate(to.orientation, own)), 0, 1e-14) << i;
    }
  }
}

TEST(Continuous, BodiesThatFlyAtEachOtherMeet) {
  for (const double speed : {10.0, 50.0, 300.0, 5000.0}) {
    for (int phase = 0; phase < 8; ++phase) {
      CollidingBodies group(8);
      const double way = kDt * speed, apart = 1 + 2 * way * phase / 8;
      for (const double side : {-1.0, 1.0}) {
        const std::uint32_t slot = group.add(group.ball, {0.5 * side * apart, 0, 0}, true);
        group.bodies.set_velocity(slot, {-side * speed, 0, 0});
      }
      Flight flight(std::move(group));
      flight.tick();
      EXPECT_LT(flight.group.bodies.position(0).x, flight.group.bodies.position(1).x)
          << speed << " " << phase;
    }
  }
}

// Adds a shape of two separate balls, with centres 2 m apart.
std::uint32_t add_baton(CollidingBodies& group) {
  physics::ShapeDef baton;
  for (const double x : {-1.0, 1.0}) {
    physics::PartDef& end =
        baton.parts.emplace_back(test::part_definition(physics::ShapeKind::sphere));
    end.radius = 0.1;
    end.pose.position = {x, 0, 0};
  }
  return group.shapes.add(baton).value();
}

// Bodies of one and of two parts move to a wall and turn by up to 0.73 rad. No core gets into the
// wall. Where the body stops, a core is near it.
TEST(Continuous, StopsWhereATurningCoreMeetsAWall) {
  SplitMix64 random(37);
  std::uint32_t stopped[2] = {};
  for (int i = 0; i < 4000; ++i) {
    CollidingBodies group(8);
    add_wall(group, {50, 50, 0.05}, false);
    const std::uint32_t shape = i % 2 != 0 ? add_baton(group) : group.box;
    const std::uint32_t slot = group.add(shape, {0, 0, -3}, true);
    std::vector<physics::Motion> ways(group.bodies.slots());
    const double tangent = 0.38 * random.symmetric();  // tangent of half the angle of the turn
    const Pose from{{0, 0, -3}, test::draw_orientation(random)};
    group.bodies.set_orientation(slot, from.orientation);
    const Pose to{{random.symmetric(), random.symmetric(), 1 + 2 * random.symmetric()},
                  normalized(from.orientation * Quat{0, 0, tangent, 1})};
    ways[slot] = {from, to};
    Flight flight(std::move(group));
    flight.tick_along(ways);
    const Pose stop = flight.group.pose(slot);
    double farthest = -10;
    for (const physics::Part& core : flight.group.shapes.cores(shape)) {
      farthest = std::max(farthest, physics::bounds(flight.group.shapes, core, stop).upper.z);
    }
    ASSERT_LT(farthest, -0.05) << "body " << i;
    if (stop.position == to.position) continue;
    ++stopped[i % 2];
    EXPECT_GT(farthest, -0.05 - 1.3e-3) << "body " << i;
  }
  EXPECT_GT(stopped[0], 1000u);
  EXPECT_GT(stopped[1], 1000u);
}

// Returns the fraction of its motion at which the body stops, by brute force over every core and
// part. Returns 1 if it meets no obstacle.
double meets_at(const CollidingBodies& group, std::uint32_t slot,
                const std::vector<physics::Motion>& ways) {
  const double distance = physics::core_distance(group.shapes.shape(group.shape_of[slot]));
  double first = 1;
  for (const physics::Part& core : group.shapes.cores(group.shape_of[slot])) {
    for (std::uint32_t other = 0; other < group.bodies.slots(); ++other) {
      if (other == slot || group.shape_of[other] == physics::kNoShape) continue;
      for (const physics::Part& part : group.shapes.parts(group.shape_of[other])) {
        const auto impact =
            physics::time_of_impact(group.shapes, core, ways[slot], part, ways[other], distance,
                                    nullptr, physics::AtStart::closing);
        if (impact) first = std::min(first, impact->fraction);
      }
    }
  }
  return first;
}

TEST(Continuous, StopsWhereASearchWithoutBoxesDoes) {
  Flight flight(test::random_colliding_bodies(400, 8, 35));
  CollidingBodies& group = flight.group;
  SplitMix64 random(36);
  std::vector<std::uint32_t> fast;
  for (int i = 0; i < 40; ++i) {
    fast.push_back(group.add(i % 2 ? group.dumbbell : group.box, draw(random, 8), true));
  }
  std::vector<physics::Motion> ways(group.bodies.slots());
  for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
    if (group.shape_of[slot] == physics::kNoShape) continue;
    const bool is_fast = std::find(fast.begin(), fast.end(), slot) != fast.end();
    const bool moves = group.bodies.inverse_mass(slot) != 0;
    const Quat turn = normalized({0.1 * random.symmetric(), is_fast ? 0.5 : 0.02, 0, 1});
    Pose to = group.pose(slot);
    if (moves) to.position = to.position + draw(random, is_fast ? 6 : 0.04);
    if (moves) to.orientation = normalized(turn * to.orientation);
    ways[slot] = {group.pose(slot), to};
  }
  flight.tick_along(ways);
  int stopped = 0;
  for (const std::uint32_t slot : fast) {
    const double fraction = meets_at(group, slot, ways);
    const Vec3 expected =
        fraction < 1 ? physics::pose_at(ways[slot], fraction).position : ways[slot].to.position;
    EXPECT_EQ(group.pose(slot).position, expected) << "slot " << slot;
    stopped += fraction > 0 && fraction < 1;
  }
  EXPECT_GT(stopped, 10);
}

TEST(Continuous, IsNotFastWhereThereIsTooMuchToLookAt) {
  constexpr double kRadius = 0.05;
  CollidingBodies group(64);
  physics::ShapeDef definition;
  for (std::uint32_t i = 0; i < limits::kPartsMax; ++i) {
    physics::PartDef part = test::part_definition(physics::ShapeKind::sphere);
    part.radius = kRadius;
    part.pose.position = 0.01 * Vec3{1.0 * (i % 8), 1.0 * (i / 8 % 8), 1.0 * (i / 64)};
    definition.parts.push_back(part);
  }
  const std::uint32_t shape = group.shapes.add(definition).value();
  for (int i = 0; i < 24; ++i) {
    const std::uint32_t slot = group.add(shape, {0.001 * i, 0, 0}, true);
    group.bodies.set_velocity(slot, {0, 60, 0});
  }
  const std::uint32_t alone = group.add(group.ball, {100, 0, 0}, true);
  group.bodies.set_velocity(alone, {0, 60, 0});
  Flight flight(std::move(group));
  flight.tick();
  for (std::uint32_t slot = 0; slot < 24; ++slot) {
    EXPECT_NEAR(flight.group.bodies.position(slot).y, kRadius / 2, 1e-12);
  }
  EXPECT_EQ(flight.group.bodies.position(alone).y, kDt * 60);
}

TEST(Continuous, GivesTheSameWithAnyNumberOfThreads) {
  const auto positions = [](std::uint32_t threads) {
    CollidingBodies group = test::random_colliding_bodies(600, 30, 33);
    SplitMix64 random(34);
    for (std::uint32_t slot = 0; slot < 600; ++slot) {
      if (group.bodies.inverse_mass(slot) == 0 || !group.bodies.alive(slot)) continue;
      group.bodies.set_velocity(slot, draw(random, 400));
    }
    Flight flight(std::move(group));
    for (int i = 0; i < 3; ++i) flight.tick(threads);
    std::vector<Vec3> result;
    for (std::uint32_t slot = 0; slot < 600; ++slot) {
      result.push_back(flight.group.bodies.position(slot));
    }
    return result;
  };
  const std::vector<Vec3> expected = positions(1);
  for (const std::uint32_t threads : {2u, 7u, 16u}) EXPECT_EQ(positions(threads), expected);
}

// A ball whose core touches a plane or a box slides on it.
TEST(Continuous, SlidesAlongWhatItTouches) {
  for (const double start : {0.0005, 0.002}) {
    for (const bool flat_box : {false, true}) {
      CollidingBodies group(8);
      physics::PartDef ground = test::part_definition(physics::ShapeKind::box);
      ground.half_extents = {100, 1, 100};
      const std::uint32_t box = group.shapes.add({{ground}}).value();
      group.add(flat_box ? box : group.plane, {0, flat_box ? -1.0 : 0.0, 0}, false);
      const double height = physics::kCoreShare * test::kBallRadius + start;
      const std::uint32_t ball = group.add(group.ball, {0, height, 0}, true);
      group.bodies.set_velocity(ball, {600, -3, 0});
      Flight flight(std::move(group));
      flight.tick();
      EXPECT_NEAR(flight.group.bodies.position(ball).x, 10, 0.01) << start << flat_box;
      EXPECT_NEAR(flight.group.bodies.position(ball).y, height, 0.002) << start << flat_box;
    }
  }
}

}  // namespace
}  // namespace orrery
