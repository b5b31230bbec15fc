// Writes rows of numbers into an array of the caller.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "client/api/handle.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"

namespace orrery::api {

// The rows that a caller wants.
struct Layout {
  std::uint32_t what;      // ORRERY_POSITION, ..., combined
  std::uint32_t stride;    // bytes from a row to the next
  std::uint32_t capacity;  // rows

  // Returns the bytes of the numbers of a body.
  std::uint32_t row_bytes() const {
    const std::uint32_t threes = ORRERY_POSITION | ORRERY_VELOCITY | ORRERY_ANGULAR_VELOCITY;
    const int numbers = 3 * std::popcount(what & threes) + ((what & ORRERY_ORIENTATION) ? 4 : 0);
    return static_cast<std::uint32_t>(numbers) * ((what & ORRERY_DOUBLE) ? 8u : 4u) +
           ((what & ORRERY_IDENTITY) ? 8u : 0u);
  }
};

// Checks a layout. Its rows can have the numbers in `allowed`.
inline std::int32_t check_layout(Handle& handle, const Layout& layout, std::uint32_t allowed,
                                 const void* rows) {
  if (rows == nullptr && layout.capacity > 0) {
    return fail(handle, ORRERY_BAD_ARGUMENT, "rows is null");
  }
  const bool known = (layout.what & ~(allowed | ORRERY_DOUBLE)) == 0;
  if (!known || (layout.what & allowed) == 0) {
    return fail(handle, ORRERY_BAD_ARGUMENT,
                "what must combine ORRERY_POSITION, ..., and has other bits or none");
  }
  if (layout.stride < layout.row_bytes()) {
    return fail(handle, ORRERY_WRONG_SIZE, "the stride is %u bytes, and a row has %u",
                layout.stride, layout.row_bytes());
  }
  return ORRERY_OK;
}

// Writes numbers one after the other, to memory that need not be aligned.
template <class Number>
class RowWriter {
 public:
  explicit RowWriter(unsigned char* to) : to_(to) {}
  // Writes a number.
  void write(double x) {
    const Number number = static_cast<Number>(x);
    std::memcpy(to_, &number, sizeof number);
    to_ += sizeof number;
  }
  // Writes the id of a body and of its scene body.
  void write(std::uint32_t id, std::uint32_t scene_body) {
    std::memcpy(to_, &id, sizeof id);
    std::memcpy(to_ + sizeof id, &scene_body, sizeof scene_body);
    to_ += 2 * sizeof id;
  }
  // Writes x, y, z.
  void write(const Vec3& v) {
    write(v.x);
    write(v.y);
    write(v.z);
  }
  // Writes x, y, z, w.
  void write(const Quat& q) {
    write(Vec3{q.x, q.y, q.z});
    write(q.w);
  }

 private:
  unsigned char* to_;
};

}  // namespace orrery::api
