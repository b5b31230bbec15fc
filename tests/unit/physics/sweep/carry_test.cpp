// Tests that kinematic bodies carry the bodies that they pass over in a tick.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/physics/sweep/flight.h"

namespace orrery {
namespace {

// A kinematic bat passes over balls in a tick, at every phase. Each ball ends in front of it.
TEST(Carry, AKinematicBodyCarriesWhatItPasses) {
  for (const double size : {0.01, 1.0, 100.0}) {
    for (const bool turns : {false, true}) {
      for (int phase = 0; phase < 8; ++phase) {
        CollidingBodies group(100);
        physics::PartDef bat = test::part_definition(physics::ShapeKind::box);
        bat.half_extents = {2 * size, 0.5 * size, 0.02 * size};
        const std::uint32_t mover = group.add(group.shapes.add({{bat}}).value(), {}, false);
        group.bodies.set(physics::BodyField::inverse_inertia_x, mover, Vec3{1, 1, 1});
        physics::PartDef ball = test::part_definition(physics::ShapeKind::sphere);
        ball.radius = 0.05 * size;
        const Vec3 at{1.5 * size, 0, (0.1 + 0.02 * phase) * size};
        const std::uint32_t slot = group.add(group.shapes.add({{ball}}).value(), at, true);
        Flight flight(std::move(group));
        std::vector<physics::Motion> ways(flight.group.bodies.slots());
        for (std::uint32_t i : {mover, slot})
          ways[i] = {flight.group.pose(i), flight.group.pose(i)};
        if (turns) {
          ways[mover].to.orientation = {0, -std::sin(0.15), 0, std::cos(0.15)};
        } else {
          ways[mover].to.position = {0, 0, 0.4 * size};
        }
        flight.tick_along(ways);
        const Pose end = flight.group.pose(mover);
        const Vec3 local =
            rotate_back(end.orientation, flight.group.bodies.position(slot) - end.position);
        EXPECT_GT(local.z, 0.02 * size) << size << turns << phase;
        EXPECT_LT(local.z, 0.1 * size + 0.01) << size << turns << phase;
      }
    }
  }
}

// A bat pushes a ball at a thin wall, and a platform moves a pile: the ball stays on its side of
// the wall, and the pile keeps its order.
TEST(Carry, CarriedBodiesStopAtWallsAndStayInOrder) {
  for (const bool walled : {false, true}) {
    CollidingBodies group(32);
    physics::PartDef slab = test::part_definition(physics::ShapeKind::box);
    slab.half_extents = {1, 0.05, 1};
    const std::uint32_t mover = group.add(group.shapes.add({{slab}}).value(), {}, false);
    group.bodies.set(physics::BodyField::inverse_inertia_x, mover, Vec3{1, 1, 1});
    slab.half_extents = {1, 0.005, 1};
    const double height = 1.3;
    if (walled) group.add(group.shapes.add({{slab}}).value(), {0, height, 0}, false);
    physics::PartDef cube = test::part_definition(physics::ShapeKind::box);
    cube.half_extents = {0.1, 0.1, 0.1};
    const std::uint32_t shape = group.shapes.add({{cube}}).value();
    std::vector<std::uint32_t> pile;
    for (int i = 0; i < 4; ++i) pile.push_back(group.add(shape, {0, 0.16 + 0.21 * i, 0}, true));
    Flight flight(std::move(group));
    std::vector<physics::Motion> ways(flight.group.bodies.slots());
    for (std::uint32_t i = 0; i < ways.size(); ++i) {
      ways[i] = {flight.group.pose(i), flight.group.pose(i)};
    }
    ways[mover].to.position.y = 0.66;
    flight.tick_along(ways);
    double below = walled ? 0 : 0.66 + 0.05 - 0.1;  // as if a cube were there
    for (const std::uint32_t slot : pile) {
      const double y = flight.group.bodies.position(slot).y;
      EXPECT_GT(y, below + 0.1 + physics::kCoreShare * 0.1 - 1e-6) << walled << " " << slot;
      if (walled) {
        EXPECT_LT(y, height - 0.005 - physics::kCoreShare * 0.1) << slot;
      }
      below = y;
    }
  }
}

}  // namespace
}  // namespace orrery
