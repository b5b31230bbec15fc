// Tests reading of damaged session logs: every cut, every flipped bit, wrong order.
#include "common/session/log_reader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/core/hash.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

constexpr int kTicks = 45;

test::RecordedSession record(std::uint32_t tick_rate, int ticks) {
  Scene scene = test::any_scene(21);
  scene.tick_rate = tick_rate;
  return test::record_session(scene, 99, ticks);
}

// Returns a session with checkpoints after 20 and 40 ticks.
const test::RecordedSession& session() {
  static const test::RecordedSession recorded = record(2, kTicks);
  return recorded;
}

struct Reading {
  bool header = false;
  std::uint64_t ticks = 0;
  bool hashes_equal = true;
  session::LogTail tail;
  bool damaged = false;  // the header or the tail
  Problem error;
};

Reading read(Bytes log, const test::RecordedSession& recorded = session()) {
  test::MemorySource source(log);
  session::LogReader reader(source);
  Reading found;
  const Result<codec::LogHeader> header = reader.read_header();
  found.header = header.ok();
  if (!header) found.error = header.error();
  session::TickRecord record;
  while (reader.next(record)) {
    ++found.ticks;
    found.hashes_equal = found.hashes_equal && record.tick.value == found.ticks &&
                         found.ticks < recorded.hashes.size() &&
                         record.hash == recorded.hashes[found.ticks];
  }
  found.tail = reader.tail();
  found.damaged = header ? found.tail.damaged : found.error->code == ErrorCode::damaged;
  return found;
}

// Returns the number of complete ticks in the first `size` bytes.
std::uint64_t whole_ticks(const test::RecordedSession& recorded, std::size_t size) {
  std::uint64_t ticks = 0;
  for (std::size_t i = 0; i < recorded.records.size(); ++i) {
    if (recorded.records[i] == session::RecordType::tick && recorded.record_ends[i] <= size)
      ++ticks;
  }
  return ticks;
}

// Returns the offset at which the record of the last tick ends.
std::size_t ticks_end() {
  const auto& records = session().records;
  std::size_t last = records.size() - 1;
  while (records[last] != session::RecordType::tick) --last;
  return session().record_ends[last];
}

// Returns the size of the complete records in the first `size` bytes.
std::size_t prefix_bytes(const test::RecordedSession& recorded, std::size_t size) {
  const auto& ends = recorded.record_ends;
  const auto next = std::upper_bound(ends.begin(), ends.end(), size);
  return next == ends.begin() ? 0 : *std::prev(next);
}

TEST(LogReader, ReadsWhatWasWritten) {
  const Reading found = read(session().log);
  EXPECT_TRUE(found.header && found.tail.closed && found.hashes_equal);
  EXPECT_FALSE(found.tail.damaged);
  EXPECT_EQ(found.ticks, std::uint64_t{kTicks});
  EXPECT_EQ(found.tail.lost_bytes, 0u);
  EXPECT_EQ(found.tail.complete_bytes, session().log.size());
}

void expect_cuts_found(const test::RecordedSession& recorded) {
  const Bytes log = recorded.log;
  const std::size_t header_end = recorded.record_ends[0];
  for (std::size_t size = 0; size < log.size(); ++size) {
    const Reading found = read(log.first(size), recorded);
    ASSERT_EQ(found.header, size >= header_end) << size;
    ASSERT_FALSE(found.damaged) << size;
    ASSERT_TRUE(found.header || size == 0 || found.error->code == ErrorCode::incomplete) << size;
    ASSERT_FALSE(found.tail.closed) << size;
    ASSERT_EQ(found.ticks, whole_ticks(recorded, size)) << size;
    ASSERT_TRUE(found.hashes_equal) << size;
    if (!found.header) continue;
    const std::size_t whole = prefix_bytes(recorded, size);
    ASSERT_EQ(found.tail.complete_bytes, whole) << size;
    ASSERT_EQ(found.tail.lost_bytes, size - whole) << size;
  }
}

