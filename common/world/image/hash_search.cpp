// Finds the single change of a state that explains a different state hash.
#include "common/world/image/hash_search.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "common/core/hash.h"
#include "common/math/ulps.h"
#include "common/physics/body/body_hash.h"

namespace orrery {
namespace {

// Swaps are searched only in worlds with at most this many slots. Their 8 million pairs take some
// tenths of a second.
constexpr std::uint32_t kSwapSlotsMax = 4096;

// Returns the inverse of an odd number modulo 2^64, by Newton's method. An odd number is its own
// inverse modulo 8, so the start has three correct bits. Each round doubles their number.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int round = 0; round < 5; ++round) x *= 2 - odd * x;
  return x;
}

constexpr std::uint64_t unmix64(std::uint64_t h) {
  h = (h ^ h >> 33) * inverse(0xC4CEB9FE1A85EC53ull);
  h = (h ^ h >> 33) * inverse(0xFF51AFD7ED558CCDull);
  return h ^ h >> 33;
}
static_assert(unmix64(mix64(0x0123456789ABCDEFull)) == 0x0123456789ABCDEFull);

constexpr std::uint64_t unmixed(std::uint64_t h) {
  return (h ^ h >> 32) * inverse(physics::kHashMultiplier);
}

// Returns word i in the rotated form in which it enters the hash. REQUIRES: it is the second or
// third word of its group; the hash does not rotate the first one.
std::uint64_t turned(const physics::StateWords& w, std::size_t i) {
  return std::rotl(w[i], physics::kHashRotations[i % 3]);
}

// Inverts physics::add_words(): returns the hash before the group of words that begins at `g`.
std::uint64_t undo_words(const physics::StateWords& w, std::size_t g, std::uint64_t h) {
  return ((unmixed(h) ^ turned(w, g + 2)) - turned(w, g + 1)) ^ w[g];
}

// Returns the bits that field f of a body must have for the hash of the body to be `target`.
std::uint64_t solve_word(const physics::StateWords& w, std::uint32_t slot, std::size_t f,
                         std::uint64_t target) {
  ORRERY_ASSERT(f < physics::kStateFields);
  std::uint64_t behind = unmixed(target);
  if (f == 12) {
    for (std::size_t g = 12; g > 0; g -= 3) behind = undo_words(w, g - 3, behind);
    return std::rotr(behind - physics::hash_start({}, slot), physics::kHashRotations[0]);
  }
  const std::size_t group = f / 3 * 3;
  for (std::size_t g = 9; g > group; g -= 3) behind = undo_words(w, g, behind);
  std::uint64_t before = physics::hash_start(w, slot);
  for (std::size_t g = 0; g < group; g += 3) before = physics::add_words(w, g, before);
  const std::uint64_t sum = unmixed(behind) ^ turned(w, group + 2);
  if (f == group) return (sum - turned(w, group + 1)) ^ before;
  if (f == group + 1) return std::rotr(sum - (before ^ w[group]), physics::kHashRotations[1]);
  const std::uint64_t known = (before ^ w[group]) + turned(w, group + 1);
  return std::rotr(unmixed(behind) ^ known, physics::kHashRotations[2]);
}

// Returns the largest change in ulps that the search accepts. Numbers that explain the difference
// by chance are spread evenly over 2^64 values. A whole search finds such a number within this
// distance of a present value with a probability of 1 in 200,000.
std::uint64_t believable_ulps(std::uint32_t slots) {
  ORRERY_ASSERT(slots > 0);
  constexpr double kPlaces = 0x1p64;
  const double tries = 2.0 * physics::kStateFields * slots;
  return static_cast<std::uint64_t>(kPlaces * 0.5e-5 / tries);
}

}  // namespace

std::uint64_t hash_difference(std::uint64_t from, std::uint64_t to) {
  return unmix64(to) - unmix64(from);
}

std::optional<FieldChange> find_field_change(const physics::Bodies& bodies,
                                             std::uint64_t difference) {
  std::optional<FieldChange> found;
  if (difference == 0 || bodies.slots() == 0) return found;
  std::uint64_t nearest = believable_ulps(bodies.slots());
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (!bodies.alive(slot)) continue;
    const physics::StateWords words = physics::state_words(bodies, slot);
    const std::uint64_t target = physics::hash_state_words(words, slot) + difference;
    for (std::size_t f = 0; f < physics::kStateFields; ++f) {
      const std::uint64_t word = solve_word(words, slot, f, target);
      const double value = std::bit_cast<double>(word);
      if (!std::isfinite(value)) continue;
      const std::uint64_t ulps = ulps_between(value, std::bit_cast<double>(words[f]));
      if (ulps > nearest) continue;
      nearest = ulps;
      found = FieldChange{slot, static_cast<physics::BodyField>(f), value};
    }
  }
  return found;
}

std::optional<SlotPair> find_swap(const physics::Bodies& bodies, std::uint64_t difference) {
  const std::uint32_t slots = bodies.slots();
  if (difference == 0 || slots > kSwapSlotsMax) return {};
  std::vector<physics::StateWords> words(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    words[slot] = physics::state_words(bodies, slot);
  for (std::uint32_t a = 0; a < slots; ++a) {
    if (!bodies.alive(a)) continue;
    const std::uint64_t own = physics::hash_state_words(words[a], a);
    for (std::uint32_t b = a + 1; b < slots; ++b) {
      if (!bodies.alive(b)) continue;
      const std::uint64_t swapped =
          physics::hash_state_words(words[b], a) + physics::hash_state_words(words[a], b);
      if (swapped - own - physics::hash_state_words(words[b], b) == difference)
        return SlotPair{a, b};
    }
  }
  return {};
}

}  // namespace orrery
