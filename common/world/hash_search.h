// Owns the search for the one change of a state that gives it another state hash.
#pragma once

#include <cstdint>
#include <optional>

#include "common/physics/bodies.h"

namespace orrery {

// The state hash is mix64 of a sum in which every body has a term of its own, and both mix64 and
// the hash of a body can be undone (physics/body_hash.h). So where one body differs between a state
// that is known and one of which only the hash is, the difference of the two sums names it: for
// each field of each body exactly one number gives the other hash, and but for the body that did
// change that number is as good as random. Of that body, the three fields that are mixed in one go
// (and orientation.w with the first three) can stand in for each other: what is 1 ulp of the one is
// 2^11 or more of another. The nearest answer is taken, which is the right one of all changes by
// less than 2,000 ulps; of larger ones the body is right, and its field a guess.

// By how much the sums of hashes differ that two state hashes are mixed from.
std::uint64_t hash_difference(std::uint64_t from, std::uint64_t to);

struct FieldChange {
  std::uint32_t slot = 0;
  BodyField field{};
  double value = 0;
};

// The smallest change of one number of the state that adds `difference` to the sum of the body
// hashes. Nothing if there is none; where no single number has changed, one with a probability
// below 1e-5.
std::optional<FieldChange> find_field_change(const Bodies& bodies, std::uint64_t difference);

struct SlotPair {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
};

// The same of two bodies that exchange their states. Tries all pairs, so in worlds of more than
// 4,096 slots it finds nothing.
std::optional<SlotPair> find_swap(const Bodies& bodies, std::uint64_t difference);

}  // namespace orrery
