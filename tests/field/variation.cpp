// Makes variations of a scene.
#include "tests/field/variation.h"

#include <algorithm>
#include <cmath>

namespace orrery::field {
namespace {

Vec3 mirrored(const Vec3& v) { return {-v.x, v.y, v.z}; }
// The mirror image of an angular velocity or of an axis of turning.
Vec3 mirrored_axis(const Vec3& v) { return {v.x, -v.y, -v.z}; }
Quat mirrored(const Quat& q) { return {q.x, -q.y, -q.z, q.w}; }

void mirror_part(physics::PartDef& part) {
  part.pose = {mirrored(part.pose.position), mirrored(part.pose.orientation)};
  for (Vec3& point : part.points) point = mirrored(point);
  for (physics::Triangle& triangle : part.triangles) std::swap(triangle[1], triangle[2]);
  if (part.kind != physics::ShapeKind::height_field) return;
  // A height field reaches along x from its place, so its last column comes first.
  const Vec3 back{-part.spacing * (part.columns - 1), 0, 0};
  part.pose.position += rotate(part.pose.orientation, back);
  for (auto row = part.heights.begin(); row != part.heights.end(); row += part.columns) {
    std::reverse(row, row + part.columns);
  }
}

void mirror(Scene& scene) {
  scene.gravity = mirrored(scene.gravity);
  for (physics::ShapeDef& shape : scene.shapes) {
    for (physics::PartDef& part : shape.parts) mirror_part(part);
  }
  for (BodyDef& body : scene.bodies) {
    body.position = mirrored(body.position);
    body.velocity = mirrored(body.velocity);
    body.orientation = mirrored(body.orientation);
    body.angular_velocity = mirrored_axis(body.angular_velocity);
  }
  for (SpringDef& spring : scene.springs) {
    spring.at_a = mirrored(spring.at_a);
    spring.at_b = mirrored(spring.at_b);
  }
  for (JointDef& joint : scene.joints) {
    joint.at_a = mirrored(joint.at_a);
    joint.at_b = mirrored(joint.at_b);
    const bool turns = joint.kind == physics::JointKind::hinge;
    joint.axis = turns ? mirrored_axis(joint.axis) : mirrored(joint.axis);
  }
}

void rotate_all(Scene& scene, const Quat& q) {
  scene.gravity = rotate(q, scene.gravity);
  for (BodyDef& body : scene.bodies) {
    body.position = rotate(q, body.position);
    body.velocity = rotate(q, body.velocity);
    body.orientation = q * body.orientation;
    body.angular_velocity = rotate(q, body.angular_velocity);
  }
}

void scale_part(physics::PartDef& part, double s, double density) {
  part.pose.position = s * part.pose.position;
  part.half_extents = s * part.half_extents;
  part.radius *= s;
  part.half_length *= s;
  part.density *= density;
  part.material.rolling_resistance *= s;
  part.spacing *= s;
  for (Vec3& point : part.points) point = s * point;
  for (double& height : part.heights) height *= s;
}

void scale_joint(JointDef& joint, double s, double t, double mass) {
  joint.at_a = s * joint.at_a;
  joint.at_b = s * joint.at_b;
  const bool turns = physics::traits_of(joint.kind).is_angle;
  const double coordinate = turns ? 1 : s;
  joint.lower *= coordinate;
  joint.upper *= coordinate;
  joint.rest *= coordinate;
  joint.frequency /= t;
  joint.motor_speed *= coordinate / t;
  joint.motor_max *= mass * s / (t * t) * (turns ? s : 1);
}

void scale(Scene& scene, double s, double t, double mass) {
  scene.gravity = s / (t * t) * scene.gravity;
  for (physics::ShapeDef& shape : scene.shapes) {
    for (physics::PartDef& part : shape.parts) scale_part(part, s, mass / (s * s * s));
  }
  for (BodyDef& body : scene.bodies) {
    body.position = s * body.position;
    body.half_extents = s * body.half_extents;
    body.velocity = s / t * body.velocity;
    body.angular_velocity = 1 / t * body.angular_velocity;
    body.mass *= mass;
    body.inertia = mass * s * s * body.inertia;
  }
  for (SpringDef& spring : scene.springs) {
    spring.at_a = s * spring.at_a;
    spring.at_b = s * spring.at_b;
    spring.rest_length *= s;
    spring.stiffness *= mass / (t * t);
    spring.damping *= mass / t;
  }
  for (JointDef& joint : scene.joints) scale_joint(joint, s, t, mass);
}

void drift(Scene& scene, const Vec3& velocity) {
  for (BodyDef& body : scene.bodies) {
    if (body.kind == BodyKind::anchor) body.kind = BodyKind::kinematic;
    body.velocity += velocity;
  }
}

void reverse(Scene& scene) {
  std::reverse(scene.bodies.begin(), scene.bodies.end());
  const auto last = static_cast<std::uint32_t>(scene.bodies.size()) - 1;
  for (SpringDef& spring : scene.springs) {
    spring.a = last - spring.a;
    spring.b = last - spring.b;
  }
  for (JointDef& joint : scene.joints) {
    joint.a = last - joint.a;
    joint.b = last - joint.b;
  }
}

}  // namespace

double Variation::time() const { return units ? 1 : std::sqrt(length); }

double Variation::mass() const { return units ? 1 : std::max(length * length * length, 1e-6); }

double Variation::tick_time() const { return (ticks_follow ? time() : 1) / rate; }

Scene vary(const Scene& scene, const Variation& v) {
  Scene varied = scene;
  scale(varied, v.length, v.time(), v.mass());
  if (v.mirrored) mirror(varied);
  rotate_all(varied, v.turned);
  if (!(v.drift == Vec3{})) drift(varied, v.length / v.time() * v.drift);
  if (v.reversed) reverse(varied);
  varied.tick_rate = v.rate;
  if (v.tick_time() != 1.0 / v.rate) {
    varied.tick_time_denominator = 1'000'000'000'000;
    varied.tick_time_numerator = static_cast<std::uint64_t>(std::llround(v.tick_time() * 1e12));
  }
  return varied;
}

BodyMotion undo(const BodyMotion& motion, const Variation& v, double seconds) {
  const double speed = v.time() / v.length;
  BodyMotion m = motion;
  m.velocity = speed * m.velocity;
  m.pose.position = 1 / v.length * m.pose.position;
  m.velocity += -v.drift;
  m.pose.position += -seconds / v.time() * v.drift;
  m.angular_velocity = v.time() * m.angular_velocity;
  m.pose = {rotate_back(v.turned, m.pose.position), conjugate(v.turned) * m.pose.orientation};
  m.velocity = rotate_back(v.turned, m.velocity);
  m.angular_velocity = rotate_back(v.turned, m.angular_velocity);
  if (!v.mirrored) return m;
  return {{mirrored(m.pose.position), mirrored(m.pose.orientation)},
          mirrored(m.velocity),
          mirrored_axis(m.angular_velocity)};
}

}  // namespace orrery::field
