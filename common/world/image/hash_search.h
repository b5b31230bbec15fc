// Finds the single change of a state that explains a different state hash.
#pragma once

#include <cstdint>
#include <optional>

#include "common/physics/body/bodies.h"

namespace orrery {

// The search works because every hash here is invertible. The state hash is mix64 of a sum, which
// has one term per body and further terms. Both mix64 and the hash of a body
// (physics/body/body_hash.h) can be inverted.
//
// Suppose that one body differs between a known state and a state known only by its hash. The
// search computes the difference of the two sums. For each field of each body, exactly one number
// would explain that difference. For all bodies but the changed one, that number is practically
// random, and therefore far from the present value.
//
// Within the changed body, several fields can explain the same difference: the three fields that
// the hash mixes in one step, or orientation.w and the three fields of the position. A change of
// 1 ulp in one of them has the same effect as a change of 2^11 ulps or more in another. The search
// chooses the smallest change, which is right for every real change below 2,000 ulps. For larger
// changes the body is right and the field is a guess.

// Returns the sum that mixes to the state hash `to`, minus the sum that mixes to `from`.
std::uint64_t hash_difference(std::uint64_t from, std::uint64_t to);

// A field of a body, and the value that explains the other hash.
struct FieldChange {
  std::uint32_t slot = 0;
  physics::BodyField field{};
  double value = 0;
};

// Returns the smallest change of one number that adds `difference` to the sum of body hashes, or
// nothing if there is none, or if it is so large that it is probably a coincidence. If more than
// one number changed, it almost always returns nothing: the probability of a wrong answer is below
// 1e-5.
std::optional<FieldChange> find_field_change(const physics::Bodies& bodies,
                                             std::uint64_t difference);

// Two slots, a < b.
struct SlotPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

// Returns the two bodies that explain `difference` by exchanging their states, or nothing if there
// are none. Returns nothing in worlds of more than 4,096 slots, because it tries all pairs and
// would take too long there.
std::optional<SlotPair> find_swap(const physics::Bodies& bodies, std::uint64_t difference);

}  // namespace orrery
