// Tests the ring of states against a sorted list.
#include "client/lib/frames/sample_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

using client::SampleRing;

codec::BodyState state_at(std::uint64_t tick, double x = 0) {
  codec::BodyState state{};
  state.tick = Tick{tick};
  state.position.x = x;
  return state;
}

TEST(SampleRing, HoldsTheNewestInOrder) {
  SplitMix64 draw(8);
  for (int run = 0; run < 500; ++run) {
    SampleRing ring;
    std::vector<std::uint64_t> model;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t tick = static_cast<std::uint64_t>(i) / 2 + draw.below(12);
      const bool known = std::find(model.begin(), model.end(), tick) != model.end();
      const bool too_old = model.size() == SampleRing::kSamples && tick < model.front();
      EXPECT_EQ(ring.insert(state_at(tick, i)), !known && !too_old);
      if (!known && !too_old) {
        model.insert(std::lower_bound(model.begin(), model.end(), tick), tick);
        if (model.size() > SampleRing::kSamples) model.erase(model.begin());
      }
      ASSERT_EQ(ring.size(), model.size());
      for (std::size_t k = 0; k < model.size(); ++k) ASSERT_EQ(ring[k].tick.value, model[k]);
      ASSERT_EQ(ring.back().tick.value, model.back());
    }
  }
}

// A lying server may send different ticks that are the same double. As times they are the same
// moment.
TEST(SampleRing, TicksThatADoubleCannotTellApartAreOne) {
  SampleRing ring;
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 53;
  EXPECT_TRUE(ring.insert(state_at(kLarge)));
  EXPECT_FALSE(ring.insert(state_at(kLarge + 1)));
  EXPECT_TRUE(ring.insert(state_at(kLarge + 2)));
  EXPECT_EQ(ring.size(), 2u);
}

}  // namespace
}  // namespace orrery
