// Owns the bytes of sleep in an image (schema/README.md has the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/sleeping.h"

namespace orrery {

// What an image has of Sleeping, of its first slots.
struct SleepState {
  std::vector<std::uint32_t> still_ticks;
  std::vector<std::uint32_t> islands;
};

// Appends one word for each of the first slots.
void encode_sleep(const Sleeping& sleeping, std::uint32_t slots, std::vector<std::uint8_t>& out);

// Reads them, for ticks of length dt; false if the bytes end before. Whether any ticks lead to such
// a state is for Sleeping::check() to say.
bool decode_sleep(ByteReader& in, std::uint32_t slots, double dt, SleepState& state);

}  // namespace orrery
