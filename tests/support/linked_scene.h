// Builds a small scene with joints, sleeping bodies and contacts, for tests of images.
#pragma once

#include "common/world/scenes/scene_parts.h"

namespace orrery::test {

// Adds a joint of this kind between two bodies, half way between them.
inline void link(Scene& scene, physics::JointKind kind, std::uint32_t a, std::uint32_t b) {
  JointDef joint;
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  joint.at_a = 0.5 * (scene.bodies[b].position - scene.bodies[a].position);
  joint.at_b = -joint.at_a;
  joint.axis = {0, 0, 1};
  const physics::JointTraits& traits = physics::traits_of(kind);
  if (traits.moves) {
    joint.limited = true;
    joint.lower = traits.least < 0 ? -1 : 0;
    joint.upper = 1.5;
    joint.frequency = 2;
    joint.rest = 0.5;
    joint.motor_max = 5;
    joint.motor_speed = 0.5;
  }
  scene.joints.push_back(joint);
}

// Returns a scene with a joint of every kind, a stack that falls asleep, overlapping bodies, a
// rolling ball and a sensor.
inline Scene linked_scene() {
  Scene scene;
  scene.name = "linked";
  use_contacts(scene);
  scene.sleeping = true;
  scene.spare_bodies = 4;
  add_block(scene, {20, 0.5, 20}, {0, -0.5, 0});
  const std::uint32_t crate = add_box_shape(scene, {0.25, 0.25, 0.25});
  for (int i = 0; i < 4; ++i) {  // a stack
    scene.bodies.push_back(shaped_body(scene, crate, {-3, 0.25 + 0.5 * i, 0}));
  }
  for (int i = 0; i < 3; ++i) {  // these overlap
    scene.bodies.push_back(shaped_body(scene, crate, {3, 0.3 + 0.1 * i, 0.01 * i}));
  }
  const std::uint32_t bar = add_capsule_shape(scene, 0.1, 0.2);
  const auto first = static_cast<std::uint32_t>(scene.bodies.size());
  for (std::uint32_t i = 0; i <= physics::kJointKinds; ++i) {
    scene.bodies.push_back(shaped_body(scene, bar, {0.8 * i - 2, 2, -3}));
    if (i > 0) link(scene, static_cast<physics::JointKind>(i - 1), first + i - 1, first + i);
  }
  physics::PartDef ball;
  ball.kind = physics::ShapeKind::sphere;
  ball.radius = 0.3;
  ball.material.rolling_resistance = 0.01;
  ball.material.restitution = 0.5;
  scene.bodies.push_back(shaped_body(scene, add_shape(scene, ball), {0, 1, 3}));
  scene.bodies.back().velocity = {1, 0, 0};
  physics::PartDef gate;
  gate.kind = physics::ShapeKind::box;
  gate.filter.sensor = true;
  BodyDef sensor = shaped_body(scene, add_shape(scene, gate), {-3, 0.5, 0});
  sensor.kind = BodyKind::anchor;
  scene.bodies.push_back(sensor);
  scene.names.clear();
  return scene;
}

}  // namespace orrery::test
