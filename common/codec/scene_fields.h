// Reads and writes single fields of a scene in FlatBuffers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/world/scenes/scene.h"
#include "schema/scene_generated.h"

namespace orrery::codec {

// Return true if all bits are equal. Unlike ==, this distinguishes -0 from 0 and accepts NaN.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Compares all components.
inline bool same_bits(const Vec3& a, const Vec3& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}

// Compares all components.
inline bool same_bits(const Quat& a, const Quat& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z) && same_bits(a.w, b.w);
}

using Builder = flatbuffers::FlatBufferBuilder;

// The type of a number in a table: truth values and enumerators take a byte.
template <class Number>
using StoredAs = std::conditional_t<std::is_same_v<Number, bool> || std::is_enum_v<Number>,
                                    std::uint8_t, Number>;

// A default that equals no number of a valid scene, so that a field with it is always written.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr Vec3 kNotANumber{kNan, kNan, kNan};

// Writes the number unless it has the same bits as its default, `otherwise`. AddElement() compares
// with ==, so with a default of 0 it would also leave out -0, which has other bits. It therefore
// gets NaN as its default. NaN equals nothing, so AddElement() writes every number.
inline void add(Builder& fbb, flatbuffers::voffset_t field, double value, double otherwise) {
  if (same_bits(value, otherwise)) return;
  fbb.AddElement<double>(field, value, kNan);
}

// Writes the vector unless it has the same bits as its default.
inline void add(Builder& fbb, flatbuffers::voffset_t field, const Vec3& v, const Vec3& otherwise) {
  if (same_bits(v, otherwise)) return;
  const wire::Vec3 out(v.x, v.y, v.z);
  fbb.AddStruct(field, &out);
}

// Writes the quaternion unless it has the same bits as its default.
inline void add(Builder& fbb, flatbuffers::voffset_t field, const Quat& q, const Quat& otherwise) {
  if (same_bits(q, otherwise)) return;
  const wire::Quat out(q.x, q.y, q.z, q.w);
  fbb.AddStruct(field, &out);
}

// Writes the whole number, truth value or enumerator unless it equals its default.
template <class Number>
requires(std::is_integral_v<Number> ||
         std::is_enum_v<Number>) void add(Builder& fbb, flatbuffers::voffset_t field, Number value,
                                          Number otherwise) {
  using Stored = StoredAs<Number>;
  fbb.AddElement(field, static_cast<Stored>(value), static_cast<Stored>(otherwise));
}

// Returns the vector, or `otherwise` if the field is absent.
inline Vec3 read(const wire::Vec3* v, const Vec3& otherwise) {
  return v ? Vec3{v->x(), v->y(), v->z()} : otherwise;
}

// Returns the quaternion, or the identity if the field is absent.
inline Quat read(const wire::Quat* q) { return q ? Quat{q->x(), q->y(), q->z(), q->w()} : Quat{}; }

// Reads a vector into `value`, which keeps its value if the field is absent.
inline void get(const flatbuffers::Table& in, flatbuffers::voffset_t field, Vec3& value) {
  value = read(in.GetStruct<const wire::Vec3*>(field), value);
}
// Reads a quaternion.
inline void get(const flatbuffers::Table& in, flatbuffers::voffset_t field, Quat& value) {
  value = read(in.GetStruct<const wire::Quat*>(field));
}
// Reads a number, truth value or enumerator.
template <class Number>
requires(std::is_arithmetic_v<Number> ||
         std::is_enum_v<Number>) void get(const flatbuffers::Table& in,
                                          flatbuffers::voffset_t field, Number& value) {
  using Stored = StoredAs<Number>;
  value = static_cast<Number>(in.GetField<Stored>(field, static_cast<Stored>(value)));
}

// Returns the member of x that a chain of pointers to members names.
auto& member_of(auto& x, auto member, auto... inner) {
  if constexpr (sizeof...(inner) == 0) {
    return x.*member;
  } else {
    return member_of(x.*member, inner...);
  }
}

// Writes each field that it is called with, but leaves out defaults: the values of a new Def.
template <class Def>
struct TableWriter {
  Builder& fbb;
  const Def& def;
  const Def usual{};

