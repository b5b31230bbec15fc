// Tests damage in logs of two segments, packed or not: cuts and flipped bits. The slow tests try
// every one.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/host/disk/packing/packed_segment.h"
#include "common/session/log_reader.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/lossy_log.h"

namespace orrery {
namespace {

// Two segments, and the hash of each state.
struct TwoSegments {
  test::RecordedSession parts[2];
  std::vector<std::uint64_t> hashes;
};

struct Reading {
  bool header = false;
  std::uint64_t ticks = 0;
  bool hashes_equal = true;
  session::LogTail tail;
  bool damaged = false;  // the header or the tail
};

Reading read(session::ByteSource& first, Bytes second, const std::vector<std::uint64_t>& hashes) {
  session::LogReader reader(
      first, [&](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
        if (number != 1) return std::unique_ptr<session::ByteSource>();
        return std::unique_ptr<session::ByteSource>(std::make_unique<test::MemorySource>(second));
      });
  Reading found;
  const Result<codec::LogHeader> header = reader.read_header();
  found.header = header.ok();
  for (session::TickRecord record; reader.next(record);) {
    ++found.ticks;
    found.hashes_equal = found.hashes_equal && record.tick.value == found.ticks &&
                         found.ticks < hashes.size() && record.hash == hashes[found.ticks];
  }
  found.tail = reader.tail();
  found.damaged = header ? found.tail.damaged : header.error().code == ErrorCode::damaged;
  return found;
}

Reading read(Bytes first, Bytes second, const std::vector<std::uint64_t>& hashes) {
  test::MemorySource source(first);
  return read(source, second, hashes);
}

// Returns the number of complete records in the first `size` bytes.
std::size_t whole_records(const test::RecordedSession& part, std::size_t size) {
  const auto& ends = part.record_ends;
  return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), size) - ends.begin());
}

std::uint64_t whole_ticks(const test::RecordedSession& part, std::size_t size) {
  const auto end = part.records.begin() + static_cast<std::ptrdiff_t>(whole_records(part, size));
  return static_cast<std::uint64_t>(
      std::count(part.records.begin(), end, session::RecordType::tick));
}

// Returns the offset in the part at which its record of tick number `tick` ends. Ticks count from 1
// in each part.
std::size_t end_of_tick(const test::RecordedSession& part, std::uint64_t tick) {
  std::size_t size = 0;
  while (whole_ticks(part, size) < tick) size = part.record_ends[whole_records(part, size)];
  return size;
}

// --- An abandoned first segment: its last records are repeated in the second ---

struct GivenUp : TwoSegments {
  std::uint64_t durable = 0;  // last tick that the reader takes from the first segment
  std::size_t kept = 0;       // offset of the end of that tick's record, before any checkpoint
};

GivenUp given_up(std::uint32_t tick_rate, int ticks) {
  Scene scene = test::any_scene(21);
  scene.tick_rate = tick_rate;
  test::LossyLog lossy = test::lossy_log(scene, 99, ticks, test::Loss::sync);
  GivenUp made;
  for (std::size_t i = 0; i < 2; ++i) {
    made.parts[i].log = std::move(lossy.log.segments[i]);
    test::find_records(made.parts[i]);
  }
  made.hashes = std::move(lossy.hashes);
  made.durable = lossy.durable;
  made.kept = end_of_tick(made.parts[0], lossy.durable);
  return made;
}

void expect_whole(const Reading& found, const TwoSegments& log, std::size_t at) {
  ASSERT_TRUE(found.header && found.hashes_equal && found.tail.closed) << at;
  ASSERT_FALSE(found.tail.damaged) << at << found.tail.reason;
  ASSERT_EQ(found.ticks + 1, log.hashes.size()) << at;
}

void expect_cuts_found(const GivenUp& log, std::size_t step) {
  const Bytes first(log.parts[0].log);
  const Bytes second(log.parts[1].log);
  for (std::size_t size = 0; size < first.size(); size += step) {
    const Reading found = read(first.first(size), second, log.hashes);
    if (size >= log.kept) {
      ASSERT_NO_FATAL_FAILURE(expect_whole(found, log, size));
      continue;
    }
    ASSERT_EQ(found.header, size >= log.parts[0].record_ends[0]) << size;
    ASSERT_EQ(found.ticks, whole_ticks(log.parts[0], size)) << size;
    ASSERT_TRUE(found.hashes_equal) << size;
    ASSERT_EQ(found.damaged, found.header) << size;
  }
  for (std::size_t size = 0; size < second.size(); size += step) {
    const Reading found = read(first, second.first(size), log.hashes);
    const std::size_t whole = whole_records(log.parts[1], size);
    ASSERT_TRUE(found.hashes_equal) << size;
    ASSERT_FALSE(found.tail.damaged || found.tail.closed) << size;
    ASSERT_EQ(found.ticks, whole == 0 ? whole_ticks(log.parts[0], first.size())
                                      : log.durable + whole_ticks(log.parts[1], size));
    const std::size_t prefix = whole == 0 ? 0 : log.parts[1].record_ends[whole - 1];
    ASSERT_EQ(found.tail.lost_bytes, size - prefix) << size;
  }
}

