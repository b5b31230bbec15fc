// Tests that readers which lie about what they received cost the server and other clients little.
#include "tests/support/bots/hostile_readers.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>

#include "tests/support/served_session.h"

namespace orrery {
namespace {

using test::address_of;
using test::BlindReader;
using test::FrameReader;
using test::Port;

std::uint64_t false_acks(const test::ServedSession& session) {
  const auto& drops = session.server.endpoint().counters().drops;
  return drops[static_cast<std::size_t>(net::Drop::false_ack)];
}

// Returns the seed of a case. With --gtest_shuffle each repetition has other seeds.
std::uint64_t first_seed() {
  return 1 + 3 * static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed());
}

// Returns the bytes that a reader is sent in 13 seconds, and the number of its acknowledgements
// that ended its connection.
std::pair<std::uint64_t, std::uint64_t> sent_to(BlindReader::Manner manner, std::uint64_t seed) {
  test::ServedSession session("free:900", seed);
  Port port(session.network, address_of(9));
  BlindReader reader(port, session.token(9), session.now(), manner);
  for (int tick = 0; tick < 13 * 60; ++tick) {
    session.tick();
    test::update(reader, port, session.now());
  }
  return {reader.bytes(), false_acks(session)};
}

TEST(HostileReaders, WhoAcknowledgesWhatItNeverReadIsSentNoMoreThanWhoIsSilent) {
  const auto [silent, none] = sent_to(BlindReader::Manner::silent, first_seed());
  RecordProperty("silent", std::to_string(silent));
  EXPECT_EQ(none, 0u);
  EXPECT_LT(silent, 13 * 75'000u);
  for (const auto manner : {BlindReader::Manner::invents, BlindReader::Manner::guesses,
                            BlindReader::Manner::guesses_most}) {
    for (std::uint64_t seed = first_seed(); seed < first_seed() + 3; ++seed) {
      SCOPED_TRACE(testing::Message() << static_cast<int>(manner) << " seed " << seed);
      const auto [bytes, ends] = sent_to(manner, seed);
      std::printf("manner %d: %.0f kB, silent %.0f kB\n", static_cast<int>(manner),
                  static_cast<double>(bytes) / 1e3, static_cast<double>(silent) / 1e3);
      EXPECT_LE(bytes, silent);
      EXPECT_EQ(ends, 1u);
    }
  }
}

// A session with readers of frames.
struct Readers : test::ServedSession {
  using ServedSession::ServedSession;

  FrameReader& add(FrameReader::Manner manner, std::uint32_t number = 0) {
    const auto host = static_cast<std::uint32_t>(10 + readers.size());
    ports.emplace_back(network, address_of(host));
    return readers.emplace_back(ports.back(), token(host), now(), manner, number);
  }
  void run(int ticks) {
    for (; ticks > 0; --ticks) {
      tick();
      for (std::size_t i = 0; i < readers.size(); ++i) test::update(readers[i], ports[i], now());
    }
  }
  std::uint64_t coded() { return server.snapshots().bodies_coded(); }
  // Returns the bodies that the server codes in some ticks.
  std::uint64_t coded_in(int ticks) {
    const std::uint64_t before = coded();
    run(ticks);
    return coded() - before;
  }

  std::deque<Port> ports;
  std::deque<FrameReader> readers;
};

// 40 readers that keep different baselines cost no more work than 40 honest ones.
TEST(HostileReaders, AnOldBaselineIsDropped) {
  std::uint64_t work[2] = {};
  for (const bool hostile : {false, true}) {
    Readers session("free:900", first_seed());
    for (std::uint32_t i = 0; i < 40; ++i) {
      session.add(hostile ? FrameReader::Manner::keeps_one : FrameReader::Manner::honest, i);
    }
    session.run(4 * 60);  // the baselines become too old
    work[hostile] = session.coded_in(5 * 60);
    for (const FrameReader& reader : session.readers) {
      EXPECT_LE(reader.oldest_baseline(), 120u);
      EXPECT_GT(reader.frames(), 60u);
    }
  }
  std::printf("bodies coded a tick: honest %.0f, hostile %.0f\n",
              static_cast<double>(work[0]) / 300, static_cast<double>(work[1]) / 300);
  EXPECT_LE(static_cast<double>(work[1]), 1.2 * static_cast<double>(work[0]));
}

// Readers that acknowledge frames of all ages have as many baselines. A tick codes a limited number
// of them. Honest clients lose nothing, and the others share the rest.
TEST(HostileReaders, TheWorkOfATickIsBoundedAndShared) {
  Readers session("free:900", first_seed());
  session.add(FrameReader::Manner::honest);
  session.add(FrameReader::Manner::honest);
  for (std::uint32_t i = 0; i < 28; ++i) session.add(FrameReader::Manner::lags, i + 3);
  session.run(3 * 60);
  std::vector<std::size_t> before;
  for (const FrameReader& reader : session.readers) before.push_back(reader.frames());
  for (int tick = 0; tick < 600; ++tick) {
    ASSERT_LE(session.coded_in(1), server::CodedFrames::kBodiesPerSecond / 60);
  }
  for (std::size_t i = 0; i < session.readers.size(); ++i) {
    const std::size_t frames = session.readers[i].frames() - before[i];
    EXPECT_GE(frames, i < 2 ? 599u : 60u) << i;
  }
}

// The frames of 18 readers fill the memory for frames of 4,000 bodies. The honest client gets each
// of its frames all the same.
TEST(HostileReaders, WhoHoardsFramesTakesNoneFromOthers) {
  std::size_t frames[2] = {};
  for (const bool hostile : {false, true}) {
    Readers session("free:4000", first_seed());
    const FrameReader& honest = session.add(FrameReader::Manner::honest);
    session.run(60);
    const std::size_t before = honest.frames();
    for (std::uint32_t i = 0; i < 18 && hostile; ++i) {
      session.add(FrameReader::Manner::keeps_one, i);
      session.run(2);
    }
    session.run(hostile ? 600 - 36 : 600);
    frames[hostile] = honest.frames() - before;
  }
  std::printf("frames in 10 s: alone %zu, beside hoarders %zu\n", frames[0], frames[1]);
  EXPECT_GE(frames[1], frames[0]);
  EXPECT_GE(frames[0], 115u);
}

}  // namespace
}  // namespace orrery
