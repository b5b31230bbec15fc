// Tests that commands arrive in the tick that they name, without naming one too far ahead.
#include "client/lib/command_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/core/rng.h"

namespace orrery {
namespace {

constexpr double kRate = 60;

// A path to a server that ticks at 60 Hz. The client gives one command per frame, and each is in
// the datagrams of ten frames. Delays are in seconds, and may differ in the two directions.
struct Path {
  double there = 0.05;
  double back = 0.03;
  double jitter = 0;  // either way: up to this much is added
  double loss = 0;    // share of the datagrams to the server
};

struct Outcome {
  double in_time = 0;  // share of the commands that arrived in the tick that they named
  double lead = 0;     // mean time from giving a command to the close of its tick, in ticks
};

double uniform(SplitMix64& draw) { return (draw.symmetric() + 1) / 2; }

Outcome play(const Path& path, std::uint64_t seed, int seconds = 60) {
  SplitMix64 draw(seed);
  client::CommandClock clock(kRate);
  clock.guess(Tick{1000}, 0, path.there + path.back, path.jitter / 2);
  const double origin = 1000 - kRate * path.back;  // tick of the server at local time 0
  struct Report {
    double at;
    Sequence sequence;
    double margin;
  };
  std::vector<Report> reports;
  Outcome outcome;
  int counted = 0;
  for (int frame = 1; frame <= seconds * 60; ++frame) {
    const double now = frame / kRate;
    for (const Report& r : reports) {
      if (r.at <= now) clock.reported(r.sequence, r.margin, now);
    }
    std::erase_if(reports, [&](const Report& r) { return r.at <= now; });
    const Sequence sequence{static_cast<std::uint32_t>(frame)};
    const Tick tick = clock.give(sequence, now);
    double arrival = 1e9;  // arrival of the first datagram with the command that is not lost
    for (int copy = 0; copy < 10; ++copy) {
      const double at = now + copy / kRate + path.there + path.jitter * uniform(draw);
      if (uniform(draw) >= path.loss) arrival = std::min(arrival, at);
    }
    const double margin = static_cast<double>(tick.value) - (origin + kRate * arrival);
    const double rounded = std::floor(margin * 16) / 16;
    reports.push_back({arrival + path.back + path.jitter * uniform(draw), sequence, rounded});
    if (frame < 5 * 60) continue;
    ++counted;
    outcome.in_time += margin >= 0;
    outcome.lead += static_cast<double>(tick.value) - (origin + kRate * now);
  }
  outcome.in_time /= counted;
  outcome.lead /= counted;
  return outcome;
}

// The paths have up to four frames of jitter in each direction, and up to 5 % loss. On every path
// 99 % of the commands arrive in time. The mean lead is at most half the round trip, plus the 99th
// percentile of the jitter, plus one tick.
TEST(CommandClock, NinetyNinePercentArriveInTheTickTheyName) {
  constexpr double kJitter = 4 / kRate;
  constexpr double kOneWay = 0.04;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    for (const auto& [jitter, loss] : {std::pair{0.0, 0.0}, {kJitter, 0.0}, {kJitter, 0.05}}) {
      if (jitter == 0 && seed > 1) continue;  // nothing is random
      SCOPED_TRACE(testing::Message()
                   << "seed " << seed << " jitter " << jitter << " loss " << loss);
      const Outcome outcome = play({kOneWay, kOneWay, jitter, loss}, seed, 30);
      EXPECT_GE(outcome.in_time, 0.99);
      EXPECT_LE(outcome.lead, kRate * (kOneWay + 0.99 * jitter) + 1 + 1e-6);
    }
  }
}

// On the first path, data takes longer to the server than back. Half the round trip would be too
// small a lead there.
TEST(CommandClock, APathThatIsSlowerThereThanBackIsNoticed) {
  EXPECT_GE(play({0.15, 0.01, 0.01, 0}, 1).in_time, 0.985);
  EXPECT_LE(play({0.01, 0.15, 0.01, 0}, 1).lead, kRate * 0.02 + 1.5);
}

TEST(CommandClock, TheLeadMovesSlowlyAndJumpsOnlyFar) {
  client::CommandClock clock(kRate);
  clock.guess(Tick{1000}, 0, 0.1, 0);
  Tick before = clock.give(Sequence{1}, 0.5);
  clock.reported(Sequence{1}, -3, 0.6);  // three ticks late: too little for a jump
  const Tick soon = clock.give(Sequence{2}, 0.6);
  EXPECT_LE(soon.value - before.value, 7u);
  clock.reported(Sequence{2}, -40, 0.7);
  const Tick jumped = clock.give(Sequence{3}, 0.7);
  EXPECT_GE(jumped.value - soon.value, 40u);
  EXPECT_GE(clock.give(Sequence{4}, 0.2), jumped);  // it never decreases
}

TEST(CommandClock, TheDelayHasLimits) {
  for (const auto& [min, max] : {std::pair{0.0, 120.0}, {5.0, 120.0}, {0.0, 1.0}}) {
    SplitMix64 draw(7);
    client::CommandClock clock(kRate);
    clock.limit({min, max});
    clock.guess(Tick{1000}, 0, 0.1, 0);
    for (std::uint32_t i = 1; i <= 600; ++i) {
      const double now = i / kRate;
      const Tick tick = clock.give(Sequence{i}, now);
      const double arrival = 1000 + kRate * now + 3 + 4 * uniform(draw);
      clock.reported(Sequence{i}, static_cast<double>(tick.value) - arrival, now);
    }
    EXPECT_GE(clock.slack(), min - 0.1);
    EXPECT_LE(clock.slack(), std::min(max, 5.2) + 0.1);
  }
}

TEST(CommandClock, AnyTimeAndReportGiveATick) {
  client::CommandClock clock(kRate);
  EXPECT_EQ(clock.give(Sequence{1}, 1), Tick{0});
  clock.reported(Sequence{1}, 3, 1);  // before anything is known: ignored
  clock.guess(Tick{5}, std::nan(""), 0, 0);
  EXPECT_EQ(clock.give(Sequence{2}, 1), Tick{0});
  clock.guess(Tick{5}, 1, 0.1, 0);
  const double infinity = std::numeric_limits<double>::infinity();
  Tick before = clock.give(Sequence{3}, 1);
  for (const double now : {1.0, -1e9, infinity, std::nan(""), 1e300, 2.0}) {
    clock.reported(Sequence{3}, 2000, now);
    clock.reported(Sequence{3}, -2000, now);
    const Tick tick = clock.give(Sequence{4}, now);
    EXPECT_GE(tick, before);
    before = tick;
  }
}

}  // namespace
}  // namespace orrery
