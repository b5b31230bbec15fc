// Owns the tests of the parts of a connection against simple models: packets, acks, peers, limits.
#include <map>
#include <set>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "common/net/acks.h"
#include "common/net/packet.h"
#include "common/net/peer_table.h"
#include "common/net/rate_limit.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

TEST(Packet, HasTheDocumentedBytes) {
  std::vector<std::uint8_t> bytes;
  encode_packet_header({PacketType::input, 0x01020304, 0x1112131415161718, 0x21222324, 0x31323334},
                       bytes);
  const std::vector<std::uint8_t> expected = {6,    0,    0,    0,    0x04, 0x03, 0x02, 0x01,
                                              0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,
                                              0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31};
  EXPECT_EQ(bytes, expected);
  bytes.push_back(0xaa);
  const auto packet = decode_packet(bytes);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->header.type, PacketType::input);
  EXPECT_EQ(packet->header.connection, 0x1112131415161718u);
  EXPECT_EQ(packet->header.ack_bits, 0x31323334u);
  ASSERT_EQ(packet->message.size(), 1u);
  EXPECT_EQ(packet->message[0], 0xaa);
}

TEST(Packet, RejectsWhatIsCutTooLongOrUnknown) {
  std::vector<std::uint8_t> bytes;
  encode_packet_header({PacketType::keep_alive, 1, 2, 3, 4}, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_packet(Bytes(bytes).first(size)));
  }
  bytes.resize(limits::kDatagramBytesMax);
  EXPECT_TRUE(decode_packet(bytes));
  bytes.push_back(0);
  EXPECT_FALSE(decode_packet(bytes));
  bytes.resize(kPacketHeaderBytes);
  for (int type = 0; type < 256; ++type) {
    bytes[0] = static_cast<std::uint8_t>(type);
    EXPECT_EQ(decode_packet(bytes).has_value(), type >= 1 && type <= 12) << type;
  }
  bytes[0] = 1;
  bytes[2] = 1;
  EXPECT_FALSE(decode_packet(bytes));
}

// Against a set of everything that came. `first` is near 2^32 in one case: sequences wrap.
void expect_acks_like_a_set(std::uint32_t first, std::uint64_t seed) {
  Acks acks;
  std::set<std::uint64_t> came;
  SplitMix64 random(seed);
  std::uint64_t next = first;
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t back = random.below(40);
    const bool old = random.below(3) == 0 && next > first + back;
    const std::uint64_t sequence = old ? next - back : next += 1 + random.below(3);
    if (static_cast<std::uint32_t>(sequence) == 0) continue;
    const std::uint64_t newest = came.empty() ? 0 : *came.rbegin();
    const bool in_window = sequence > newest || newest - sequence <= 32;
    const bool expected = in_window && !came.count(sequence);
    ASSERT_EQ(acks.receive(static_cast<std::uint32_t>(sequence)), expected) << "step " << i;
    if (expected) came.insert(sequence);
    PacketHeader header;
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

TEST(Acks, NumberPacketsFromOne) {
  Acks acks;
  PacketHeader header;
  acks.stamp(header);
  EXPECT_EQ(header.sequence, 1u);
  EXPECT_EQ(header.ack, 0u);
  acks.stamp(header);
  EXPECT_EQ(header.sequence, 2u);
  EXPECT_FALSE(acks.receive(0));
}

TEST(PeerTable, AgreesWithAMap) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    constexpr std::uint32_t kCapacity = 32;
    PeerTable table(kCapacity, seed);
    std::map<std::uint32_t, std::uint32_t> model;
    SplitMix64 random(seed);
    for (int i = 0; i < 5000; ++i) {
      const std::uint32_t host = random.below(64);
      const Address address = test::address_of(host);
      const auto at = model.find(host);
      ASSERT_EQ(table.find(address), at == model.end() ? PeerTable::kNone : at->second);
      if (at != model.end()) {
        table.erase(address);
        model.erase(at);
      } else if (model.size() < kCapacity) {
        const std::uint32_t slot = random.below(1000);
        table.insert(address, slot);
        model[host] = slot;
      }
    }
  }
}

TEST(TokenBucket, GivesItsBurstAndThenItsRate) {
  TokenBucket bucket(100, 10, 0);
  int taken = 0;
  for (int i = 0; i < 50; ++i) taken += bucket.take(0);
  EXPECT_EQ(taken, 10);
  taken = 0;
  for (Nanoseconds now = 0; now < 10 * kSecond; now += kMillisecond) taken += bucket.take(now);
  EXPECT_NEAR(taken, 1000, 1);
  taken = 0;
  for (int i = 0; i < 50; ++i) taken += bucket.take(100 * kSecond);
  EXPECT_EQ(taken, 10);
}

TEST(FloodMeter, AllowsItsRateForEver) {
  FloodMeter meter(100, 0);
  for (Nanoseconds now = 0; now < 20 * kSecond; now += kSecond / 100) EXPECT_TRUE(meter.count(now));
  FloodMeter flooded(100, 0);
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(flooded.count(1));
  EXPECT_FALSE(flooded.count(1));
}

}  // namespace
}  // namespace orrery
