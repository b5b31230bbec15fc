// Tests the inbox: every command is taken once and in order, even if it names a tick too far ahead.
#include "server/inbox.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

const ClientId kClient{1};

std::vector<codec::message::TimedCommand> commands(ClientId client, std::uint32_t first,
                                                   std::uint32_t last, std::uint64_t tick = 0) {
  std::vector<codec::message::TimedCommand> out;
  for (std::uint32_t s = first; s <= last; ++s) {
    out.push_back({Tick{tick}, {client, Sequence{s}, command::Release{}}});
  }
  return out;
}

// A malformed command is refused in the tick for which it was due, and counts for the client's
// rate like every other command.
TEST(Inbox, RefusesMalformedCommandsInTheirTicks) {
  server::Inbox inbox(4);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{1});
  auto given = commands(kClient, 1, 20);
  for (auto& timed : given) timed.malformed = timed.command.sequence.value % 2 == 0;
  inbox.accept(kClient, given, Tick{2}, 0);
  std::uint32_t next = 1;
  for (std::uint64_t tick = 2; tick < 20; ++tick) {
    const auto closed = inbox.close(Tick{tick});
    const auto refused = inbox.refused();
    ASSERT_EQ(closed.size() + refused.size(), std::min(9u, 21 - next));
    for (std::size_t i = 0; i < closed.size(); ++i) {
      EXPECT_EQ(closed[i].sequence.value % 2, 1u);
    }
    for (const RefusedCommand& r : refused) {
      EXPECT_EQ(r.client, kClient);
      EXPECT_EQ(r.sequence.value % 2, 0u);
      EXPECT_EQ(r.reason, Verdict::malformed);
    }
    next += static_cast<std::uint32_t>(closed.size() + refused.size());
  }
  EXPECT_EQ(inbox.acknowledged(kClient), inbox.received(kClient));
  EXPECT_EQ(next, 21u);
}

TEST(Inbox, LeavesComeBeforeJoinsAndBothBeforeClients) {
  server::Inbox inbox(4);
  inbox.join(ClientId{2}, Role::play);
  inbox.close(Tick{1});
  inbox.leave(ClientId{2});
  inbox.join(ClientId{2}, Role::play);
  inbox.accept(ClientId{2}, commands(ClientId{2}, 1, 1), Tick{2}, 0);
  const auto closed = inbox.close(Tick{2});
  ASSERT_EQ(closed.size(), 3u);
  EXPECT_TRUE(std::holds_alternative<command::Leave>(closed[0].payload));
  EXPECT_TRUE(std::holds_alternative<command::Join>(closed[1].payload));
  EXPECT_EQ(closed[2].client, ClientId{2});
}

// The server's sequences start at 1 in every tick: 32 bits might not suffice to number all of its
// commands in a session.
TEST(Inbox, TheServersSequencesStartAnewInEveryTick) {
  server::Inbox inbox(4);
  for (std::uint64_t tick = 1; tick <= 3; ++tick) {
    inbox.join(ClientId{1}, Role::play);
    inbox.join(ClientId{2}, Role::play);
    const auto joins = inbox.close(Tick{2 * tick});
    ASSERT_EQ(joins.size(), 2u);
    EXPECT_EQ(joins[0].sequence, Sequence{1});
    EXPECT_EQ(joins[1].sequence, Sequence{2});
    inbox.leave(ClientId{1});
    inbox.leave(ClientId{2});
    EXPECT_EQ(inbox.close(Tick{2 * tick + 1})[0].sequence, Sequence{1});
  }
}

TEST(Inbox, WhoCameAndWentBetweenTicksWasNeverThere) {
  server::Inbox inbox(4);
  inbox.join(kClient, Role::play);
  inbox.accept(kClient, commands(kClient, 1, 3), Tick{1}, 0);
  inbox.leave(kClient);
  EXPECT_TRUE(inbox.close(Tick{1}).empty());
}

// Messages overlap, repeat and overtake each other. Every command is taken once and in order.
TEST(Inbox, TakesEachCommandOnce) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SplitMix64 random(seed);
    server::Inbox inbox(1);
    inbox.join(kClient, Role::play);
    std::uint32_t taken = 0;
    for (std::uint64_t tick = 1; tick <= 200; ++tick) {
      for (std::uint32_t n = random.below(4); n > 0; --n) {
        const std::uint32_t have = inbox.received(kClient).value;
        const std::uint32_t first = have - std::min(have, random.below(5)) + 1;
        inbox.accept(kClient, commands(kClient, first, first + random.below(6)), Tick{tick}, 0);
      }
      for (const Command& c : inbox.close(Tick{tick})) {
        if (c.client == kServer) continue;
        ASSERT_EQ(c.sequence.value, ++taken);
      }
    }
    EXPECT_GT(taken, 200u);
    EXPECT_GT(inbox.counters().repeated, 0u);
  }
}

