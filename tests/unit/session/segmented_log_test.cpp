// Tests the writer of logs in segments, on storage in memory that fails.
#include "common/session/writer/segmented_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "common/session/log_reader.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

// Storage in memory. It refuses the calls of create() and append() whose numbers, counted from 1,
// are in `refused`. A refused append() leaves half of its bytes in the file.
struct MemoryStore final : session::SegmentStore {
  MemoryStore() { log.segments.clear(); }

  Status create(const codec::LogHeader& header, Bytes bytes) override {
    if (refused.contains(++calls)) return Error{"LOG: refused"};
    EXPECT_EQ(header.segment, log.segments.size());
    log.segments.emplace_back(bytes.begin(), bytes.end());
    durable.push_back(bytes.size());
    return ok_status();
  }
  Status append(Bytes bytes) override {
    const bool refuses = refused.contains(++calls);
    if (refuses) bytes = bytes.first(bytes.size() / 2);
    log.segments.back().insert(log.segments.back().end(), bytes.begin(), bytes.end());
    if (refuses) return Error{"LOG: refused"};
    durable.back() += bytes.size();
    return ok_status();
  }
  void close() override { ++closed; }
  std::optional<session::SegmentLoss> check() override { return {}; }

  test::MemorySegments log;
  std::vector<std::size_t> durable;  // bytes of each segment that were not refused
  std::set<int> refused;
  int calls = 0;
  int closed = 0;
};

test::RecordedSession recorded() {
  Scene scene = test::any_scene(5);
  scene.tick_rate = 1;  // a checkpoint every ten ticks
  return test::record_session(scene, 3, 45);
}

// Compares the durable bytes of the segment that is written with those in the storage.
void expect_durable_bytes(const session::LogState& state, const MemoryStore& store) {
  const bool exists = state.segment < store.log.segments.size();
  EXPECT_EQ(state.segment_bytes, exists ? store.log.segments[state.segment].size() : 0u);
}

// Commits a session, each record by itself.
void write(const test::RecordedSession& session, MemoryStore& store, std::size_t segment_bytes) {
  session::SegmentedLog log(store, segment_bytes);
  for (const session::RecordBatch& record : test::single_records(session.log)) {
    log.commit(record);
    expect_durable_bytes(log.state(), store);
  }
  for (int i = 0; i < 2; ++i) log.commit({});  // at most two calls are refused
  EXPECT_FALSE(log.state().failing) << log.state().failure;
  EXPECT_EQ(log.state().durable.value, 45u);
  EXPECT_EQ(log.state().failures, store.refused.size());
  for (std::uint32_t i = 0; i < store.durable.size(); ++i) {
    const std::uint64_t size = store.log.segments[i].size();
    EXPECT_EQ(std::min(session::durable_bytes(log.state(), i), size), store.durable[i]) << i;
  }
  EXPECT_EQ(session::durable_bytes(log.state(), log.state().segment + 1), 0u);
}

// Reads a log to its end and compares its hashes with the session.
void expect_whole(const test::MemorySegments& log, const test::RecordedSession& session) {
  test::MemorySource first(log.segments[0]);
  session::LogReader reader(first, log.opener());
  ASSERT_TRUE(reader.read_header());
  std::uint64_t ticks = 0;
  for (session::TickRecord record; reader.next(record);) {
    ASSERT_EQ(record.tick.value, ++ticks);
    ASSERT_EQ(record.hash, session.hashes[ticks]);
  }
  EXPECT_EQ(ticks, 45u);
  EXPECT_TRUE(reader.tail().closed);
  EXPECT_FALSE(reader.tail().damaged) << reader.tail().reason;
}

TEST(SegmentedLog, OneSegmentHasTheBytesOfTheSession) {
  const test::RecordedSession session = recorded();
  MemoryStore store;
  write(session, store, std::size_t{1} << 30);
  ASSERT_EQ(store.log.segments.size(), 1u);
  EXPECT_TRUE(store.log.segments[0] == session.log);
}

TEST(SegmentedLog, EachCheckpointMayEndASegment) {
  const test::RecordedSession session = recorded();
  MemoryStore store;
  write(session, store, 1);
  EXPECT_EQ(store.log.segments.size(), 5u);
  EXPECT_EQ(store.closed, 4);
  expect_whole(store.log, session);
}

// Refuses each call once, alone and together with the next call. Refused records are then found in
// a later segment.
TEST(SegmentedLog, ARefusedCallLosesNothing) {
  const test::RecordedSession session = recorded();
  MemoryStore healthy;
  write(session, healthy, 4000);
  for (int call = 1; call <= healthy.calls; ++call) {
    for (const std::set<int>& refused : {std::set<int>{call}, std::set<int>{call, call + 1}}) {
      SCOPED_TRACE("call " + std::to_string(call));
      MemoryStore store;
      store.refused = refused;
      write(session, store, 4000);
      expect_whole(store.log, session);
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace orrery
