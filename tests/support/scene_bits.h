// Encodes the contents of a scene as bytes, so that tests can compare two scenes exactly.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/core/bytes.h"
#include "common/world/scenes/scene.h"

namespace orrery::test {

// A sequence of numbers and texts as bytes. Numbers keep their bits, so that -0 and 0 differ.
struct SceneBits {
  std::vector<std::uint8_t> bytes;
  ByteWriter out{bytes};

  void add(double value) { out.f64(value); }
  void add(std::uint64_t value) { out.u64(value); }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }
  void add(const Quat& q) { add(q.x), add(q.y), add(q.z), add(q.w); }
  void add(const physics::PartDef& p) {
    add(static_cast<std::uint64_t>(p.kind)), add(p.pose.position), add(p.pose.orientation);
    add(p.half_extents), add(p.radius), add(p.half_length), add(p.density);
    add(p.material.friction), add(p.material.restitution), add(p.material.rolling_resistance);
    add(std::uint64_t{p.filter.category}), add(std::uint64_t{p.filter.mask});
    add(static_cast<std::uint64_t>(p.filter.group)), add(std::uint64_t{p.filter.sensor});
    add(std::uint64_t{p.points.size()});
    for (const Vec3& v : p.points) add(v);
    add(std::uint64_t{p.triangles.size()});
    for (const auto& t : p.triangles) {
      for (const std::uint32_t corner : t) add(std::uint64_t{corner});
    }
    add(std::uint64_t{p.heights.size()});
    for (const double y : p.heights) add(y);
    add(std::uint64_t{p.columns}), add(p.spacing);
  }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    for (const char c : text) out.u8(static_cast<std::uint8_t>(c));
  }
};

// Returns the numbers and texts of a scene, except its rotation method.
inline std::vector<std::uint8_t> bits_of(const Scene& s) {
  SceneBits bits;
  bits.add(s.name), bits.add(s.about), bits.add(std::uint64_t{s.tick_rate});
  bits.add(s.tick_time_numerator), bits.add(s.tick_time_denominator);
  bits.add(std::uint64_t{s.substeps}), bits.add(static_cast<std::uint64_t>(s.integrator));
  bits.add(s.gravity), bits.add(s.gravitational_constant), bits.add(s.softening);
  bits.add(s.grab_frequency), bits.add(s.grab_acceleration_max), bits.add(s.interest_radius);
  bits.add(s.snapshot_position_step), bits.add(std::uint64_t{s.snapshot_orientation_bits});
  bits.add(s.command_limits.acceleration_max), bits.add(s.command_limits.angular_acceleration_max);
  bits.add(s.command_limits.speed_max), bits.add(s.command_limits.spin_max);
  bits.add(static_cast<std::uint64_t>(s.command_excess));
  bits.add(std::uint64_t{s.spare_bodies}), bits.add(std::uint64_t{s.bodies.size()});
  bits.add(std::uint64_t{s.spawned_bodies_max}), bits.add(s.absence_max);
  bits.add(std::uint64_t{s.commands_per_tick});
  for (const BodyDef& b : s.bodies) {
    bits.add(static_cast<std::uint64_t>(b.kind)), bits.add(static_cast<std::uint64_t>(b.control));
    bits.add(std::uint64_t{b.owner}), bits.add(b.mass), bits.add(b.inertia), bits.add(b.position);
    bits.add(b.velocity), bits.add(b.orientation), bits.add(b.angular_velocity);
    bits.add(b.gravity_scale), bits.add(b.linear_drag), bits.add(b.quadratic_drag);
    bits.add(b.half_extents), bits.add(std::uint64_t{b.shape}), bits.add(std::uint64_t{b.color});
  }
  bits.add(std::uint64_t{s.shapes.size()});
  for (const physics::ShapeDef& shape : s.shapes) {
    bits.add(std::uint64_t{shape.parts.size()});
    for (const physics::PartDef& part : shape.parts) bits.add(part);
  }
  bits.add(std::uint64_t{s.names.size()});
  for (const std::string& name : s.names) bits.add(name);
  for (const SpringDef& x : s.springs) {
    bits.add(std::uint64_t{x.a}), bits.add(std::uint64_t{x.b}), bits.add(x.at_a), bits.add(x.at_b);
    bits.add(x.stiffness), bits.add(x.damping), bits.add(x.rest_length);
  }
  for (const TetherDef& x : s.tethers) {
    bits.add(std::uint64_t{x.body}), bits.add(x.at), bits.add(x.anchor);
    bits.add(x.stiffness), bits.add(x.damping), bits.add(x.rest_length);
  }
  for (const JointDef& x : s.joints) {
    bits.add(std::uint64_t{static_cast<std::uint8_t>(x.kind)});
    bits.add(std::uint64_t{x.a}), bits.add(std::uint64_t{x.b}), bits.add(x.at_a), bits.add(x.at_b);
    bits.add(x.axis), bits.add(std::uint64_t{x.collides}), bits.add(std::uint64_t{x.limited});
    bits.add(x.lower), bits.add(x.upper), bits.add(x.frequency), bits.add(x.damping_ratio);
    bits.add(x.rest), bits.add(x.motor_max), bits.add(x.motor_speed);
    bits.add(x.break_force), bits.add(x.break_torque);
  }
  bits.add(std::uint64_t{s.sleeping}), bits.add(std::uint64_t{s.sleep_events});
  bits.add(s.bounds_lower), bits.add(s.bounds_upper);
  for (const KeyDef& x : s.keys) {
    bits.add(x.key), bits.add(x.label), bits.add(static_cast<std::uint64_t>(x.command));
    bits.add(x.text), bits.add(x.text_released), bits.add(std::uint64_t{x.body.value_or(~0u)});
    bits.add(x.vector), bits.add(x.joint), bits.add(x.speed), bits.add(x.position);
    bits.add(std::uint64_t{x.position_released.has_value()});
    bits.add(x.position_released.value_or(0)), bits.add(x.frequency), bits.add(x.damping_ratio);
    bits.add(x.max);
  }
  for (const ScriptDef& x : s.scripts) {
    bits.add(std::uint64_t{x.body}), bits.add(x.seed), bits.add(std::uint64_t{x.period});
    bits.add(x.centre), bits.add(x.range), bits.add(x.frequency);
    bits.add(x.acceleration_max), bits.add(x.reach), bits.add(x.pull);
  }
  return bits.bytes;
}

}  // namespace orrery::test
