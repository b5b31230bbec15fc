// Damages an encoded message, as hostile clients do.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "common/core/assert.h"
#include "common/core/rng.h"

namespace orrery::client {

// Picks four aligned bytes of the message. Replaces them by a NaN, or the first of them by a random
// byte. REQUIRES: the message has at least four bytes.
inline void spoil(std::span<std::uint8_t> message, SplitMix64& random) {
  static constexpr std::array<std::uint8_t, 4> kNotANumber{0, 0, 0xc0, 0x7f};  // binary32
  ORRERY_ASSERT(message.size() >= kNotANumber.size());
  const auto numbers = static_cast<std::uint32_t>(message.size() / kNotANumber.size());
  const auto number = message.subspan(random.below(numbers) * kNotANumber.size());
  if (random.below(2) == 0) {
    std::copy(kNotANumber.begin(), kNotANumber.end(), number.begin());
  } else {
    number[0] = static_cast<std::uint8_t>(random.next());
  }
}

}  // namespace orrery::client