TEST(Inbox, HoldsWhatIsEarlyAndAppliesWhatIsLateAtOnce) {
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{9});
  inbox.accept(kClient, commands(kClient, 1, 1, 12), Tick{10}, 0);
  inbox.accept(kClient, commands(kClient, 2, 2, 3), Tick{10}, 0);
  auto closed = inbox.close(Tick{10});
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0].sequence, Sequence{2});
  EXPECT_TRUE(inbox.close(Tick{11}).empty());
  closed = inbox.close(Tick{12});
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0].sequence, Sequence{1});
  EXPECT_EQ(inbox.counters().late, 1u);
}

// A command for a tick that is too far ahead goes into the latest tick that is not. No command is
// lost, and each is acknowledged only because it will be applied.
TEST(Inbox, MovesWhatIsTooEarlyToTheLatestTick) {
  constexpr std::uint64_t kLatest = 10 + limits::kCommandTicksAhead;
  const std::uint64_t tick_max = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [tick, moved] :
       {std::pair{kLatest, 0u}, {kLatest + 1, 1u}, {kLatest + 1000, 1u}, {tick_max, 1u}}) {
    server::Inbox inbox(1);
    inbox.join(kClient, Role::play);
    inbox.close(Tick{9});
    inbox.accept(kClient, commands(kClient, 1, 1, tick), Tick{10}, 0);
    EXPECT_EQ(inbox.counters().too_early, moved) << tick;
    for (std::uint64_t next = 10; next < kLatest; ++next) {
      ASSERT_TRUE(inbox.close(Tick{next}).empty()) << next;
      EXPECT_EQ(inbox.acknowledged(kClient), Sequence{1});
    }
    EXPECT_EQ(inbox.close(Tick{kLatest}).size(), 1u) << tick;
  }
}

TEST(Inbox, IsBounded) {
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{1});
  inbox.accept(kClient, commands(kClient, 1, 1000), Tick{2}, 0);
  EXPECT_EQ(inbox.received(kClient), Sequence{limits::kCommandsQueuedMax});
  EXPECT_EQ(inbox.close(Tick{2}).size(), 1 + limits::kCommandsBurst);
  inbox.accept(kClient, commands(kClient, 900, 901), Tick{3}, 0);
  EXPECT_EQ(inbox.counters().gaps, 1u);
}

// With the rate R, at most R + 8 commands of a client are applied in a tick, and at most W R + 64
// in any W ticks. This most is reached. The remaining commands go into later ticks, in order. The
// rate of an admin is 16, whatever the scene says.
TEST(Inbox, NoClientIsFasterThanItsRate) {
  constexpr std::uint64_t kTicks = 300;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const bool is_admin = seed % 5 == 0;
    const std::uint32_t given = seed % 2 == 0 ? 1 : 4;
    const std::uint32_t rate = is_admin ? limits::kCommandRateMax : given;
    SCOPED_TRACE("seed " + std::to_string(seed));
    SplitMix64 random(seed);
    server::Inbox inbox(1, given);
    inbox.join(kClient, is_admin ? Role::admin : Role::play);
    inbox.close(Tick{1});
    std::vector<std::int64_t> taken;
    std::uint32_t last = 0;
    for (std::uint64_t tick = 2; tick < 2 + kTicks; ++tick) {
      const std::uint32_t received = inbox.received(kClient).value;
      const bool is_busy = random.below(8) < rate;
      const std::uint32_t offered = is_busy ? 1 + random.below(64) : 0;
      if (offered > 0) {
        inbox.accept(kClient, commands(kClient, received + 1, received + offered), Tick{tick}, 0);
      }
      const auto closed = inbox.close(Tick{tick});
      for (const Command& c : closed) EXPECT_EQ(c.sequence.value, ++last);
      EXPECT_LE(closed.size(), rate + limits::kCommandsBurst);
      taken.push_back(static_cast<std::int64_t>(closed.size()));
    }
    std::int64_t most = 0;  // the largest number of commands minus ticks in any range of ticks
    for (std::size_t first = 0; first < kTicks; ++first) {
      std::int64_t ahead = 0;
      for (std::size_t i = first; i < kTicks; ++i) most = std::max(most, ahead += taken[i] - rate);
    }
    EXPECT_EQ(most, limits::kCommandsQueuedMax);
  }
}