  void operator()(flatbuffers::voffset_t field, auto... members) const {
    add(fbb, field, member_of(def, members...), member_of(usual, members...));
  }
};

// Reads each field that it is called with. REQUIRES: the other fields of `def` have their defaults.
template <class Def>
struct TableReader {
  const flatbuffers::Table& in;
  Def& def;

  void operator()(flatbuffers::voffset_t field, auto... members) const {
    get(in, field, member_of(def, members...));
  }
};

// Returns a reader of a table of the schema.
template <class Def>
TableReader<Def> reader_of(const auto& in, Def& def) {
  return {reinterpret_cast<const flatbuffers::Table&>(in), def};
}

// Calls `code`, a TableWriter or a TableReader, with the fields of a spring in the order in which
// they are written. The functions below do this for other tables, or for a part of their fields.
inline void fields_of(const SpringDef&, auto code) {
  using W = wire::Spring;
  code(W::VT_AT_A, &SpringDef::at_a);
  code(W::VT_AT_B, &SpringDef::at_b);
  code(W::VT_STIFFNESS, &SpringDef::stiffness);
  code(W::VT_DAMPING, &SpringDef::damping);
  code(W::VT_REST_LENGTH, &SpringDef::rest_length);
  code(W::VT_A, &SpringDef::a);
  code(W::VT_B, &SpringDef::b);
}
// Calls `code` with the fields of a tether.
inline void fields_of(const TetherDef&, auto code) {
  using W = wire::Tether;
  code(W::VT_AT, &TetherDef::at);
  code(W::VT_ANCHOR, &TetherDef::anchor);
  code(W::VT_STIFFNESS, &TetherDef::stiffness);
  code(W::VT_DAMPING, &TetherDef::damping);
  code(W::VT_REST_LENGTH, &TetherDef::rest_length);
  code(W::VT_BODY, &TetherDef::body);
}
// Calls `code` with the fields of a script.
inline void fields_of(const ScriptDef&, auto code) {
  using W = wire::Script;
  code(W::VT_CENTRE, &ScriptDef::centre);
  code(W::VT_RANGE, &ScriptDef::range);
  code(W::VT_FREQUENCY, &ScriptDef::frequency);
  code(W::VT_ACCELERATION_MAX, &ScriptDef::acceleration_max);
  code(W::VT_REACH, &ScriptDef::reach);
  code(W::VT_PULL, &ScriptDef::pull);
  code(W::VT_SEED, &ScriptDef::seed);
  code(W::VT_BODY, &ScriptDef::body);
  code(W::VT_PERIOD, &ScriptDef::period);
}
// Calls `code` with the fields of a joint.
inline void fields_of(const JointDef&, auto code) {
  using W = wire::Joint;
  code(W::VT_AT_A, &JointDef::at_a);
  code(W::VT_AT_B, &JointDef::at_b);
  code(W::VT_AXIS, &JointDef::axis);
  code(W::VT_LOWER, &JointDef::lower);
  code(W::VT_UPPER, &JointDef::upper);
  code(W::VT_FREQUENCY, &JointDef::frequency);
  code(W::VT_DAMPING_RATIO, &JointDef::damping_ratio);
  code(W::VT_REST, &JointDef::rest);
  code(W::VT_MOTOR_MAX, &JointDef::motor_max);
  code(W::VT_MOTOR_SPEED, &JointDef::motor_speed);
  code(W::VT_A, &JointDef::a);
  code(W::VT_B, &JointDef::b);
  code(W::VT_KIND, &JointDef::kind);
  code(W::VT_COLLIDES, &JointDef::collides);
  code(W::VT_LIMITED, &JointDef::limited);
  code(W::VT_CONTROL, &JointDef::control);
  code(W::VT_BREAK_FORCE, &JointDef::break_force);
  code(W::VT_BREAK_TORQUE, &JointDef::break_torque);
}
// Calls `code` with the fields of a key that always have a value.
inline void fields_of(const KeyDef&, auto code) {
  using W = wire::Key;
  code(W::VT_VECTOR, &KeyDef::vector);
  code(W::VT_SPEED, &KeyDef::speed);
  code(W::VT_POSITION, &KeyDef::position);
  code(W::VT_FREQUENCY, &KeyDef::frequency);
  code(W::VT_DAMPING_RATIO, &KeyDef::damping_ratio);
  code(W::VT_MAX, &KeyDef::max);
  code(W::VT_COMMAND, &KeyDef::command);
}
// Calls `code` with the fields of a part before its lists.
inline void numbers_of(const PartDef&, auto code) {
  using W = wire::Part;
  using physics::Material;
  code(W::VT_POSITION, &PartDef::pose, &Pose::position);
  code(W::VT_ORIENTATION, &PartDef::pose, &Pose::orientation);
  code(W::VT_DENSITY, &PartDef::density);
  code(W::VT_HALF_EXTENTS, &PartDef::half_extents);
  code(W::VT_RADIUS, &PartDef::radius);
  code(W::VT_HALF_LENGTH, &PartDef::half_length);
  code(W::VT_SPACING, &PartDef::spacing);
  code(W::VT_FRICTION, &PartDef::material, &Material::friction);
  code(W::VT_RESTITUTION, &PartDef::material, &Material::restitution);
  code(W::VT_ROLLING_RESISTANCE, &PartDef::material, &Material::rolling_resistance);
}
// Calls `code` with the fields of a part after its lists.
inline void settings_of(const PartDef&, auto code) {
  using W = wire::Part;
  using physics::Filter;
  code(W::VT_COLUMNS, &PartDef::columns);
  code(W::VT_CATEGORY, &PartDef::filter, &Filter::category);
  code(W::VT_MASK, &PartDef::filter, &Filter::mask);
  code(W::VT_GROUP, &PartDef::filter, &Filter::group);
  code(W::VT_SENSOR, &PartDef::filter, &Filter::sensor);
  code(W::VT_KIND, &PartDef::kind);
}
// Calls `code` with the numbers of a scene before its names.
inline void numbers_of(const Scene&, auto code) {
  using W = wire::Scene;
  using physics::CommandLimits;
  code(W::VT_GRAVITY, &Scene::gravity);
  code(W::VT_GRAVITATIONAL_CONSTANT, &Scene::gravitational_constant);
  code(W::VT_SOFTENING, &Scene::softening);
  code(W::VT_GRAB_FREQUENCY, &Scene::grab_frequency);
  code(W::VT_GRAB_ACCELERATION_MAX, &Scene::grab_acceleration_max);
  code(W::VT_INTEREST_RADIUS, &Scene::interest_radius);
  code(W::VT_SNAPSHOT_POSITION_STEP, &Scene::snapshot_position_step);
  code(W::VT_ABSENCE_MAX, &Scene::absence_max);
  const auto limit = &Scene::command_limits;
  code(W::VT_COMMAND_ACCELERATION_MAX, limit, &CommandLimits::acceleration_max);
  code(W::VT_COMMAND_ANGULAR_ACCELERATION_MAX, limit, &CommandLimits::angular_acceleration_max);
  code(W::VT_COMMAND_SPEED_MAX, limit, &CommandLimits::speed_max);
  code(W::VT_COMMAND_SPIN_MAX, limit, &CommandLimits::spin_max);
  code(W::VT_TICK_TIME_NUMERATOR, &Scene::tick_time_numerator);
  code(W::VT_TICK_TIME_DENOMINATOR, &Scene::tick_time_denominator);
  code(W::VT_BOUNDS_LOWER, &Scene::bounds_lower);
  code(W::VT_BOUNDS_UPPER, &Scene::bounds_upper);
}

// Returns the text, cut off one byte above the limit. That byte is enough for validate() to see
// that it is too long.
inline std::string read(const flatbuffers::String* text, std::size_t bytes_max) {
  if (!text) return {};
  return std::string(text->c_str(), std::min<std::size_t>(text->size(), bytes_max + 1));
}

// Returns true if the items of a vector of doubles, or of structs of doubles, are aligned. A vector
// that is absent counts as aligned. The verifier checks the alignment of everything else.
template <class Vector>
bool aligned(const Vector* items) {
  return !items || reinterpret_cast<std::uintptr_t>(items->Data()) % alignof(double) == 0;
}

// Returns the number of items, 0 if the field is absent.
template <class Vector>
std::size_t size_of(const Vector* items) {
  return items ? items->size() : 0;
}

}  // namespace orrery::codec
