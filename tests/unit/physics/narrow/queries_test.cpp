// Tests the queries against exact formulas and against brute force.
#include "common/physics/narrow/queries.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using test::CollidingBodies;
using test::draw;

constexpr std::uint32_t kAll = 1u << 20;

// A group of bodies with an index of their current positions.
struct Asked {
  explicit Asked(CollidingBodies bodies)
      : group(std::move(bodies)), index(group.bodies.capacity()) {
    SerialExecutor executor;
    index.update(group.shaped(), {}, executor);
  }
  physics::QueryInput input() const { return {index, group.shaped()}; }

  CollidingBodies group;
  physics::BodyIndex index;
};

Asked random_asked(double world, std::uint64_t seed) {
  CollidingBodies group = test::random_colliding_bodies(700, world, seed);
  group.add(group.plane, {0, -0.8 * world, 0}, false);
  return Asked(std::move(group));
}

bool counts(const CollidingBodies& group, std::uint32_t slot) {
  return group.bodies.alive(slot) && group.shape_of[slot] != physics::kNoShape;
}

std::vector<std::uint32_t> overlaps_of_all(const CollidingBodies& group, const physics::Part& part,
                                           const Pose& pose) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
    if (!counts(group, slot)) continue;
    const std::span<const physics::Part> parts = group.shapes.parts(group.shape_of[slot]);
    physics::Manifold manifold;
    if (std::any_of(parts.begin(), parts.end(), [&](const physics::Part& other) {
          return physics::collide(group.shapes, part, pose, other, group.pose(slot), 0, manifold);
        })) {
      slots.push_back(slot);
    }
  }
  return slots;
}

TEST(Queries, FindTheOverlapsThatAskingAllFinds) {
  SplitMix64 random(41);
  const Asked asked = random_asked(6, 40);
  std::size_t found = 0;
  for (int i = 0; i < 200; ++i) {
    const double size = 0.1 + 3 * std::abs(random.symmetric());
    const physics::Part part =
        i % 2 == 0 ? physics::ball_part(size) : physics::box_part({size, size / 2, size / 3});
    Pose pose;
    pose.position = draw(random, 7);
    pose.orientation = test::draw_orientation(random);
    std::vector<std::uint32_t> slots;
    physics::find_overlaps(asked.input(), part, pose, {}, kAll, slots);
    EXPECT_EQ(slots, overlaps_of_all(asked.group, part, pose));
    found += slots.size();
  }
  EXPECT_GT(found, 1000u);
}

TEST(Queries, FindTheBallsWithinADistance) {
  CollidingBodies balls(500);
  SplitMix64 random(42);
  for (int i = 0; i < 500; ++i) balls.add(balls.ball, draw(random, 5), i % 2 == 0);
  const Asked asked(std::move(balls));
  for (int i = 0; i < 50; ++i) {
    const Vec3 at = draw(random, 5);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t slot = 0; slot < 500; ++slot) {
      const double apart = length(asked.group.bodies.position(slot) - at);
      if (apart <= 1.5 + test::kBallRadius) expected.push_back(slot);
    }
    std::vector<std::uint32_t> slots;
    physics::find_overlaps(asked.input(), physics::ball_part(1.5), {at, {}}, {}, kAll, slots);
    EXPECT_EQ(slots, expected);
  }
}

TEST(Queries, KeepTheLowestSlots) {
  const Asked asked = random_asked(2, 43);
  std::vector<std::uint32_t> all;
  std::vector<std::uint32_t> few;
  physics::find_overlaps(asked.input(), physics::ball_part(3), {}, {}, kAll, all);
  physics::find_overlaps(asked.input(), physics::ball_part(3), {}, {}, 10, few);
  ASSERT_GT(all.size(), 100u);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin(), all.begin() + 10));
}

TEST(Queries, LeaveOutWhatTheFilterSays) {
  CollidingBodies group(8);
  physics::PartDef sensor = test::part_definition(physics::ShapeKind::sphere);
  sensor.filter.sensor = true;
  physics::PartDef ghost = test::part_definition(physics::ShapeKind::sphere);
  ghost.filter.category = 2;
  const std::uint32_t seen = group.add(group.ball, {0, 0, 0}, true);
  const std::uint32_t self = group.add(group.ball, {0.1, 0, 0}, true);
  const std::uint32_t sensing = group.add(group.shapes.add({{sensor}}).value(), {0, 0.1, 0}, false);
  const std::uint32_t other = group.add(group.shapes.add({{ghost}}).value(), {0, 0, 0.1}, true);
  const Asked asked(std::move(group));
  const auto found = [&](const physics::QueryFilter& filter) {
    std::vector<std::uint32_t> slots;
    physics::find_overlaps(asked.input(), physics::ball_part(0.5), {}, filter, kAll, slots);
    return slots;
  };
  using Slots = std::vector<std::uint32_t>;
  EXPECT_EQ(found({}), (Slots{seen, self, other}));
  EXPECT_EQ(found({.filter = {}, .sensors = true, .except = self}), (Slots{seen, sensing, other}));
  EXPECT_EQ(found({.filter = {.mask = 1}}), (Slots{seen, self}));
}

// Returns the hits by brute force over every part of every body.
template <class Cast>
std::vector<physics::CastHit> hits_of_all(const CollidingBodies& group, const Cast& cast) {
  std::vector<physics::CastHit> hits;
  for (std::uint32_t slot = 0; slot < group.bodies.slots(); ++slot) {
    if (!counts(group, slot)) continue;
    const std::span<const physics::Part> parts = group.shapes.parts(group.shape_of[slot]);
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
      const auto hit = cast(parts[i], group.pose(slot));
      if (hit) hits.push_back({hit->fraction, slot, i, hit->normal});
    }
  }
  std::sort(hits.begin(), hits.end(), [](const physics::CastHit& a, const physics::CastHit& b) {
    if (a.fraction != b.fraction) return a.fraction < b.fraction;
    return a.slot != b.slot ? a.slot < b.slot : a.part < b.part;
  });
  return hits;
}