// Commands that came while the server skipped ticks go into the next ticks, as many as it skipped.
// They may name a later tick. What is not used lapses.
TEST(Inbox, TakesTheCommandsOfSkippedTicks) {
  constexpr std::size_t kOne = 1 + limits::kCommandsBurst;
  for (const std::uint32_t skipped : {0u, 5u, 30u, 1000u}) {
    for (const std::uint64_t named : {2u, 20u, 100u}) {
      SCOPED_TRACE(testing::Message() << skipped << " skipped, tick " << named);
      server::Inbox inbox(1);
      inbox.join(kClient, Role::play);
      inbox.close(Tick{1});
      inbox.accept(kClient, commands(kClient, 1, 64, named), Tick{2}, 0);
      std::size_t taken = inbox.close(Tick{2}, skipped).size();
      for (std::uint64_t tick = 3; tick <= named; ++tick) taken = inbox.close(Tick{tick}).size();
      EXPECT_EQ(taken, std::min<std::size_t>(kOne + skipped, 64));
    }
  }
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{1}, 1000);
  inbox.close(Tick{2}, 1);  // each skipped tick counts once, and they add up to 64 at most
  inbox.accept(kClient, commands(kClient, 1, 64), Tick{3}, 0);
  EXPECT_EQ(inbox.close(Tick{3}).size(), 64u);
  inbox.accept(kClient, commands(kClient, 65, 128), Tick{4}, 0);
  EXPECT_EQ(inbox.close(Tick{4}).size(), kOne + 1);
  for (std::uint64_t tick = 5; tick <= 99; ++tick) inbox.close(Tick{tick});  // the rest leaves
  inbox.close(Tick{100}, 50);
  const std::uint64_t late = 101 + limits::kCommandTicksAhead;
  for (std::uint64_t tick = 101; tick < late; ++tick) inbox.close(Tick{tick});
  inbox.accept(kClient, commands(kClient, 129, 192), Tick{late}, 0);
  EXPECT_EQ(inbox.close(Tick{late}).size(), kOne);
}

// A command that waits because its tick has no room is lost if its client leaves, so it must not be
// acknowledged. A command for a later tick is acknowledged although it waits.
TEST(Inbox, WhatWaitsIsNotAcknowledged) {
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{1});
  inbox.accept(kClient, commands(kClient, 1, 12), Tick{2}, 0);
  EXPECT_EQ(inbox.acknowledged(kClient), Sequence{0});
  inbox.close(Tick{2});
  EXPECT_EQ(inbox.acknowledged(kClient), Sequence{1 + limits::kCommandsBurst});
  for (std::uint64_t tick = 3; tick <= 5; ++tick) inbox.close(Tick{tick});
  EXPECT_EQ(inbox.acknowledged(kClient), Sequence{12});
  inbox.accept(kClient, commands(kClient, 13, 13, 9), Tick{6}, 0);
  inbox.accept(kClient, commands(kClient, 14, 14), Tick{6}, 0);
  EXPECT_EQ(inbox.close(Tick{6}).size(), 1u);
  EXPECT_EQ(inbox.acknowledged(kClient), Sequence{14});  // 13 waits for tick 9
  EXPECT_EQ(inbox.received(kClient), Sequence{14});
}

// Thirty commands name tick 10, which has room for nine.
TEST(Inbox, AnAcknowledgementNeverFalls) {
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{1});
  inbox.accept(kClient, commands(kClient, 1, 30, 10), Tick{2}, 0);
  std::size_t taken = 0;
  for (std::uint64_t tick = 2; tick <= 40; ++tick) {
    taken += inbox.close(Tick{tick}).size();
    EXPECT_EQ(inbox.acknowledged(kClient), Sequence{30});
  }
  EXPECT_EQ(taken, 30u);
}

TEST(Inbox, ACommandATickNeverWaits) {
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{1});
  for (std::uint32_t i = 1; i <= 100; ++i) {
    inbox.accept(kClient, commands(kClient, i, i), Tick{i + 1}, 0);
    EXPECT_EQ(inbox.close(Tick{i + 1}).size(), 1u);
  }
}