// Expects that the records before the flipped bit are read. The log counts as damaged if a later
// record is complete and the checksum before that record is intact. Otherwise it counts as torn.
void expect_flip_found(const test::RecordedSession& recorded, std::vector<std::uint8_t>& log,
                       std::size_t bit) {
  const auto& ends = recorded.record_ends;
  const std::size_t byte = bit / 8;
  log[byte] ^= static_cast<std::uint8_t>(1u << bit % 8);
  const Reading found = read(log, recorded);
  log[byte] ^= static_cast<std::uint8_t>(1u << bit % 8);
  const auto broken =
      static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), byte) - ends.begin());
  if (byte < session::kPreambleBytes && !test::is_known_with_flip(bit)) {
    ASSERT_FALSE(found.header) << "bit " << bit;
    ASSERT_FALSE(found.damaged) << "bit " << bit;
    return;
  }
  ASSERT_EQ(found.header, broken > 0) << "bit " << bit;
  ASSERT_EQ(found.ticks, whole_ticks(recorded, broken == 0 ? 0 : ends[broken - 1])) << bit;
  ASSERT_TRUE(found.hashes_equal) << "bit " << bit;
  ASSERT_FALSE(found.tail.closed) << "bit " << bit;
  // A flip in a checksum also breaks the next record, because the checksum is its seed.
  const bool in_checksum = byte >= ends[broken] - session::kChecksumBytes;
  const std::size_t next_whole = broken + (in_checksum ? 2 : 1);
  ASSERT_EQ(found.damaged, next_whole < ends.size()) << "bit " << bit;
  const std::size_t lost = log.size() - (broken == 0 ? session::kPreambleBytes : ends[broken - 1]);
  ASSERT_EQ(found.tail.lost_bytes, lost) << "bit " << bit;
}

