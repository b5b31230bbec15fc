// Writes and reads the sleep state in an image (schema/image.md 5 has the layout).
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/bytes.h"
#include "common/physics/rest/sleeping.h"

namespace orrery {

// The state of Sleeping that an image keeps, indexed by slot: ticks without motion, and the island
// in which a body sleeps.
struct SleepState {
  std::vector<std::uint32_t> still_ticks;
  std::vector<std::uint32_t> islands;
};

// Appends one word for each of the first `slots` slots.
void encode_sleep(const physics::Sleeping& sleeping, std::uint32_t slots,
                  std::vector<std::uint8_t>& out);

// Reads the words of `slots` slots, where `dt` is the simulated time of a tick. Returns false if
// the bytes end too early. Sleeping::check() then decides whether the state is possible.
bool decode_sleep(ByteReader& in, std::uint32_t slots, double dt, SleepState& state);

}  // namespace orrery
