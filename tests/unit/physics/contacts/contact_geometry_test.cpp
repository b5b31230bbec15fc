// Tests the kinds of contacts, and that new geometry keeps the impulses of points that remain.
#include "common/physics/contacts/contact_geometry.h"

#include <gtest/gtest.h>

#include "tests/support/colliding_bodies.h"

namespace orrery {
namespace {

using physics::ContactKey;
using physics::ContactKind;

// Adds a body with equal inertia about every axis.
std::uint32_t add(test::CollidingBodies& group, std::uint32_t shape, bool moves = true) {
  const std::uint32_t slot = group.add(shape, {}, moves);
  if (moves) group.bodies.set(physics::BodyField::inverse_inertia_x, slot, Vec3{2, 2, 2});
  return slot;
}

physics::ContactSides sides_of(const test::CollidingBodies& group, std::uint32_t a,
                               std::uint32_t b) {
  return physics::contact_sides(physics::contact_key(a, b, 0, 0, 0), group.shaped());
}

TEST(ContactGeometry, SelectsTheKindByShapesAndInertia) {
  test::CollidingBodies group(64);
  const std::uint32_t ball = add(group, group.ball), other = add(group, group.ball);
  const std::uint32_t box = add(group, group.box), floor = add(group, group.box, false);
  const std::uint32_t dumbbell = add(group, group.dumbbell);
  physics::PartDef gate = test::part_definition(physics::ShapeKind::box);
  gate.filter.sensor = true;
  const std::uint32_t sensor = add(group, group.shapes.add({{gate}}).value(), false);
  const auto kind = [&](std::uint32_t a, std::uint32_t b) {
    return physics::kind_of(sides_of(group, a, b));
  };
  EXPECT_EQ(kind(ball, other), ContactKind::round);
  EXPECT_EQ(kind(ball, floor), ContactKind::round);
  EXPECT_EQ(kind(ball, box), ContactKind::general);
  EXPECT_EQ(kind(ball, dumbbell), ContactKind::general);
  EXPECT_EQ(kind(ball, sensor), ContactKind::sensor);
  EXPECT_TRUE(physics::both_balls(sides_of(group, ball, other)));
  EXPECT_FALSE(physics::needs_narrow_phase(sides_of(group, ball, other)));
  EXPECT_TRUE(physics::needs_narrow_phase(sides_of(group, ball, floor)));
  EXPECT_FALSE(physics::needs_narrow_phase(sides_of(group, ball, box)));
  EXPECT_TRUE(physics::needs_narrow_phase(sides_of(group, ball, sensor)));
  // With unequal inertia, the effect of friction depends on the orientation of the ball.
  group.bodies.set(physics::BodyField::inverse_inertia_x, other, Vec3{2, 3, 2});
  EXPECT_EQ(kind(ball, other), ContactKind::general);
}

// The lane of a contact between two boxes at random poses.
class OneLane {
 public:
  explicit OneLane(SplitMix64& random) : group_(64), lanes_(64) {
    const std::uint32_t a = add(group_, group_.box), b = add(group_, group_.box);
    for (const std::uint32_t slot : {a, b}) {
      group_.bodies.set_position(slot, test::draw(random, 1));
      group_.bodies.set_orientation(slot, test::draw_orientation(random));
    }
    id_ = lanes_.insert(ContactKind::general, 0, physics::contact_key(a, b, 0, 0, 0));
    physics::set_constants(lanes_, id_, sides());
  }
  physics::ContactSides sides() const { return sides_of(group_, 0, 1); }
  void set(const physics::Manifold& manifold) {
    physics::set_geometry(lanes_, id_, sides(), manifold, group_.bodies);
  }
  physics::ManifoldBlock& block() { return lanes_.colour(0).general.blocks[0]; }
  physics::ManifoldColdBlock& extra() { return lanes_.colour(0).general.extras[0]; }
  const test::CollidingBodies& group() const { return group_; }