void expect_equal(const std::vector<physics::CastHit>& hits,
                  const std::vector<physics::CastHit>& expected, std::size_t most) {
  ASSERT_EQ(hits.size(), std::min(most, expected.size()));
  for (std::size_t i = 0; i < hits.size(); ++i) {
    EXPECT_EQ(hits[i].fraction, expected[i].fraction);
    EXPECT_EQ(hits[i].slot, expected[i].slot);
    EXPECT_EQ(hits[i].part, expected[i].part);
  }
}

TEST(Queries, CastRaysAsAskingAllDoes) {
  SplitMix64 random(44);
  const Asked asked = random_asked(6, 45);
  std::size_t found = 0;
  for (int i = 0; i < 300; ++i) {
    const Vec3 origin = draw(random, i % 3 == 0 ? 1e4 : 8);
    const Vec3 target = draw(random, 6);
    Vec3 along = 1.5 * (target - origin);
    if (i % 5 == 0) along.y = along.z = 0;
    const std::vector<physics::CastHit> expected =
        hits_of_all(asked.group, [&](const physics::Part& part, const Pose& pose) {
          return physics::cast_ray(asked.group.shapes, part, pose, origin, along);
        });
    for (const std::uint32_t most : {1u, 3u, kAll}) {
      std::vector<physics::CastHit> hits;
      physics::cast_ray(asked.input(), origin, along, {}, most, hits);
      expect_equal(hits, expected, most);
    }
    found += expected.size();
  }
  EXPECT_GT(found, 500u);
}

TEST(Queries, CastARayAtABallWhereTheFormulaSays) {
  CollidingBodies group(4);
  group.add(group.ball, {10, 0.1, 0}, true);
  const Asked asked(std::move(group));
  std::vector<physics::CastHit> hits;
  physics::cast_ray(asked.input(), {0, 0, 0}, {20, 0, 0}, {}, 1, hits);
  ASSERT_EQ(hits.size(), 1u);
  const double depth = std::sqrt(test::kBallRadius * test::kBallRadius - 0.01);
  EXPECT_NEAR(hits[0].fraction, (10 - depth) / 20, 1e-12);
  EXPECT_NEAR(hits[0].normal.x, -depth / test::kBallRadius, 1e-12);
}

TEST(Queries, CastShapesAsAskingAllDoes) {
  SplitMix64 random(46);
  const Asked asked = random_asked(6, 47);
  std::size_t found = 0;
  for (int i = 0; i < 60; ++i) {
    const physics::Part part =
        i % 2 == 0 ? physics::ball_part(0.3) : physics::box_part({0.4, 0.2, 0.3});
    physics::Motion way;
    way.from.position = draw(random, 8);
    way.to.position = draw(random, 8);
    way.from.orientation = way.to.orientation = test::draw_orientation(random);
    if (i % 3 == 0) {
      way.to.orientation = normalized(way.from.orientation * Quat{0.1, 0.2, 0.3, 1});
    }
    const std::vector<physics::CastHit> expected =
        hits_of_all(asked.group, [&](const physics::Part& other, const Pose& pose) {
          return physics::time_of_impact(asked.group.shapes, part, way, other, {pose, pose},
                                         physics::kCastShare * part.inner_radius);
        });
    for (const std::uint32_t most : {1u, kAll}) {
      std::vector<physics::CastHit> hits;
      physics::cast_shape(asked.input(), part, way, {}, most, hits);
      expect_equal(hits, expected, most);
    }
    found += expected.size();
  }
  EXPECT_GT(found, 300u);
}

TEST(Queries, AskSurfacesTriangleByTriangle) {
  CollidingBodies group(8);
  physics::PartDef field = test::part_definition(physics::ShapeKind::height_field);
  field.columns = 3;
  field.heights = {0, 0, 0, 0, 0, 0, 0, 0, 5};  // flat except for one corner
  const std::uint32_t ground = group.add(group.shapes.add({{field}}).value(), {0, 0, 0}, false);
  const Asked asked(std::move(group));
  std::vector<std::uint32_t> slots;
  physics::find_overlaps(asked.input(), physics::ball_part(0.5), {{0.5, 0.4, 0.5}, {}}, {}, kAll,
                         slots);
  EXPECT_EQ(slots, std::vector<std::uint32_t>{ground});
  physics::find_overlaps(asked.input(), physics::ball_part(0.5), {{0.5, 2, 0.5}, {}}, {}, kAll,
                         slots);
  // in the ground's bounding box, but above its triangles
  EXPECT_EQ(slots, std::vector<std::uint32_t>{});
  std::vector<physics::CastHit> hits;
  physics::cast_ray(asked.input(), {0.5, 4, 0.25}, {0, -8, 0}, {}, 1, hits);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_NEAR(hits[0].fraction, 0.5, 1e-12);
  const physics::Motion way{{{0.5, 4, 0.25}, {}}, {{0.5, -4, 0.25}, {}}};
  physics::cast_shape(asked.input(), physics::ball_part(0.5), way, {}, 1, hits);
  ASSERT_EQ(hits.size(), 1u);
  EXPECT_NEAR(hits[0].fraction, 3.5 / 8, physics::kCastShare * 0.5);
}

}  // namespace
}  // namespace orrery
