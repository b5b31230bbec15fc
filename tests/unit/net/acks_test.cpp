// Tests acknowledgements against a set of received sequences, and the count of received messages
// that were not acknowledged yet.
#include "common/net/channel/acks.h"

#include <set>
#include <string>

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

// Compares acknowledgements with a set of all received sequences. One case starts near 2^32, where
// sequences wrap around.
void expect_acks_like_a_set(std::uint32_t first, std::uint64_t seed) {
  net::Acks acks;
  std::set<std::uint64_t> came;
  SplitMix64 random(seed);
  std::uint64_t next = first;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t back = random.below(40);
    const bool old = random.below(3) == 0 && next > first + back;
    const std::uint64_t sequence = old ? next - back : next += 1 + random.below(3);
    if (static_cast<std::uint32_t>(sequence) == 0) continue;
    acks.receive(static_cast<std::uint32_t>(sequence));
    came.insert(sequence);
    net::PayloadHeader header;
    acks.stamp(header);
    ASSERT_EQ(header.ack, static_cast<std::uint32_t>(*came.rbegin()));
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      const bool has = came.count(*came.rbegin() - 1 - bit) != 0;
      ASSERT_EQ(header.ack_bits >> bit & 1, has ? 1u : 0u) << "step " << i << " bit " << bit;
    }
  }
}

TEST(Acks, AgreeWithASet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_acks_like_a_set(1, seed);
    expect_acks_like_a_set(0xfffffff0u - 3000u, seed);
  }
}

TEST(Acks, CountMessagesUntilOneIsSent) {
  net::Acks acks;
  EXPECT_EQ(acks.owed(), 0u);
  EXPECT_EQ(acks.delay(7 * net::kSecond), 0u);
  acks.owe(2 * net::kSecond);
  acks.owe(3 * net::kSecond);
  EXPECT_EQ(acks.owed(), 2u);
  EXPECT_EQ(acks.delay(7 * net::kSecond), 5 * net::kSecond);
  net::PayloadHeader header;
  acks.stamp(header);
  EXPECT_EQ(acks.owed(), 0u);
  EXPECT_EQ(acks.delay(7 * net::kSecond), 0u);
}

}  // namespace
}  // namespace orrery