 private:
  test::CollidingBodies group_;
  physics::ContactLanes lanes_;
  std::uint32_t id_ = 0;
};

TEST(ContactGeometry, KeepsTheImpulsesOfPointsWithTheSameFeature) {
  SplitMix64 random(0x6E0);
  OneLane lane(random);
  physics::Manifold manifold;
  manifold.normal = {0, 1, 0};
  manifold.count = 3;
  for (std::uint32_t i = 0; i < 3; ++i) manifold.points[i] = {{}, -0.01, 10 + i};
  lane.set(manifold);
  EXPECT_EQ(lane.block().footer.points, 3);
  for (std::uint32_t i = 0; i < 3; ++i) lane.block().points[i].impulse[0] = 100 + i;
  manifold.points[0].feature = 12;  // was the third point
  manifold.points[1].feature = 99;  // is new
  manifold.count = 2;
  lane.set(manifold);
  EXPECT_EQ(lane.block().footer.points, 2);
  EXPECT_EQ(lane.block().points[0].impulse[0], 102);
  EXPECT_EQ(lane.block().points[1].impulse[0], 100);  // the nearest of those that are left
  EXPECT_EQ(lane.block().points[2].impulse[0], 0);
}

// Friction keeps the share of the impulses that is kept. Images may hold any finite impulses.
TEST(ContactGeometry, FrictionOfPointsThatAreGoneEnds) {
  SplitMix64 random(0x6E3);
  struct LostPoint {
    double kept, lost, share;
  };
  for (const LostPoint& each : {LostPoint{3, 1, 0.75}, LostPoint{0, 1, 0}, LostPoint{1, 1e-17, 1},
                                LostPoint{1, 0, 1}, LostPoint{1.7e308, 1.7e308, 0}}) {
    OneLane lane(random);
    physics::Manifold manifold;
    manifold.normal = {0, 1, 0};
    manifold.count = 2;
    for (std::uint32_t i = 0; i < 2; ++i) manifold.points[i] = {{}, -0.01, 10 + i};
    lane.set(manifold);
    lane.block().points[0].impulse[0] = each.kept;
    lane.block().points[1].impulse[0] = each.lost;
    lane.block().twist_impulse[0] = 8;
    manifold.count = 1;
    lane.set(manifold);
    EXPECT_EQ(lane.block().points[0].impulse[0], each.kept);
    EXPECT_EQ(lane.block().twist_impulse[0], 8 * each.share) << each.kept << " " << each.lost;
  }
}

// On coinciding faces the features change from tick to tick. The impulses stay where they were.
TEST(ContactGeometry, PassesImpulsesToTheNearestNewPoints) {
  SplitMix64 random(0x6E2);
  OneLane lane(random);
  physics::Manifold manifold;
  manifold.normal = {0, 1, 0};
  manifold.count = 4;
  const auto corner = [](std::uint32_t i) {
    return Vec3{i & 1 ? 1.0 : -1.0, 0, i & 2 ? 1.0 : -1.0};
  };
  for (std::uint32_t i = 0; i < 4; ++i) manifold.points[i] = {corner(i), -0.01, 10 + i};
  lane.set(manifold);
  for (std::uint32_t i = 0; i < 4; ++i) lane.block().points[i].impulse[0] = 100 + i;
  for (std::uint32_t i = 0; i < 4; ++i) manifold.points[i] = {corner(3 - i), -0.01, 20 + i};
  lane.set(manifold);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(lane.block().points[i].impulse[0], 103 - i) << i;
  }
}

// The surface of a kinematic body may rotate below a ball, so the contact is not round.
TEST(ContactGeometry, AKinematicBodyHasGeneralContacts) {
  test::CollidingBodies group(64);
  const std::uint32_t ball = add(group, group.ball), blade = add(group, group.box, false);
  EXPECT_EQ(physics::kind_of(sides_of(group, ball, blade)), ContactKind::round);
  group.bodies.set(physics::BodyField::inverse_inertia_x, blade, Vec3{1, 1, 1});
  EXPECT_EQ(physics::kind_of(sides_of(group, ball, blade)), ContactKind::general);
}

// A contact stores each point in the axes of both bodies. Both give the place in the world that the
// narrow phase found.
TEST(ContactGeometry, StoresPointsInTheAxesOfBothBodies) {
  SplitMix64 random(0x6E1);
  for (int i = 0; i < 50; ++i) {
    OneLane lane(random);
    physics::Manifold manifold;
    const Vec3 axis = test::draw(random, 1);
    manifold.normal = (1 / length(axis)) * axis;
    manifold.count = 1;
    manifold.points[0] = {test::draw(random, 2), -0.01, 1};
    lane.set(manifold);
    const auto at = [](const physics::Lanes3& v) { return Vec3{v.x[0], v.y[0], v.z[0]}; };
    const Pose a = lane.group().pose(0), b = lane.group().pose(1);
    const Vec3 place = a.position + manifold.points[0].at;
    EXPECT_NEAR(length(transform(a, at(lane.extra().at_a[0])) - place), 0, 1e-14);
    EXPECT_NEAR(length(transform(b, at(lane.extra().at_b[0])) - place), 0, 1e-14);
    EXPECT_NEAR(length(rotate(a.orientation, at(lane.extra().normal_a)) - manifold.normal), 0,
                1e-14);
  }
}

}  // namespace
}  // namespace orrery
