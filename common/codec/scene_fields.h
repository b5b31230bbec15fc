// Owns how single fields of a scene are written to FlatBuffers and read from them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "schema/scene_generated.h"

namespace orrery {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(const Vec3& a, const Vec3& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}

inline bool same_bits(const Quat& a, const Quat& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z) && same_bits(a.w, b.w);
}

using Builder = flatbuffers::FlatBufferBuilder;

// As a default it equals no number of a sound scene: what has it is always written.
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr Vec3 kNotANumber{kNan, kNan, kNan};

// FlatBuffers leaves out a number that compares equal to its default. So does -0, which is another
// number; NaN as the default makes it write what it is given.
inline void add(Builder& fbb, flatbuffers::voffset_t field, double value, double otherwise) {
  if (same_bits(value, otherwise)) return;
  fbb.AddElement<double>(field, value, kNan);
}

inline void add(Builder& fbb, flatbuffers::voffset_t field, const Vec3& v, const Vec3& otherwise) {
  if (same_bits(v, otherwise)) return;
  const wire::Vec3 out(v.x, v.y, v.z);
  fbb.AddStruct(field, &out);
}

inline void add(Builder& fbb, flatbuffers::voffset_t field, const Quat& q, const Quat& otherwise) {
  if (same_bits(q, otherwise)) return;
  const wire::Quat out(q.x, q.y, q.z, q.w);
  fbb.AddStruct(field, &out);
}

inline Vec3 read(const wire::Vec3* v, const Vec3& otherwise) {
  return v ? Vec3{v->x(), v->y(), v->z()} : otherwise;
}

inline Quat read(const wire::Quat* q) { return q ? Quat{q->x(), q->y(), q->z(), q->w()} : Quat{}; }

// One byte more than allowed is enough for validate() to see that it is too long.
inline std::string read(const flatbuffers::String* text, std::size_t bytes_max) {
  if (!text) return {};
  return std::string(text->c_str(), std::min<std::size_t>(text->size(), bytes_max + 1));
}

// The verifier knows the alignment of everything but the items of a vector of structs or doubles.
template <class Vector>
bool aligned(const Vector* items) {
  return !items || reinterpret_cast<std::uintptr_t>(items->Data()) % alignof(double) == 0;
}

template <class Vector>
std::size_t size_of(const Vector* items) {
  return items ? items->size() : 0;
}

}  // namespace orrery