void expect_flips_found(const test::RecordedSession& recorded, std::size_t step) {
  std::vector<std::uint8_t> log = recorded.log;
  for (std::size_t bit = 0; bit < 8 * log.size(); bit += step) {
    expect_flip_found(recorded, log, bit);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(LogReader, EveryCutGivesExactlyTheLongestValidPrefix) { expect_cuts_found(session()); }

TEST(LogReader, FlippedBitsAreFoundAndPlaced) {
  // A prime step reaches every bit of a byte and every part of a record.
  expect_flips_found(session(), 37);
}

TEST(LogReader, SlowEveryCutAndEveryFlippedBitOfTenSecondsIsFound) {
  const test::RecordedSession ten_seconds = record(60, 601);
  expect_cuts_found(ten_seconds);
  expect_flips_found(ten_seconds, 1);
}

TEST(LogReader, RecordsMovedRepeatedOrLeftOutAreDamage) {
  const auto& log = session().log;
  const auto& ends = session().record_ends;
  const auto at = [&](std::size_t offset) {
    return log.begin() + static_cast<std::ptrdiff_t>(offset);
  };
  for (std::size_t i = 1; i + 4 < ends.size(); i += 5) {
    std::vector<std::uint8_t> without(log.begin(), at(ends[i]));
    without.insert(without.end(), at(ends[i + 1]), log.end());
    std::vector<std::uint8_t> repeated(log.begin(), at(ends[i + 1]));
    repeated.insert(repeated.end(), at(ends[i]), log.end());
    std::vector<std::uint8_t> swapped(log.begin(), at(ends[i]));
    swapped.insert(swapped.end(), at(ends[i + 1]), at(ends[i + 2]));
    swapped.insert(swapped.end(), at(ends[i]), at(ends[i + 1]));
    swapped.insert(swapped.end(), at(ends[i + 2]), log.end());
    for (const auto& edited : {without, repeated, swapped}) {
      const Reading found = read(edited);
      EXPECT_TRUE(found.tail.damaged) << i;
      EXPECT_TRUE(found.hashes_equal) << i;
      EXPECT_LE(found.ticks, i + 1) << i;
    }
  }
}

TEST(LogReader, ATailOfZerosOrNoiseIsTorn) {
  std::vector<std::uint8_t> log(session().log.begin(),
                                session().log.begin() + static_cast<std::ptrdiff_t>(ticks_end()));
  const std::size_t whole = log.size();
  log.resize(whole + 4096, 0);
  EXPECT_FALSE(read(log).tail.damaged);
  EXPECT_EQ(read(log).tail.lost_bytes, 4096u);
  SplitMix64 draw(5);
  for (std::size_t i = whole; i < log.size(); ++i) log[i] = static_cast<std::uint8_t>(draw.next());
  EXPECT_FALSE(read(log).tail.damaged);
  EXPECT_EQ(read(log).ticks, std::uint64_t{kTicks});
}

TEST(LogReader, BytesBehindTheEndAreCounted) {
  std::vector<std::uint8_t> log = session().log;
  log.insert(log.end(), 100, 0xAB);
  const Reading found = read(log);
  EXPECT_TRUE(found.tail.closed);
  EXPECT_FALSE(found.tail.damaged);
  EXPECT_EQ(found.tail.lost_bytes, 100u);
}

// Reads a log with `payload` after the last tick and a correct checksum.
Reading with_last_record(std::uint8_t type, const std::vector<std::uint8_t>& payload) {
  const std::size_t end = ticks_end();
  std::vector<std::uint8_t> log(session().log.begin(),
                                session().log.begin() + static_cast<std::ptrdiff_t>(end));
  const std::uint64_t seed = ByteReader(Bytes(log).last(8)).u64();
  ByteWriter out(log);
  out.u8(type);
  out.varint(payload.size());
  out.bytes(payload);
  out.u64(checksum(Bytes(log).subspan(end), seed));
  return read(log);
}

TEST(LogReader, RecordsThatMeanNothingAreDamage) {
  const std::vector<std::uint8_t> hash(8, 1);
  std::vector<std::uint8_t> unsorted = hash;
  unsorted.insert(unsorted.end(), {0x25, 1, 0x15, 1});  // client 2 before client 1
  std::vector<std::uint8_t> unknown = hash;
  unknown.insert(unknown.end(), {0x1B, 1});
  std::vector<std::uint8_t> many = hash;
  for (std::size_t i = 0; i <= limits::kCommandsPerTickMax; ++i) {
    many.insert(many.end(), {0x15, 1});
  }
  EXPECT_TRUE(with_last_record(7, unsorted).tail.damaged);
  EXPECT_TRUE(with_last_record(7, unknown).tail.damaged);
  EXPECT_TRUE(with_last_record(7, many).tail.damaged);
  EXPECT_TRUE(with_last_record(7, {1, 2, 3}).tail.damaged);
  EXPECT_TRUE(with_last_record(3, hash).tail.damaged) << "an end of another number of ticks";
  EXPECT_TRUE(with_last_record(1, hash).tail.damaged) << "a second header";
  EXPECT_FALSE(with_last_record(7, hash).tail.damaged);
}

TEST(LogReader, CheckpointsAndIndexesThatMeanNothingAreDamage) {
  std::vector<std::uint8_t> checkpoint = {kTicks, 1, 2, 3, 4, 5, 6, 7, 8, 'O', 'R', 'I', 'M'};
  EXPECT_FALSE(with_last_record(4, checkpoint).tail.damaged);
  checkpoint[0] = kTicks + 1;
  EXPECT_TRUE(with_last_record(4, checkpoint).tail.damaged) << "of another tick";
  checkpoint[0] = kTicks;
  checkpoint.back() = 'N';
  EXPECT_TRUE(with_last_record(4, checkpoint).tail.damaged) << "no image";
  std::vector<std::uint8_t> index;
  std::vector<session::CheckpointEntry> places;
  for (std::size_t i = 0; i < session().records.size(); ++i) {
    if (session().records[i] != session::RecordType::checkpoint) continue;
    places.push_back({Tick{20 * (places.size() + 1)}, session().record_ends[i - 1]});
  }
  session::encode_index(places, ticks_end(), index);
  EXPECT_FALSE(with_last_record(5, index).tail.damaged);
  ++places[1].offset;
  session::encode_index(places, ticks_end(), index);
  EXPECT_TRUE(with_last_record(5, index).tail.damaged) << "of another place";
  places.pop_back();
  session::encode_index(places, ticks_end(), index);
  EXPECT_TRUE(with_last_record(5, index).tail.damaged) << "of one checkpoint of two";
  session::encode_index(std::vector<session::CheckpointEntry>{{Tick{20}, 200}, {Tick{40}, 100}},
                        300, index);
  EXPECT_TRUE(with_last_record(5, index).tail.damaged) << "not in order";
  session::encode_index(std::vector<session::CheckpointEntry>{{Tick{20}, 300}}, 300, index);
  EXPECT_TRUE(with_last_record(5, index).tail.damaged) << "of what lies behind it";
  index.pop_back();
  EXPECT_TRUE(with_last_record(5, index).tail.damaged) << "cut";
}

// A move that fails leaves the reader at its position.
TEST(LogReader, GoesToCheckpointsAndBack) {
  test::MemorySegments log;
  log.segments[0] = session().log;
  test::MemorySource source(log.segments[0]);
  session::LogReader reader(source, log.opener());
  ASSERT_TRUE(reader.read_header());
  session::TickRecord record;
  while (reader.tick().value < 25) ASSERT_TRUE(reader.next(record));
  ASSERT_EQ(reader.last_checkpoint()->place.tick.value, 20u);
  session::CheckpointLocation at = *reader.last_checkpoint();
  for (const std::uint64_t off : {std::uint64_t{1}, session().log.size(), ~std::uint64_t{0} - 9}) {
    EXPECT_FALSE(reader.go_to({0, {at.place.tick, at.place.offset + off}}));
    EXPECT_FALSE(reader.go_to({1, at.place}));
    EXPECT_FALSE(reader.go_to({0, {Tick{21}, at.place.offset}}));
    ASSERT_TRUE(reader.next(record)) << off;
    EXPECT_EQ(record.hash, session().hashes[record.tick.value]);
  }
  EXPECT_EQ(record.tick.value, 28u);
  session::Checkpoint checkpoint;
  ASSERT_TRUE(reader.go_to(at));
  ASSERT_EQ(reader.next(record, checkpoint), session::RecordType::checkpoint);
  EXPECT_TRUE(checkpoint.after_gap);
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.tick.value, 21u);
  ASSERT_TRUE(reader.go_to_start());
  for (std::uint64_t tick = 1; tick <= kTicks; ++tick) {
    ASSERT_TRUE(reader.next(record));
    EXPECT_EQ(record.hash, session().hashes[tick]);
  }
  EXPECT_FALSE(reader.next(record));
  EXPECT_TRUE(reader.tail().closed);
  EXPECT_EQ(reader.tail().complete_bytes, session().log.size());
}

TEST(LogReader, SaysWhatIsNotALogOfThisVersion) {
  EXPECT_EQ(read({}).error->text(), "is empty; expected a session log");
  const std::vector<std::uint8_t> text = {'h', 'e', 'l', 'l', 'o'};
  EXPECT_EQ(read(text).error->text(),
            "is not a session log, as orreryd and `orrery run --log` write them");
  std::vector<std::uint8_t> newer = session().log;
  newer[8] = 9;
  EXPECT_EQ(read(newer).error->text(),
            "is a session log of format 9; this build reads formats 1 to 8");
  EXPECT_EQ(read(Bytes(session().log).first(11)).error->text(),
            "is cut inside its header; nothing of it can be read");
}

// Memory is allocated for the bytes present, not for the two gigabytes that the header announces.
TEST(LogReader, LengthsAreNotBelieved) {
  std::vector<std::uint8_t> log(session().log.begin(),
                                session().log.begin() + session::kPreambleBytes);
  ByteWriter out(log);
  out.u8(1);
  out.varint(limits::kSceneBytesMax);
  log.resize(log.size() + 1000, 0x55);
  const Reading found = read(log);
  EXPECT_FALSE(found.header);
  EXPECT_FALSE(found.tail.damaged);
}

// Each thrust looks like the start of a long tick record of such thrusts, without a valid checksum.
// For each thrust (15 bytes of log), the search for valid records decodes and hashes 21 kB. The
// search gives up after a limit and reports damage, because no torn log looks like this.
TEST(LogReader, HostileTailsTakeBoundedWork) {
  std::vector<std::uint8_t> log(
      session().log.begin(),
      session().log.begin() + static_cast<std::ptrdiff_t>(session().record_ends[0]));
  constexpr std::size_t kThrustsEach = 700;
  constexpr std::size_t kPayload = 8 + 15 * kThrustsEach;
  // The x of the force, a float, has four bytes: 0, the type of a tick record (7), and the length
  // of that record in two bytes. This float is below the limit of forces. The bytes of y and z, all
  // 0, are the hash in the tick record.
  std::vector<std::uint8_t> thrust = {0x10, 1, 1};  // kind and client, sequence, body
  thrust.insert(thrust.end(), {0, 7});
  thrust.push_back(0x80 | (kPayload & 0x7f));
  thrust.push_back(kPayload >> 7);
  thrust.insert(thrust.end(), 8, 0);
  const auto hostile_tail = [&](std::size_t thrusts) {
    std::vector<std::uint8_t> bytes = log;
    for (std::size_t i = 0; i < thrusts; ++i) {
      bytes.insert(bytes.end(), thrust.begin(), thrust.end());
    }
    return read(bytes);
  };
  const Reading few = hostile_tail(2000);
  EXPECT_FALSE(few.tail.damaged) << "none of the records is valid";
  const Reading many = hostile_tail(5000);
  EXPECT_EQ(many.ticks, 0u);
  EXPECT_TRUE(many.tail.damaged);
  EXPECT_EQ(many.tail.lost_bytes, 15u * 5000);
}

}  // namespace
}  // namespace orrery
