// Writes and reads the sleep state in an image (schema/image.md 5 has the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/rest/sleeping.h"

namespace orrery {

// The state of Sleeping that an image keeps, one entry for each of the first slots.
struct SleepState {
  std::vector<std::uint32_t> still_ticks;
  std::vector<std::uint32_t> islands;
};

// Appends one word for each of the first `slots` slots.
void encode_sleep(const physics::Sleeping& sleeping, std::uint32_t slots,
                  std::vector<std::uint8_t>& out);

// Reads the words, for ticks of length dt. Returns false if the bytes end too early.
// Sleeping::check() decides whether such a state is possible.
bool decode_sleep(ByteReader& in, std::uint32_t slots, double dt, SleepState& state);

}  // namespace orrery
