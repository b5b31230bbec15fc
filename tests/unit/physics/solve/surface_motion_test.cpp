// Tests the motion of bodies on surfaces.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

constexpr std::uint64_t kSeed = 0xB0471;

physics::PartDef flat_field() {
  physics::PartDef part;
  part.kind = physics::ShapeKind::height_field;
  part.columns = 61;
  part.spacing = 0.35;
  part.heights.assign(61 * 61, 0);
  part.pose.position = {-1, 0, -10};
  part.material.friction = 0;
  return part;
}

// Position, velocity and spin of a frictionless body after two seconds on a floor.
struct Arrival {
  Vec3 position;
  Vec3 velocity;
  double spin;
};

Arrival slide(const physics::PartDef& body, const physics::PartDef& floor, const Quat& turn,
              double height) {
  ContactWorld world(8);
  const std::uint32_t floor_shape = world.shapes.add({{floor}}).value();
  const std::uint32_t body_shape = world.shapes.add({{body}}).value();
  world.add_fixed(floor_shape, {});
  const std::uint32_t slot = world.add(body_shape, {0, height, 0}, {3, 0, 1}, {}, turn);
  world.step(120);
  return {world.bodies.position(slot), world.bodies.velocity(slot),
          length(world.bodies.angular_velocity(slot))};
}

TEST(SlidingOnAMesh, IsAsOnAPlane) {
  physics::PartDef plane;
  plane.kind = physics::ShapeKind::plane;
  plane.material.friction = 0;
  physics::PartDef box;
  box.kind = physics::ShapeKind::box;
  box.half_extents = {0.5, 0.3, 0.4};
  box.material.friction = 0;
  physics::PartDef capsule;
  capsule.kind = physics::ShapeKind::capsule;
  capsule.radius = 0.3;
  capsule.half_length = 0.5;
  capsule.material.friction = 0;
  physics::PartDef ball = capsule;
  ball.kind = physics::ShapeKind::sphere;
  const Quat turned = normalized({0, 0.3, 0, 1});
  const Quat lying = normalized(Quat{0, 0.2, 0, 1} * normalized({0, 0, 1, 1}));
  for (const auto& [body, turn] : {std::pair{box, turned}, {capsule, lying}, {ball, turned}}) {
    SCOPED_TRACE(static_cast<int>(body.kind));
    const Arrival on_plane = slide(body, plane, turn, 0.3);
    const Arrival on_mesh = slide(body, flat_field(), turn, 0.3);
    EXPECT_NEAR(on_plane.position.x, 6, 1e-6);
    EXPECT_LT(length(on_mesh.position - on_plane.position), 2e-3);
    EXPECT_LT(length(on_mesh.velocity - on_plane.velocity), 1e-3);
    EXPECT_LT(on_mesh.spin, 1e-3);
  }
}

// Hulls, boxes, capsules and balls that drop into a bowl come to rest there.
TEST(RestingOnAMesh, HoldsAPileInABowl) {
  physics::PartDef bowl;
  bowl.kind = physics::ShapeKind::height_field;
  bowl.columns = 41;
  bowl.spacing = 0.5;
  bowl.pose.position = {-10, 0, -10};
  for (int i = 0; i < 41 * 41; ++i) {
    const double x = 0.5 * (i % 41) - 10, z = 0.5 * (i / 41) - 10;
    bowl.heights.push_back(0.05 * (x * x + z * z));
  }
  physics::PartDef rock;
  rock.kind = physics::ShapeKind::hull;
  SplitMix64 random(kSeed);
  for (int i = 0; i < 12; ++i) {
    const double x = random.symmetric(), y = random.symmetric();
    rock.points.push_back({x, y, random.symmetric()});
  }
  physics::PartDef box, capsule, ball;
  box.kind = physics::ShapeKind::box;
  capsule.kind = physics::ShapeKind::capsule;
  ball.material.rolling_resistance = 0.05;
  capsule.material.rolling_resistance = 0.05;
  ContactWorld world(64);
  const std::uint32_t floor = world.shapes.add({{bowl}}).value();
  std::vector<std::uint32_t> shapes;
  for (const physics::PartDef& part : {rock, box, capsule, ball}) {
    shapes.push_back(world.shapes.add({{part}}).value());
  }
  world.add_fixed(floor, {});
  std::vector<std::uint32_t> slots;
  for (int i = 0; i < 24; ++i) {
    const double x = 1.8 * (i % 5) - 4, z = 1.8 * (i / 5) - 4;
    slots.push_back(world.add(shapes[static_cast<std::size_t>(i) % 4], {x, 4, z}));
  }
  world.step(900);
  for (const std::uint32_t slot : slots) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", body " << slot);
    const Vec3 p = world.bodies.position(slot);
    EXPECT_LT(length(world.bodies.velocity(slot)), 0.2);
    EXPECT_GT(p.y, 0.05 * (p.x * p.x + p.z * p.z) + 0.2);
    EXPECT_LT(p.y, 6);
  }
}

}  // namespace
}  // namespace orrery
