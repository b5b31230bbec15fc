// Tests that queries use the current positions and return the ids of bodies.
#include "common/world/report/world_queries.h"

#include <gtest/gtest.h>

#include "common/world/scenes/scene_parts.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

TEST(WorldQueries, ARayFindsTheTopCrateWhereItIsNow) {
  World world(built_in_scene("crates:10").value());
  WorldQueries queries(world);
  SerialExecutor serial;
  std::vector<WorldHit> hits;
  const auto cast = [&] {
    queries.update(world, serial);
    const Vec3 top = world.bodies().position(9);
    queries.cast_ray(world, {top.x, 30, top.z}, {0, -25, 0}, {}, 2, hits);
  };
  cast();
  ASSERT_EQ(hits.size(), 2u);
  EXPECT_EQ(hits[0].body, BodyId{9});
  EXPECT_EQ(hits[1].body, BodyId{8});
  // the ray goes 25 m down from 30 m, and hits the top of the crate at 10 m after 20 m
  EXPECT_NEAR(hits[0].fraction, 0.8, 1e-3);
  EXPECT_NEAR(hits[0].normal.y, 1, 1e-9);

  const ClientId client{1};
  const std::vector<Command> remove = {{kServer, {1}, command::Join{client, Role::admin}},
                                       {client, {1}, command::Remove{BodyId{9}}},
                                       {client, {2}, command::Spawn{0, {0, 25, 0}, {}}}};
  step(world, remove, serial);
  cast();
  ASSERT_GE(hits.size(), 1u);
  EXPECT_EQ(hits[0].body, body_id(world, 9));
  EXPECT_NE(hits[0].body, BodyId{9});
  EXPECT_NEAR(30 - 25 * hits[0].fraction, world.bodies().position(9).y + 0.5, 1e-9);
}

TEST(WorldQueries, ShapesAndOverlapsAreNamedToo) {
  World world(built_in_scene("crates:10").value());
  WorldQueries queries(world);
  SerialExecutor serial;
  queries.update(world, serial);
  const Vec3 top = world.bodies().position(9);
  std::vector<WorldHit> hits;
  const Pose from{{top.x, 15, top.z}, {}};
  const Pose to{{top.x, 5, top.z}, {}};
  queries.cast_shape(world, physics::ball_part(0.5), {from, to}, {}, 1, hits);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_EQ(hits[0].body, BodyId{9});
  EXPECT_NEAR(15 - 10 * hits[0].fraction, 10.5, 1e-2);

  std::vector<BodyId> bodies;
  queries.find_overlaps(world, physics::box_part({0.1, 1, 0.1}), {top, {}}, {}, 10, bodies);
  EXPECT_EQ(bodies, (std::vector{BodyId{8}, BodyId{9}}));
}

TEST(WorldQueries, NothingIsFoundWhereNothingHasAShape) {
  World world(built_in_scene("free:10").value());
  WorldQueries queries(world);
  SerialExecutor serial;
  queries.update(world, serial);
  std::vector<WorldHit> hits;
  queries.cast_ray(world, {0, 100, 0}, {0, -200, 0}, {}, 5, hits);
  EXPECT_TRUE(hits.empty());
}

}  // namespace
}  // namespace orrery