// A command that arrives again because the queue was full says nothing about the path.
TEST(Inbox, ReportsNoMarginOfCommandsThatWaitedForRoom) {
  constexpr std::uint32_t kRoom = limits::kCommandsQueuedMax;
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{9});
  inbox.accept(kClient, commands(kClient, 1, kRoom, 20), Tick{10}, 0);
  inbox.accept(kClient, commands(kClient, 1 + kRoom, 2 + kRoom, 20), Tick{10}, 0);
  EXPECT_EQ(inbox.counters().no_room, 1u);
  inbox.reported(kClient);
  for (std::uint64_t next = 10; next <= 20; ++next) inbox.close(Tick{next});
  inbox.accept(kClient, commands(kClient, 1 + kRoom, 2 + kRoom, 20), Tick{21}, 0);
  EXPECT_EQ(inbox.received(kClient), Sequence{2 + kRoom});
  EXPECT_FALSE(inbox.report(kClient).margin.units());
  inbox.accept(kClient, commands(kClient, 3 + kRoom, 3 + kRoom, 21), Tick{21}, 5);
  EXPECT_EQ(inbox.report(kClient).margin.units(), 5);
}

TEST(Inbox, ReportsTheLeastMarginOfNamedTicks) {
  constexpr int kTick = codec::CommandMargin::kPerTick;
  server::Inbox inbox(1);
  inbox.join(kClient, Role::play);
  inbox.close(Tick{9});
  EXPECT_FALSE(inbox.report(kClient).margin.units());
  inbox.accept(kClient, commands(kClient, 1, 1, 0), Tick{10}, 5);  // names no tick
  EXPECT_FALSE(inbox.report(kClient).margin.units());
  inbox.accept(kClient, commands(kClient, 2, 2, 12), Tick{10}, 5);
  EXPECT_EQ(inbox.report(kClient).margin.units(), 2 * kTick + 5);
  inbox.accept(kClient, commands(kClient, 3, 3, 10), Tick{10}, 3);
  EXPECT_EQ(inbox.report(kClient).margin.units(), 3);
  inbox.accept(kClient, commands(kClient, 4, 4, 11), Tick{10}, 3);
  inbox.accept(kClient, commands(kClient, 3, 3, 2), Tick{10}, 3);  // repeated
  EXPECT_EQ(inbox.report(kClient).margin.units(), 3);
  inbox.reported(kClient);
  EXPECT_FALSE(inbox.report(kClient).margin.units());
  inbox.accept(kClient, commands(kClient, 5, 5, 8), Tick{10}, 3);  // two ticks late
  EXPECT_EQ(inbox.report(kClient).margin.units(), 3 - 2 * kTick);
}

TEST(Inbox, AFullTickIsSharedEqually) {
  server::Inbox inbox(limits::kClientsMax);
  for (std::uint32_t c = 1; c <= limits::kClientsMax; ++c) {
    inbox.join(ClientId{c}, Role::play);
    inbox.accept(ClientId{c}, commands(ClientId{c}, 1, 20), Tick{1}, 0);
  }
  const auto closed = inbox.close(Tick{1});
  EXPECT_LE(closed.size(), limits::kCommandsPerTickMax);
  std::vector<std::size_t> per_client(limits::kClientsMax + 1);
  for (const Command& c : closed) ++per_client[c.client.value];
  EXPECT_EQ(per_client[0], limits::kClientsMax);
  for (std::uint32_t c = 1; c <= limits::kClientsMax; ++c) EXPECT_EQ(per_client[c], per_client[1]);
  EXPECT_EQ(per_client[1],
            (limits::kCommandsPerTickMax - limits::kClientsMax) / limits::kClientsMax);
}

TEST(Inbox, AFullTickKeepsTheReserve) {
  server::Inbox inbox(limits::kClientsMax);
  for (std::uint32_t c = 1; c <= limits::kClientsMax; ++c) {
    inbox.join(ClientId{c}, Role::play);
    inbox.accept(ClientId{c}, commands(ClientId{c}, 1, 20), Tick{1}, 0);
  }
  const auto closed = inbox.close(Tick{1}, 0, server::kReserveMax);
  EXPECT_LE(closed.size() + server::kReserveMax, limits::kCommandsPerTickMax);
  std::vector<std::size_t> per_client(limits::kClientsMax + 1);
  for (const Command& c : closed) ++per_client[c.client.value];
  for (std::uint32_t c = 1; c <= limits::kClientsMax; ++c) EXPECT_GE(per_client[c], 1u);
}

}  // namespace
}  // namespace orrery
