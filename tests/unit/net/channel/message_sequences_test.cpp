// Tests the numbers of messages against a list of all that were sent, and the judgement of
// acknowledgements.
#include "common/net/channel/message_sequences.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/core/rng.h"
#include "common/net/channel/acks.h"
#include "gtest/gtest.h"
#include "tests/support/simulated_network.h"

namespace orrery {
namespace {

using Claim = net::MessageSequences::Claim;

struct Sender {
  explicit Sender(std::uint64_t seed, std::uint64_t last = 0) : network(seed, {}), numbers(last) {}

  std::uint32_t send() {
    const std::uint32_t next = numbers.next();
    sent.push_back(numbers.take(port));
    EXPECT_EQ(sent.back(), next);
    return next;
  }
  bool was_sent(std::uint32_t sequence) const {
    return std::find(sent.begin(), sent.end(), sequence) != sent.end();
  }
  Claim judge(std::uint32_t ack, std::uint32_t bits = 0) const {
    return numbers.judge({.ack = ack, .ack_bits = bits});
  }

  test::SimulatedNetwork network;
  test::Port port{network, test::address_of(1)};
  net::MessageSequences numbers;
  std::vector<std::uint32_t> sent;
};

TEST(MessageSequences, SkipOneOfEachBlockAtAnyPlace) {
  Sender sender(1);
  for (int i = 0; i < 100'000; ++i) sender.send();
  EXPECT_EQ(sender.sent.front(), 1u);
  std::set<std::uint32_t> places;
  std::uint32_t expected = 1;
  std::uint32_t skipped = 0;
  for (const std::uint32_t sequence : sender.sent) {
    if (sequence != expected) {
      ASSERT_EQ(sequence, expected + 1);
      ASSERT_EQ(expected / 32, ++skipped);  // one in each block, none in block 0
      places.insert(expected % 32);
    }
    expected = sequence + 1;
  }
  EXPECT_GT(skipped, 3200u);
  EXPECT_EQ(places.size(), 31u);
}

// The receiver acknowledges what arrives, over a path that loses and reorders messages. One case
// starts near 2^32, where sequences wrap around.
TEST(MessageSequences, AnHonestReceiverIsBelieved) {
  for (const std::uint64_t start : {std::uint64_t{0}, (std::uint64_t{1} << 32) - 2048}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(std::to_string(start) + " seed " + std::to_string(seed));
      Sender sender(seed, start);
      SplitMix64 random(seed);
      net::Acks acks;
      std::vector<std::uint32_t> on_its_way;
      for (int i = 0; i < 4000; ++i) {
        on_its_way.push_back(sender.send());
        while (on_its_way.size() > 20 || (!on_its_way.empty() && random.below(3) == 0)) {
          const auto any = random.below(static_cast<std::uint32_t>(on_its_way.size()));
          if (random.below(4) != 0) acks.receive(on_its_way[any]);
          on_its_way.erase(on_its_way.begin() + any);
        }
        net::PayloadHeader header;
        acks.stamp(header);
        ASSERT_NE(sender.numbers.judge(header), Claim::unsent) << i;
        if (header.ack == 0) continue;
        ASSERT_EQ(sender.numbers.judge(header), Claim::sound) << i;
        const std::uint64_t skipped = sender.numbers.skipped(header.ack);
        for (std::uint32_t age = 0; age <= 32 && start == 0 && age < header.ack; ++age) {
          ASSERT_EQ((skipped >> age & 1) != 0, !sender.was_sent(header.ack - age));
        }
      }
    }
  }
}

TEST(MessageSequences, WhatWasNeverSentIsNotBelieved) {
  Sender sender(3);
  EXPECT_EQ(sender.judge(0), Claim::nothing);
  EXPECT_EQ(sender.judge(1), Claim::unsent);
  for (int i = 0; i < 5; ++i) sender.send();
  EXPECT_EQ(sender.judge(5, 0xf), Claim::sound);
  EXPECT_EQ(sender.judge(6), Claim::unsent);
  EXPECT_EQ(sender.judge(0xffffffff), Claim::unsent);
  EXPECT_EQ(sender.judge(0x80000003), Claim::unsent);
  for (std::uint32_t bit = 4; bit < 32; ++bit) {  // before the first
    EXPECT_EQ(sender.judge(5, 1u << bit), Claim::unsent) << bit;
  }
  for (int i = 0; i < 995; ++i) sender.send();
  for (std::uint32_t sequence = 40; sequence < sender.sent.back(); ++sequence) {
    const Claim expected = sender.was_sent(sequence) ? Claim::sound : Claim::unsent;
    ASSERT_EQ(sender.judge(sequence), expected) << sequence;
    for (std::uint32_t age = 1; age <= 32 && expected == Claim::sound; ++age) {
      const bool real = sender.was_sent(sequence - age);
      ASSERT_EQ(sender.judge(sequence, 1u << (age - 1)), real ? Claim::sound : Claim::unsent)
          << sequence << " age " << age;
    }
  }
}

// Acknowledgements of messages that left long ago say nothing.
TEST(MessageSequences, WhatIsForgottenSaysNothing) {
  Sender sender(4);
  for (int i = 0; i < 40'000; ++i) sender.send();
  EXPECT_EQ(sender.judge(33, 0xffffffff), Claim::nothing);
  std::uint32_t oldest = 0;
  for (const std::uint32_t sequence : sender.sent) {
    if (oldest == 0 && sender.judge(sequence) == Claim::sound) oldest = sequence;
  }
  EXPECT_GT(sender.sent.back() - oldest, 32'000u);
  EXPECT_LT(sender.sent.back() - oldest, 32'768u);
}

// A receiver that acknowledges all sequences without reading is caught within two blocks. One that
// acknowledges a random 24 of 25 is soon caught too.
TEST(MessageSequences, WhoGuessesIsCaughtSoon) {
  SplitMix64 random(5);
  std::uint32_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Sender sender(seed);
    for (int i = 0; i < 40; ++i) sender.send();
    std::uint32_t headers = 0;
    Claim claim = Claim::sound;
    for (; claim == Claim::sound; ++headers) {
      for (int i = 0; i < 25; ++i) sender.send();
      const std::uint32_t left_out = 1u << (7 + random.below(25));
      claim = sender.judge(sender.sent.back(), 0xffffff80u & ~left_out);
    }
    longest = std::max(longest, headers);
  }
  EXPECT_LE(longest, 12u);
}

}  // namespace
}  // namespace orrery
