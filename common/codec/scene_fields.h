// Reads and writes single fields of a scene in FlatBuffers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "common/math/quat.h"
#include "common/math/vec3.h"
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

// Returns the vector, or `otherwise` if the field is absent.
inline Vec3 read(const wire::Vec3* v, const Vec3& otherwise) {
  return v ? Vec3{v->x(), v->y(), v->z()} : otherwise;
}

// Returns the quaternion, or the identity if the field is absent.
inline Quat read(const wire::Quat* q) { return q ? Quat{q->x(), q->y(), q->z(), q->w()} : Quat{}; }

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