void expect_flip_found(const GivenUp& log, std::size_t part, std::size_t bit,
                       const Reading& found) {
  const std::size_t byte = bit / 8;
  if (part == 0 && byte >= log.kept) return expect_whole(found, log, byte);
  const auto& ends = log.parts[part].record_ends;
  const std::size_t broken = whole_records(log.parts[part], byte);
  const std::uint64_t before = whole_ticks(log.parts[part], byte);
  ASSERT_TRUE(found.hashes_equal) << byte;
  ASSERT_FALSE(found.tail.closed) << byte;
  ASSERT_EQ(found.header, part == 1 || broken > 0) << byte;
  if (part == 0) {
    ASSERT_EQ(found.ticks, before) << byte;
    ASSERT_EQ(found.damaged, byte >= session::kPreambleBytes || test::is_known_with_flip(bit))
        << byte;
    return;
  }
  // Without the header of the second segment, all ticks of the first segment count.
  ASSERT_EQ(found.ticks,
            broken == 0 ? whole_ticks(log.parts[0], log.parts[0].log.size()) : log.durable + before)
      << byte;
  const bool in_checksum = byte >= ends[broken] - session::kChecksumBytes;
  ASSERT_EQ(found.tail.damaged, broken + (in_checksum ? 2 : 1) < ends.size()) << byte;
}

void expect_flips_found(const GivenUp& log, std::size_t step) {
  std::vector<std::uint8_t> segments[2] = {log.parts[0].log, log.parts[1].log};
  for (std::size_t part = 0; part < 2; ++part) {
    for (std::size_t bit = 0; bit < 8 * segments[part].size(); bit += step) {
      std::uint8_t& byte = segments[part][bit / 8];
      byte ^= static_cast<std::uint8_t>(1u << bit % 8);
      const Reading found = read(segments[0], segments[1], log.hashes);
      byte ^= static_cast<std::uint8_t>(1u << bit % 8);
      ASSERT_NO_FATAL_FAILURE(expect_flip_found(log, part, bit, found)) << "bit " << bit;
    }
  }
}

TEST(LogDamage, IsFoundWhereASegmentWasGivenUp) {
  const GivenUp log = given_up(2, 44);  // checkpoints after 20 and 40 ticks; the first is repeated
  expect_whole(read(log.parts[0].log, log.parts[1].log, log.hashes), log, 0);
  expect_cuts_found(log, 1);
  expect_flips_found(log, 37);
}

TEST(LogDamage, SlowIsFoundWhereverItIsInTenSeconds) {
  const GivenUp log = given_up(60, 600);
  expect_cuts_found(log, 1);
  expect_flips_found(log, 1);
}

// --- A packed segment, which is valid block by block ---

constexpr std::size_t kBlockBytes = 65536;

struct PackedLog : TwoSegments {
  std::vector<std::uint8_t> file;  // the first segment, packed
  std::vector<std::size_t> ends;   // ends of the blocks in `file`
};

// Records a session with five ticks in the second segment.
PackedLog packed_log(const Scene& scene, int ticks) {
  PackedLog made;
  World world(scene);
  SerialExecutor executor;
  test::MemorySegments segments;
  std::optional<session::SessionLog> log(
      std::in_place, segments, session::make_log_header(world, "test", codec::SessionId{1}));
  made.hashes.push_back(world.hash());
  for (int tick = 1; tick <= ticks + 5; ++tick) {
    step(world, {}, executor);
    EXPECT_TRUE(log->append_tick(world));
    made.hashes.push_back(world.hash());
    if (tick == ticks) test::begin_segment(world, segments, log);
  }
  log->close();
  for (std::size_t i = 0; i < 2; ++i) {
    made.parts[i].log = std::move(segments.segments[i]);
    test::find_records(made.parts[i]);
  }
  EXPECT_LT(made.parts[0].record_ends[0], kBlockBytes) << "the scene is in the first block";
  test::SimulatedDisk disk(1);
  const Bytes segment(made.parts[0].log);
  test::MemorySource source(segment);
  EXPECT_EQ(host::pack_segment(source, segment.size(), disk, "LOG"), 0);
  made.file = disk.content().at("LOG");
  for (std::size_t at = 16; at < made.file.size(); made.ends.push_back(at)) {
    ByteReader in(Bytes(made.file).subspan(at));
    in.u32();
    at += 16 + in.u32();
  }
  return made;
}

