// Tests the parts of a connection against simple models: maps, windows, sequences, limits.
#include <map>
#include <set>

#include "common/core/rng.h"
#include "common/net/channel/packet_sequences.h"
#include "common/net/channel/replay_window.h"
#include "common/net/fixed_map.h"
#include "common/net/gate/rate_limit.h"
#include "common/net/gate/used_tokens.h"
#include "common/net/packet/packet.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

TEST(FixedMap, AgreesWithAMap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    constexpr std::uint32_t kCapacity = 32;
    test::SimulatedNetwork network(seed, {});
    const test::Port port(network, {});
    net::FixedMap<net::Address, std::uint32_t> map(kCapacity, port);
    std::map<std::uint32_t, std::uint32_t> model;
    SplitMix64 random(seed);
    for (int i = 0; i < 5000; ++i) {
      const std::uint32_t host = random.below(64);
      const net::Address address = test::address_of(host);
      const auto at = model.find(host);
      const std::uint32_t* const found = map.find(address);
      ASSERT_EQ(found != nullptr, at != model.end());
      ASSERT_EQ(map.contains(address), at != model.end());
      if (found) {
        ASSERT_EQ(*found, at->second);
        map.erase(address);
        model.erase(at);
      } else {
        const std::uint32_t value = random.below(1000);
        const bool room = map.insert(address, value) != nullptr;
        ASSERT_EQ(room, model.size() < kCapacity);
        if (room) model[host] = value;
      }
      ASSERT_EQ(map.size(), model.size());
    }
    map.erase_if([](std::uint32_t value) { return value < 500; });
    for (const auto& [host, value] : model) {
      ASSERT_EQ(map.find(test::address_of(host)) != nullptr, value >= 500);
      ASSERT_EQ(map.contains(test::address_of(host)), value >= 500);
    }
  }
}

// Compares the replay window with a set of all marked sequences.
TEST(ReplayWindow, AgreesWithASet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    net::ReplayWindow window;
    std::set<std::uint64_t> marked;
    SplitMix64 random(seed);
    std::uint64_t newest = 0;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t jump = random.below(100) == 0 ? 3000 : 4;
      const std::uint64_t back = random.below(1200);
      const bool ahead = random.below(2) == 0;
      const std::uint64_t sequence = ahead ? newest + random.below(static_cast<std::uint32_t>(jump))
                                           : newest - std::min(newest, back);
      const bool expected = marked.count(sequence) == 0 &&
                            (marked.empty() || newest + 1 - std::min(newest, sequence) <=
                                                   net::ReplayWindow::kPackets);
      ASSERT_EQ(window.is_new(sequence), expected) << sequence << " after " << newest;
      if (!expected) continue;
      window.mark(sequence);
      marked.insert(sequence);
      newest = *marked.rbegin();
    }
  }
}

TEST(ReplayWindow, TakesNothingThatNoConnectionSends) {
  net::ReplayWindow window;
  EXPECT_FALSE(window.is_new(~0ull));
  EXPECT_FALSE(window.is_new(1ull << 63));
  EXPECT_TRUE(window.is_new((1ull << 63) - 1));
  window.mark((1ull << 63) - 1);
  EXPECT_FALSE(window.is_new((1ull << 63) - 1));
  EXPECT_FALSE(window.is_new(0));
}

TEST(UsedTokens, RemembersUntilTheyExpireAndForgetsNothingForOthers) {
  test::SimulatedNetwork network(1, {});
  const test::Port port(network, {});
  net::UsedTokens used(2, port);
  const net::Seal one{1}, two{2}, three{3};
  used.insert(one, 100);
  EXPECT_FALSE(used.is_full());
  used.insert(two, 200);
  EXPECT_TRUE(used.is_full());
  used.forget_expired(99);
  EXPECT_TRUE(used.is_full());
  EXPECT_TRUE(used.contains(one, 100));
  EXPECT_FALSE(used.contains(three, 300));
  used.forget_expired(100);
  EXPECT_FALSE(used.is_full());
  EXPECT_TRUE(used.contains(one, 100));  // the clock may have been set back
  EXPECT_TRUE(used.contains(two, 200));
  EXPECT_FALSE(used.contains(three, 101));
}

TEST(ConnectionLimit, CountsNetworksAndLeavesThisMachineAlone) {
  test::SimulatedNetwork network(1, {});
  const test::Port port(network, {});
  net::ConnectionLimit limit(port, 0);
  const auto taken = [&](const net::Address& from) {
    std::uint32_t count = 0;
    for (int i = 0; i < 100; ++i) count += limit.take(from, 0);
    return count;
  };
  net::Address v6;
  v6.ip = {0x20, 1, 0xd, 0xb8, 1};
  EXPECT_EQ(taken(v6), net::kConnectionsAtOnce);
  v6.ip[15] = 1;  // the same /64 network, then another one
  EXPECT_EQ(taken(v6), 0u);
  v6.ip[7] = 1;
  EXPECT_EQ(taken(v6), net::kConnectionsAtOnce);
  EXPECT_EQ(taken(test::address_of(0x0a000001)), net::kConnectionsAtOnce);
  EXPECT_EQ(taken(test::address_of(0x0a000001, 9)), 0u);
  EXPECT_EQ(taken(test::address_of(0x0a000002)), net::kConnectionsAtOnce);
  EXPECT_EQ(taken(test::address_of(0x7f000001)), 100u);
}

TEST(TokenBucket, GivesItsBurstAndThenItsRate) {
  net::TokenBucket bucket(100, 10, 0);
  int taken = 0;
  for (int i = 0; i < 50; ++i) taken += bucket.take(0);
  EXPECT_EQ(taken, 10);
  taken = 0;
  for (net::Nanoseconds now = 0; now < 10 * net::kSecond; now += net::kMillisecond)
    taken += bucket.take(now);
  EXPECT_NEAR(taken, 1000, 1);
  taken = 0;
  for (int i = 0; i < 50; ++i) taken += bucket.take(100 * net::kSecond);
  EXPECT_EQ(taken, 10);
}

TEST(FloodMeter, AllowsItsRateForEver) {
  net::FloodMeter meter(100, 0);
  for (net::Nanoseconds now = 0; now < 20 * net::kSecond; now += net::kSecond / 100)
    EXPECT_TRUE(meter.count(now));
  net::FloodMeter flooded(100, 0);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(flooded.count(1));
  EXPECT_FALSE(flooded.count(1));
}

TEST(PacketSequences, AreOfOneServerEachAndShort) {
  constexpr std::size_t kEach = 3 * net::PacketSequences::kBlock + 5;
  for (const std::size_t servers : {1u, 2u, 32u}) {
    std::vector<bool> taken(4 * servers * net::PacketSequences::kBlock);
    for (std::size_t place = 0; place < servers; ++place) {
      net::PacketSequences sequences(place, servers);
      std::uint64_t last = 0;
      for (std::size_t i = 0; i < kEach; ++i) {
        const std::uint64_t next = sequences.next();
        ASSERT_EQ(sequences.take(), next);
        ASSERT_LT(next, taken.size());
        ASSERT_FALSE(taken[next]);
        ASSERT_TRUE(i == 0 || next > last);
        taken[next] = true;
        last = next;
      }
    }
    EXPECT_LE(net::packet_bytes(taken.size(), 0), 1 + 3 + net::kSealBytes);
  }
}

}  // namespace
}  // namespace orrery
