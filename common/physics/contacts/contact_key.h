// Names contacts by the parts that touch.
#pragma once

#include <compare>
#include <cstdint>

#include "common/core/assert.h"
#include "common/core/ids.h"

namespace orrery::physics {

// The name of a contact: a part of body a, a part of body b (slot a < slot b), and the number of a
// manifold of these two parts. A part can touch a surface in several manifolds. The canonical order
// of contacts is by ascending key.
struct ContactKey {
  std::uint64_t value = 0;  // slot_a (20 bits) slot_b (20) part_a (11) part_b (11) manifold (2)

  // Return the components of the key.
  std::uint32_t slot_a() const { return static_cast<std::uint32_t>(value >> 44); }
  std::uint32_t slot_b() const { return static_cast<std::uint32_t>(value >> 24 & 0xFFFFF); }
  std::uint32_t part_a() const { return static_cast<std::uint32_t>(value >> 13 & 0x7FF); }
  std::uint32_t part_b() const { return static_cast<std::uint32_t>(value >> 2 & 0x7FF); }
  std::uint32_t manifold() const { return static_cast<std::uint32_t>(value & 3); }

  friend constexpr auto operator<=>(ContactKey, ContactKey) = default;
};

// Maximum number of parts of a shape that keys can name.
inline constexpr std::uint32_t kContactPartsMax = 1u << 11;

static_assert(kSlotBits == 20);

// Returns the key of a contact.
// REQUIRES: slot_a < slot_b, parts below kContactPartsMax, and manifold < 4.
constexpr ContactKey contact_key(std::uint32_t slot_a, std::uint32_t slot_b, std::uint32_t part_a,
                                 std::uint32_t part_b, std::uint32_t manifold) {
  ORRERY_ASSERT(slot_a < slot_b);
  ORRERY_ASSERT(part_a < kContactPartsMax && part_b < kContactPartsMax && manifold < 4);
  return {std::uint64_t{slot_a} << 44 | std::uint64_t{slot_b} << 24 | std::uint64_t{part_a} << 13 |
          std::uint64_t{part_b} << 2 | manifold};
}

}  // namespace orrery::physics
