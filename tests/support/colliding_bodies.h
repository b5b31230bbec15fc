// Owns a group of bodies with shapes, for tests of what finds and asks about them.
#pragma once

#include <vector>

#include "common/core/rng.h"
#include "common/physics/body/bodies.h"
#include "common/physics/shape/shape.h"
#include "tests/support/backward_executor.h"

namespace orrery::test {

inline Vec3 draw(SplitMix64& random, double scale) {
  Vec3 v;
  v.x = scale * random.symmetric();
  v.y = scale * random.symmetric();
  v.z = scale * random.symmetric();
  return v;
}

inline Quat draw_orientation(SplitMix64& random) {
  const Vec3 axis = draw(random, 1);
  return normalized({axis.x, axis.y, axis.z, random.symmetric()});
}

inline constexpr double kBallRadius = 0.4;
inline constexpr Vec3 kBoxHalfExtents{0.5, 0.3, 0.2};

inline physics::PartDef part_definition(physics::ShapeKind kind) {
  physics::PartDef definition;
  definition.kind = kind;
  definition.half_extents = kBoxHalfExtents;
  definition.radius = kBallRadius;
  return definition;
}

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

  std::uint32_t add(std::uint32_t shape, const Vec3& position, bool moves) {
    const std::uint32_t slot = bodies.lowest_free_slot();
    bodies.occupy(slot);
    bodies.set_position(slot, position);
    bodies.set(physics::BodyField::inverse_mass, slot, moves ? 1 : 0);
    shape_of[slot] = shape;
    return slot;
  }

  void remove(std::uint32_t slot) {
    bodies.vacate(slot);
    shape_of[slot] = physics::kNoShape;
  }

  Pose pose(std::uint32_t slot) const { return {bodies.position(slot), bodies.orientation(slot)}; }

  physics::Bodies bodies;
  physics::ShapeSet shapes;
  std::vector<std::uint32_t> shape_of;
  std::uint32_t ball = 0;
  std::uint32_t box = 0;
  std::uint32_t dumbbell = 0;  // two balls
  std::uint32_t plane = 0;
};

// Bodies of all these shapes but planes, and some without; every third is fixed, some slots are
// empty.
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
