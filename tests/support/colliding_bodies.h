// Builds groups of bodies with shapes, for tests of collision detection and queries.
#pragma once

#include <vector>

#include "common/core/rng.h"
#include "common/physics/body/shaped_bodies.h"
#include "tests/support/backward_executor.h"

namespace orrery::test {

// Returns a random vector with components in ±scale.
inline Vec3 draw(SplitMix64& random, double scale) {
  Vec3 v;
  v.x = scale * random.symmetric();
  v.y = scale * random.symmetric();
  v.z = scale * random.symmetric();
  return v;
}

// Returns a random unit quaternion.
inline Quat draw_orientation(SplitMix64& random) {
  const Vec3 axis = draw(random, 1);
  return normalized({axis.x, axis.y, axis.z, random.symmetric()});
}

inline constexpr double kBallRadius = 0.4;
inline constexpr Vec3 kBoxHalfExtents{0.5, 0.3, 0.2};

// Returns a part of this kind, with kBoxHalfExtents or kBallRadius as its size.
inline physics::PartDef part_definition(physics::ShapeKind kind) {
  physics::PartDef definition;
  definition.kind = kind;
  definition.half_extents = kBoxHalfExtents;
  definition.radius = kBallRadius;
  return definition;
}

// Bodies, and the shapes that they can have: a ball, a box, a dumbbell and a plane.
struct CollidingBodies {
  explicit CollidingBodies(std::uint32_t capacity)
      : bodies(capacity), shape_of(bodies.capacity(), physics::kNoShape) {
    ball = shapes.add({{part_definition(physics::ShapeKind::sphere)}}).value();
    box = shapes.add({{part_definition(physics::ShapeKind::box)}}).value();
    physics::PartDef aside = part_definition(physics::ShapeKind::sphere);
    aside.pose.position = {1, 0, 0};
    dumbbell = shapes.add({{part_definition(physics::ShapeKind::sphere), aside}}).value();
    plane = shapes.add({{part_definition(physics::ShapeKind::plane)}}).value();
  }

  // Adds a body and returns its slot. A body that does not move has infinite mass.
  std::uint32_t add(std::uint32_t shape, const Vec3& position, bool moves) {
    const std::uint32_t slot = bodies.lowest_free_slot();
    bodies.occupy(slot);
    bodies.set_position(slot, position);
    bodies.set(physics::BodyField::inverse_mass, slot, moves ? 1 : 0);
    shape_of[slot] = shape;
    return slot;
  }

  // Removes the body from a slot. The slot then has no shape.
  void remove(std::uint32_t slot) {
    bodies.vacate(slot);
    shape_of[slot] = physics::kNoShape;
  }

  // Returns the view of the bodies with their shapes.
  physics::ShapedBodies shaped() const { return {bodies, shapes, shape_of}; }

  Pose pose(std::uint32_t slot) const { return {bodies.position(slot), bodies.orientation(slot)}; }

  physics::Bodies bodies;
  physics::ShapeSet shapes;
  std::vector<std::uint32_t> shape_of;
  std::uint32_t ball = 0;
  std::uint32_t box = 0;
  std::uint32_t dumbbell = 0;  // two balls
  std::uint32_t plane = 0;
};

// Returns `count` bodies at random places within ±world metres. A body is a ball, a box, a dumbbell
// or has no shape. About a third are fixed. Every eleventh slot is empty.
inline CollidingBodies random_colliding_bodies(std::uint32_t count, double world,
                                               std::uint64_t seed) {
  SplitMix64 random(seed);
  CollidingBodies group(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t shapes[] = {group.ball, group.box, group.dumbbell, physics::kNoShape};
    const std::uint32_t shape = shapes[random.below(4)];
    const Vec3 position = draw(random, world);
    const std::uint32_t slot = group.add(shape, position, random.below(3) != 0);
    group.bodies.set_orientation(slot, draw_orientation(random));
  }
  for (std::uint32_t slot = 5; slot < count; slot += 11) group.remove(slot);
  return group;
}

}  // namespace orrery::test
