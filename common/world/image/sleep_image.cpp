// Writes and reads the sleep state in an image.
#include "common/world/image/sleep_image.h"

#include "common/core/limits.h"

namespace orrery {
namespace {

// The bit that marks a sleeping body in its word. The other bits then hold the slot that names its
// island. The word of an awake body holds the number of ticks for which it has been still. This
// number is too small to set the bit.
constexpr std::uint32_t kAsleep = 0x80000000;
static_assert(limits::kBodiesMax < kAsleep);  // the other bits hold an island

}  // namespace

void encode_sleep(const physics::Sleeping& sleeping, std::uint32_t slots,
                  std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(slots <= sleeping.islands().size());
  ByteWriter w(out);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    w.u32(sleeping.asleep(slot) ? kAsleep | sleeping.islands()[slot]
                                : sleeping.still_ticks()[slot]);
  }
}

bool decode_sleep(ByteReader& in, std::uint32_t slots, double dt, SleepState& state) {
  if (in.remaining() / sizeof(std::uint32_t) < slots) return false;
  ORRERY_ASSERT(dt > 0);
  const std::uint32_t needed = physics::still_ticks_needed(dt);
  ORRERY_ASSERT(needed < kAsleep);
  state.still_ticks.resize(slots);
  state.islands.resize(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const std::uint32_t word = in.u32();
    const bool asleep = (word & kAsleep) != 0;
    state.still_ticks[slot] = asleep ? needed : word;
    state.islands[slot] = asleep ? word & ~kAsleep : physics::Sleeping::kAwake;
  }
  return true;
}

}  // namespace orrery
