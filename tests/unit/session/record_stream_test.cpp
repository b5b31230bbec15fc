// Tests the stream of records of a log, and that the search for records after the valid prefix of a
// log has limits.
#include "common/session/record_stream.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/session/log_reader.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

constexpr int kTicks = 45;

// Returns a session with checkpoints after 20 and 40 ticks.
const test::RecordedSession& session() {
  static const test::RecordedSession recorded = [] {
    Scene scene = test::any_scene(21);
    scene.tick_rate = 2;
    return test::record_session(scene, 99, kTicks);
  }();
  return recorded;
}

TEST(RecordStream, ReturnsRecordsInOrderWithTheirChain) {
  test::MemorySource source(session().log);
  session::RecordStream stream(source);
  EXPECT_EQ(stream.take_preamble(session::kPreambleBytes).size(), session::kPreambleBytes);
  for (std::size_t i = 0; i < session().records.size(); ++i) {
    const auto frame = stream.front();
    ASSERT_TRUE(frame) << "record " << i;
    EXPECT_EQ(frame->type, session().records[i]);
    EXPECT_EQ(stream.payload(*frame).size(), frame->payload_size);
    stream.accept(*frame);
    EXPECT_EQ(stream.offset(), session().record_ends[i]);
    // The chain is the checksum at the end of the record.
    const Bytes end = Bytes(session().log).first(session().record_ends[i]).last(8);
    EXPECT_EQ(stream.chain(), ByteReader(end).u64());
  }
  EXPECT_FALSE(stream.front());
}

TEST(RecordStream, SeeksToAnyRecord) {
  test::MemorySource source(session().log);
  session::RecordStream stream(source);
  const std::size_t at = session().record_ends[30];
  ASSERT_TRUE(stream.seek(at));
  const auto frame = stream.front();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->type, session().records[31]);
  EXPECT_EQ(at + frame->size(), session().record_ends[31]);
  ASSERT_TRUE(stream.seek(at + 1));
  EXPECT_FALSE(stream.front());
  EXPECT_FALSE(stream.seek(session().log.size() + 1));
}

// A source with endless zeros after its bytes. size() returns the given size.
class EndlessSource final : public session::ByteSource {
 public:
  EndlessSource(Bytes bytes, std::uint64_t size) : bytes_(bytes), size_(size) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = bytes_.read(into);
    std::fill(into.begin() + static_cast<std::ptrdiff_t>(count), into.end(), std::uint8_t{0});
    read_ += into.size();
    return into.size();
  }
  std::uint64_t size() const override { return size_; }
  std::uint64_t bytes_read() const { return read_; }

 private:
  test::MemorySource bytes_;
  const std::uint64_t size_;
  std::uint64_t read_ = 0;
};

// The source is a pipe without an end, which has no size, or a sparse file of 4 TiB.
TEST(RecordStream, ATailWithoutAnEndIsSearchedUpToALimit) {
  constexpr std::uint64_t kLargestRecord = std::uint64_t{1} << 31;
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 42}) {
    EndlessSource source(session().log, size);
    session::LogReader reader(source);
    ASSERT_TRUE(reader.read_header());
    for (session::TickRecord record; reader.next(record);) {
    }
    const session::LogTail& tail = reader.tail();
    EXPECT_TRUE(tail.closed && tail.damaged);
    EXPECT_EQ(tail.tick.value, std::uint64_t{kTicks});
    EXPECT_EQ(tail.reason, "the rest is too long to be searched");
    EXPECT_GT(source.bytes_read(), kLargestRecord) << "a valid record after a broken one is found";
    EXPECT_LT(source.bytes_read(), kLargestRecord + kLargestRecord / 8);
    const std::uint64_t whole = session().log.size();
    if (size == 0) {
      EXPECT_GT(tail.lost_bytes, kLargestRecord);
    } else {
      EXPECT_EQ(tail.lost_bytes, size - whole);
    }
  }
}

// Damage before valid records, in a log without an end.
TEST(RecordStream, AfterABarrierAPipeIsNotReadForEver) {
  std::vector<std::uint8_t> log = session().log;
  log[session().record_ends[3] + 5] ^= 1;
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1} << 42}) {
    EndlessSource source(log, size);
    session::LogReader reader(source);
    ASSERT_TRUE(reader.read_header());
    for (session::TickRecord record; reader.next(record);) {
    }
    EXPECT_TRUE(reader.tail().damaged);
    EXPECT_EQ(reader.tail().reason, "");
    EXPECT_EQ(reader.tail().tick.value, 3u);
    constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
    EXPECT_LT(source.bytes_read(), (size == 0 ? 2200 : 2) * kMiB) << "a file knows its size";
    if (size != 0) {
      EXPECT_EQ(reader.tail().lost_bytes, size - session().record_ends[3]);
    }
  }
}

}  // namespace
}  // namespace orrery
