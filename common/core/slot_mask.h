// Sets of slots: one bit for each slot of a world, in 64-bit words. A word covers one tile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/core/limits.h"

namespace orrery {

static_assert(limits::kTileBodies == 64);  // a 64-bit word has one bit for each slot of a tile

// Returns the number of tiles that hold the first `slots` slots: slots / 64, rounded up.
constexpr std::uint32_t tiles_for(std::uint32_t slots) {
  return slots / limits::kTileBodies + (slots % limits::kTileBodies != 0 ? 1 : 0);
}

// Returns the bit of a slot in the word of its tile.
constexpr std::uint64_t slot_bit(std::uint32_t slot) {
  return std::uint64_t{1} << slot % limits::kTileBodies;
}

// Returns true if the bit of a slot is set in `words`, which has one word for each tile.
inline bool has_slot(std::span<const std::uint64_t> words, std::uint32_t slot) {
  return (words[slot / limits::kTileBodies] & slot_bit(slot)) != 0;
}

// A set of slots, with one bit for each slot and one word for each tile.
class SlotMask {
 public:
  // Makes an empty set for slots below `capacity`.
  // REQUIRES: capacity is a multiple of limits::kTileBodies.
  explicit SlotMask(std::uint32_t capacity) : words_(capacity / limits::kTileBodies, 0) {
    ORRERY_ASSERT(capacity % limits::kTileBodies == 0);
  }

  // Returns true if this slot is in the set.
  // REQUIRES: slot < capacity.
  bool test(std::uint32_t slot) const { return has_slot(words_, slot); }
  // Add and remove a slot.
  // REQUIRES: slot < capacity.
  void set(std::uint32_t slot) { words_[slot / limits::kTileBodies] |= slot_bit(slot); }
  void reset(std::uint32_t slot) { words_[slot / limits::kTileBodies] &= ~slot_bit(slot); }
  // Returns true if a slot is in the set.
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word != 0; });
  }
  // Removes all slots.
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  // Returns one word for each tile: bit i of word t is slot 64 t + i.
  std::span<const std::uint64_t> words() const { return words_; }
  // Replaces the words of the first words.size() tiles; the other tiles keep theirs. REQUIRES:
  // there are no more words than tiles.
  void assign(std::span<const std::uint64_t> words) {
    ORRERY_ASSERT(words.size() <= words_.size());
    std::copy(words.begin(), words.end(), words_.begin());
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace orrery