Reading read_packed(const PackedLog& log, Bytes file, Bytes second) {
  test::SimulatedDisk disk(1);
  disk.write(disk.create("LOG", true), file);
  return read(*host::SegmentSource::open("LOG", disk).value(), second, log.hashes);
}

// Reads the log with a valid second segment, and with an empty one. Expects exactly the ticks of
// the blocks before the block with the byte `byte`.
void expect_broken_block_found(const PackedLog& log, std::size_t byte, Bytes file) {
  const auto blocks = static_cast<std::size_t>(
      std::upper_bound(log.ends.begin(), log.ends.end(), byte) - log.ends.begin());
  for (const Bytes second : {Bytes(log.parts[1].log), Bytes()}) {
    const Reading found = read_packed(log, file, second);
    ASSERT_EQ(found.header, byte >= log.ends[0]) << byte;
    ASSERT_EQ(found.ticks, whole_ticks(log.parts[0], blocks * kBlockBytes)) << byte;
    ASSERT_TRUE(found.hashes_equal) << byte;
    ASSERT_EQ(found.damaged, found.header) << byte;
  }
}

// The unpacked size in the head of the file has no checksum. With a wrong size, the reader uses all
// blocks, or all blocks that fit into this size, but never a part of a block.
void expect_other_size_found(const PackedLog& log, std::size_t bit, Bytes file) {
  for (const Bytes second : {Bytes(log.parts[1].log), Bytes()}) {
    const Reading found = read_packed(log, file, second);
    const bool whole = found.ticks + 1 == log.hashes.size();
    const std::uint64_t of_one_block = whole_ticks(log.parts[0], kBlockBytes);
    const std::uint64_t of_all = whole_ticks(log.parts[0], log.parts[0].log.size());
    ASSERT_TRUE(found.hashes_equal) << bit;
    ASSERT_TRUE(whole || found.ticks == 0 || found.ticks == of_one_block || found.ticks == of_all)
        << bit;
    ASSERT_TRUE(whole || found.damaged || !found.header) << bit;
  }
}

void expect_packed_flips_found(PackedLog& log, std::size_t step) {
  for (std::size_t bit = 0; bit < 8 * log.file.size(); bit += step) {
    log.file[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    if (bit < 64 || bit >= 128) {  // in the magic number or a block
      ASSERT_NO_FATAL_FAILURE(expect_broken_block_found(log, bit / 8, log.file)) << "bit " << bit;
    } else {
      ASSERT_NO_FATAL_FAILURE(expect_other_size_found(log, bit, log.file));
    }
    log.file[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

void expect_packed_cuts_found(const PackedLog& log, std::size_t step) {
  expect_whole(read_packed(log, log.file, log.parts[1].log), log, 0);
  for (std::size_t size = 0; size < log.file.size(); size += step) {
    ASSERT_NO_FATAL_FAILURE(expect_broken_block_found(log, size, Bytes(log.file).first(size)));
  }
}

TEST(LogDamage, IsFoundInEveryBlockOfAPackedSegment) {
  Scene scene = built_in_scene("free:200").value();
  scene.tick_rate = 1;
  PackedLog log = packed_log(scene, 60);
  ASSERT_GE(log.ends.size(), 3u);
  expect_packed_cuts_found(log, 307);
  expect_packed_flips_found(log, 3001);
}

// A small log of identical bodies: every cut and every bit.
TEST(LogDamage, SlowIsFoundWhereverItIsInAPackedSegment) {
  Scene scene;
  scene.name = "alike";
  scene.tick_rate = 1;
  scene.bodies.resize(200);
  PackedLog log = packed_log(scene, 40);
  ASSERT_EQ(log.ends.size(), 2u);
  ASSERT_LT(log.file.size(), 16'000u);
  expect_packed_cuts_found(log, 1);
  expect_packed_flips_found(log, 1);
}

}  // namespace
}  // namespace orrery
