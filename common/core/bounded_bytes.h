// Bytes of a limited number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/core/bytes.h"

namespace orrery {

// At most kMax bytes, by default none. Objects are ordered by the first byte that differs; a
// beginning of other bytes comes before them.
template <std::size_t kMax>
class BoundedBytes {
 public:
  static constexpr std::size_t kBytesMax = kMax;
  static_assert(kMax <= 0xFFFF);

  BoundedBytes() = default;
  // Copies bytes. REQUIRES: at most kMax bytes.
  explicit BoundedBytes(Bytes from) : bytes_(from.begin(), from.end()) {
    ORRERY_ASSERT(from.size() <= kMax);
  }

  // Returns true if there are no bytes.
  bool empty() const { return bytes_.empty(); }
  // Returns a view of the bytes. It ends with this object.
  Bytes view() const { return bytes_; }

  friend bool operator==(const BoundedBytes&, const BoundedBytes&) = default;
  friend bool operator<(const BoundedBytes& a, const BoundedBytes& b) {
    return a.bytes_ < b.bytes_;
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace orrery
