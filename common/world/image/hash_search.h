// Finds the single change of a state that explains a different state hash.
#pragma once

#include <cstdint>
#include <optional>

#include "common/physics/body/bodies.h"

namespace orrery {

// The search works because every hash here is invertible. The state hash is mix64 of a sum with one
// term per body, and both mix64 and the hash of a body can be inverted (physics/body/body_hash.h).
//
// Suppose that one body differs between a known state and a state known only by its hash. Then the
// difference of the sums names it. For each field of each body exactly one number gives the other
// hash. That number is as good as random, except for the body that changed.
//
// Within that body, the three fields that are mixed in one step can stand in for each other. So can
// orientation.w and the first three. A change of 1 ulp in one of them equals 2^11 or more in
// another, and the search takes the nearest answer. That answer is right for every change below
// 2,000 ulps. For larger changes the body is right and the field is a guess.

// Returns the difference of the two sums that the state hashes `from` and `to` were mixed from.
std::uint64_t hash_difference(std::uint64_t from, std::uint64_t to);

// A field of a body, and the value that explains the other hash.
struct FieldChange {
  std::uint32_t slot = 0;
  physics::BodyField field{};
  double value = 0;
};

// Returns the smallest change of one number that adds `difference` to the sum of body hashes, or
// nothing if there is none. If more than one number changed, the probability of a wrong answer is
// below 1e-5.
std::optional<FieldChange> find_field_change(const physics::Bodies& bodies,
                                             std::uint64_t difference);

// Two slots, a < b.
struct SlotPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

// Returns the two bodies that explain `difference` by exchanging their states. It tries all pairs,
// so it finds nothing in worlds of more than 4,096 slots.
std::optional<SlotPair> find_swap(const physics::Bodies& bodies, std::uint64_t difference);

}  // namespace orrery
