// Tests the stored logs of all rules and formats: every build reads all of them, and verifies the
// logs of its rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <vector>

#include "common/codec/command_codec.h"
#include "common/core/hash.h"
#include "common/host/disk/file.h"
#include "common/host/disk/log_seal.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/session/log_reader.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/replay.h"
#include "common/session/segment_start.h"
#include "common/session/versions.h"
#include "common/world/image/image.h"
#include "tests/support/memory_log.h"
#include "tests/support/source_path.h"

namespace orrery {
namespace {

// Number of ticks in the logs that `tests/determinism/matrix --golden` writes now, and in those
// that it wrote in format 1.
constexpr std::uint64_t kTicks = 620;
constexpr std::uint64_t kTicksOfFormat1 = 120;

struct GoldenLog {
  std::uint32_t rules;
  std::uint32_t format;

  std::filesystem::path path() const {
    std::string name = "rules-" + std::to_string(rules);
    if (format > 1) name += "-format-" + std::to_string(format);
    return test::source_path("tests/golden/logs/" + name + ".orrery");
  }
  std::uint64_t ticks() const { return format == 1 ? kTicksOfFormat1 : kTicks; }
};

// Some rules were recorded in two formats.
const GoldenLog kLogs[] = {{1, 1},  {2, 1},  {3, 1},  {3, 2},  {4, 2},  {4, 3},  {5, 3},  {5, 4},
                           {6, 4},  {7, 4},  {8, 5},  {9, 5},  {10, 5}, {11, 5}, {12, 5}, {13, 5},
                           {14, 5}, {15, 5}, {16, 5}, {17, 5}, {18, 6}, {19, 7}, {20, 8}};

std::vector<std::uint8_t> bytes_of(const GoldenLog& golden) {
  std::vector<std::uint8_t> bytes;
  EXPECT_TRUE(host::FileSource::open(golden.path()).value()->read_up_to(1 << 20, bytes));
  return bytes;
}

TEST(GoldenLogs, ThereIsOneOfTheseRulesAndThisFormat) {
  const GoldenLog& newest = *std::rbegin(kLogs);
  EXPECT_EQ(newest.rules, kRulesVersion);
  EXPECT_EQ(newest.format, kLogFormatVersion);
  for (const GoldenLog& log : kLogs) {
    EXPECT_TRUE(std::filesystem::exists(log.path()))
        << log.path() << " is missing: tests/determinism/matrix --golden writes that of new rules "
        << "or a new format; all others stay";
  }
}

TEST(GoldenLogs, AllAreReadForEver) {
  for (const GoldenLog& golden : kLogs) {
    SCOPED_TRACE(golden.path());
    const auto file = host::FileSource::open(golden.path());
    ASSERT_TRUE(file);
    session::LogReader log(*file.value());
    const Result<codec::LogHeader> header = log.read_header();
    ASSERT_TRUE(header) << header.error().text();
    EXPECT_EQ(header.value().rules, golden.rules);
    const Result<Scene> scene = session::recorded_scene(header.value());
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene.value().name, "playground");
    // Scenes of rules 1 store the integrator as a number, later scenes as a name.
    EXPECT_EQ(scene.value().integrator, Integrator::semi_implicit_euler);
    std::uint64_t ticks = 0;
    std::size_t commands = 0;
    for (session::TickRecord record; log.next(record); ++ticks) commands += record.commands.size();
    EXPECT_EQ(ticks, golden.ticks());
    EXPECT_GT(commands, ticks);
    EXPECT_TRUE(log.tail().closed && !log.tail().damaged);
    EXPECT_EQ(log.tail().lost_bytes, 0u);
  }
}

// From format 2 on, a writer syncs the log before each checkpoint. A broken record is damage only
// if a checkpoint or the end of the session follows: other records after it can be the result of a
// power cut. Format 1 has no checkpoints, so any valid record after a broken one counts as damage.
TEST(GoldenLogs, InFormat1EveryValidRecordTellsDamageFromATornTail) {
  const std::vector<std::uint8_t> whole = bytes_of({3, 1});
  const Bytes torn = Bytes(whole).first(whole.size() - session::kEndRecordBytes);
  std::size_t third = session::kPreambleBytes;
  for (int records = 0; records < 3; ++records)
    third += session::read_frame(torn.subspan(third))->size();
  const std::size_t last = torn.size() - 1;
  struct Broken {
    std::size_t at;
    std::uint64_t ticks;
    bool damaged;
  };
  for (const Broken& broken :
       {Broken{third + 5, 2, true}, Broken{last, kTicksOfFormat1 - 1, false}}) {
    std::vector<std::uint8_t> bytes(torn.begin(), torn.end());
    bytes[broken.at] ^= 1;
    test::MemorySource source(bytes);
    session::LogReader log(source);
    ASSERT_TRUE(log.read_header());
    std::uint64_t ticks = 0;
    for (session::TickRecord record; log.next(record);) ++ticks;
    EXPECT_EQ(ticks, broken.ticks);
    EXPECT_EQ(log.tail().damaged, broken.damaged);
    EXPECT_FALSE(log.tail().closed);
  }
}

TEST(GoldenLogs, ThoseOfTheseRulesVerify) {
  for (const GoldenLog& golden : kLogs) {
    if (golden.rules != kRulesVersion) continue;
    const auto file = host::FileSource::open(golden.path());
    ASSERT_TRUE(file);
    session::LogReader log(*file.value());
    const codec::LogHeader header = log.read_header().value();
    Result<World> world = session::initial_world(header);
    ASSERT_TRUE(world) << world.error().text();
    SerialExecutor executor;
    const session::Verification found =
        session::verify(log, header, world.value(), executor, [] {});
    EXPECT_TRUE(found.sound()) << "diverges at tick " << found.first_divergent_tick.value_or(0)
                               << ": what sessions come to has changed, so kRulesVersion must rise";
    EXPECT_EQ(found.verified, golden.ticks());
    EXPECT_EQ(found.checkpoints, golden.format == 1 ? 0u : 1u);
  }
}

// Formats 3 and 4 differ in the form of ticks. These two logs are of the same session.
TEST(GoldenLogs, TicksOfBothFormsSayTheSame) {
  const std::vector<std::uint8_t> old_bytes = bytes_of({5, 3});
  const std::vector<std::uint8_t> new_bytes = bytes_of({5, 4});
  test::MemorySource old_source(old_bytes);
  test::MemorySource new_source(new_bytes);
  session::LogReader old_log(old_source);
  session::LogReader new_log(new_source);
  ASSERT_TRUE(old_log.read_header() && new_log.read_header());
  std::size_t commands = 0;
  session::TickRecord a;
  for (session::TickRecord b; old_log.next(a) && new_log.next(b);) {
    EXPECT_EQ(a.hash, b.hash);
    EXPECT_TRUE(std::ranges::equal(a.commands, b.commands, codec::encodes_equally)) << a.tick.value;
    commands += a.commands.size();
  }
  EXPECT_EQ(new_log.tick(), Tick{kTicks});
  EXPECT_GT(commands, kTicks);
  EXPECT_LT(new_bytes.size(), old_bytes.size() - commands) << "a byte less for each, at least";
}

// `log export --single` writes a file with ticks of both forms if an older build recorded the first
// half of a session.
TEST(GoldenLogs, OneFileMayHaveTicksOfBothForms) {
  const std::vector<std::uint8_t> old_bytes = bytes_of({5, 3});
  const std::vector<std::uint8_t> new_bytes = bytes_of({5, 4});
  std::vector<std::uint8_t> mixed;
  session::append_preamble(mixed);
  std::uint64_t chain = checksum(mixed);
  Bytes old_rest = Bytes(old_bytes).subspan(session::kPreambleBytes);
  Bytes new_rest = Bytes(new_bytes).subspan(session::kPreambleBytes);
  for (std::uint64_t ticks = 0; !new_rest.empty();) {
    const session::RecordFrame old_frame = session::read_frame(old_rest).value();
    const session::RecordFrame new_frame = session::read_frame(new_rest).value();
    if (new_frame.type == session::RecordType::tick) ++ticks;
    const bool is_old = ticks <= kTicks / 2;
    const session::RecordFrame& frame = is_old ? old_frame : new_frame;
    const Bytes payload =
        (is_old ? old_rest : new_rest).subspan(frame.payload_offset, frame.payload_size);
    const bool is_index = frame.type == session::RecordType::index;  // its offsets differ
    if (!is_index) chain = session::append_record(frame.type, payload, {}, chain, mixed);
    old_rest = old_rest.subspan(old_frame.size());
    new_rest = new_rest.subspan(new_frame.size());
  }
  test::MemorySource source(mixed);
  test::MemorySource new_source(new_bytes);
  session::LogReader log(source);
  session::LogReader new_log(new_source);
  ASSERT_TRUE(log.read_header() && new_log.read_header());
  session::TickRecord a;
  for (session::TickRecord b; log.next(a) && new_log.next(b);) {
    EXPECT_EQ(a.hash, b.hash);
    EXPECT_TRUE(std::ranges::equal(a.commands, b.commands, codec::encodes_equally)) << a.tick.value;
  }
  EXPECT_TRUE(log.tail().closed && !log.tail().damaged);
  EXPECT_EQ(log.tick(), Tick{kTicks});
}

std::string named(const std::string& name) {
  const std::filesystem::path folder(test::source_path("tests/golden/logs"));
  return (folder / (name + ".orrery")).string();
}

// `orrery run playground --ticks 620 --log LOG --seal-key FILE` wrote these logs, with the key 00
// 01 .. 1f.
TEST(GoldenLogs, TheSealsOfTheSealedOnesFit) {
  for (const char* name :
       {"rules-4-format-3-sealed", "rules-5-format-4-sealed", "rules-6-format-4-sealed",
        "rules-7-format-4-sealed", "rules-8-format-5-sealed", "rules-9-format-5-sealed",
        "rules-10-format-5-sealed", "rules-11-format-5-sealed", "rules-12-format-5-sealed",
        "rules-13-format-5-sealed", "rules-14-format-5-sealed", "rules-15-format-5-sealed",
        "rules-16-format-5-sealed", "rules-17-format-5-sealed", "rules-18-format-6-sealed",
        "rules-19-format-7-sealed", "rules-20-format-8-sealed"}) {
    const auto file = host::FileSource::open(named(name));
    ASSERT_TRUE(file) << name;
    net::Key key;
    std::iota(key.begin(), key.end(), std::uint8_t{0});
    session::LogReader log(*file.value());
    ASSERT_TRUE(log.read_header());
    host::SealCheck check(key);
    const host::SealReport report = host::check_seals(log, check).value();
    EXPECT_EQ(report.verdict, host::SealVerdict::intact) << name;
    EXPECT_EQ(report.proved, Tick{620}) << name;
  }
}

// Logs of real servers with four bots, two logs for each rules version from 5 on. In "packed", the
// server was killed, and the next one packed its segment and continued. In "given-up", the server
// got no more than 32 KiB per file (ulimit -f 32), so it abandoned its first segment.
struct Segmented {
  const char* name;
  std::uint32_t rules;
  std::uint64_t ticks;
  bool is_packed;  // the first segment is packed; else it was abandoned
};
const Segmented kSegmented[] = {
    {"rules-5-format-4-packed", 5, 245, true},   {"rules-5-format-4-given-up", 5, 665, false},
    {"rules-6-format-4-packed", 6, 219, true},   {"rules-6-format-4-given-up", 6, 601, false},
    {"rules-7-format-4-packed", 7, 237, true},   {"rules-7-format-4-given-up", 7, 546, false},
    {"rules-8-format-5-packed", 8, 268, true},   {"rules-8-format-5-given-up", 8, 480, false},
    {"rules-9-format-5-packed", 9, 310, true},   {"rules-9-format-5-given-up", 9, 546, false},
    {"rules-10-format-5-packed", 10, 305, true}, {"rules-10-format-5-given-up", 10, 546, false},
    {"rules-11-format-5-packed", 11, 308, true}, {"rules-11-format-5-given-up", 11, 546, false},
    {"rules-12-format-5-packed", 12, 501, true}, {"rules-12-format-5-given-up", 12, 798, false},
    {"rules-13-format-5-packed", 13, 490, true}, {"rules-13-format-5-given-up", 13, 827, false},
    {"rules-14-format-5-packed", 14, 488, true}, {"rules-14-format-5-given-up", 14, 825, false},
    {"rules-15-format-5-packed", 15, 491, true}, {"rules-15-format-5-given-up", 15, 826, false},
    {"rules-16-format-5-packed", 16, 489, true}, {"rules-16-format-5-given-up", 16, 826, false},
    {"rules-17-format-5-packed", 17, 491, true}, {"rules-17-format-5-given-up", 17, 827, false},
    {"rules-18-format-6-packed", 18, 493, true}, {"rules-18-format-6-given-up", 18, 827, false},
    {"rules-19-format-7-packed", 19, 491, true}, {"rules-19-format-7-given-up", 19, 827, false},
    {"rules-20-format-8-packed", 20, 484, true}, {"rules-20-format-8-given-up", 20, 782, false}};

TEST(GoldenLogs, ThoseOfSeveralSegmentsAreReadForEver) {
  for (const Segmented& golden : kSegmented) {
    SCOPED_TRACE(golden.name);
    const session::OpenSegment open = host::segments_of(named(golden.name));
    const auto first = host::SegmentSource::open(named(golden.name));
    ASSERT_TRUE(first);
    EXPECT_EQ(first.value()->is_packed(), golden.is_packed);
    const auto second = open(1);
    ASSERT_TRUE(second && second.value());
    session::RecordStream stream(*second.value());
    EXPECT_EQ(session::read_start(stream).value().after_loss, !golden.is_packed);
    session::LogReader log(*first.value(), open);
    const codec::LogHeader header = log.read_header().value();
    EXPECT_EQ(header.rules, golden.rules);
    const std::uint64_t ticks = golden.ticks;
    if (golden.rules != kRulesVersion) {
      for (session::TickRecord record; log.next(record);) {
      }
    } else {
      World world = std::move(session::initial_world(header).value());
      SerialExecutor executor;
      const session::Verification found = session::verify(log, header, world, executor, [] {});
      EXPECT_TRUE(found.sound());
      EXPECT_EQ(found.verified, ticks);
    }
    EXPECT_EQ(log.tick(), Tick{ticks});
    EXPECT_EQ(log.tail().segment, 1u);
    EXPECT_EQ(log.tail().lost_ticks, 0u);
    EXPECT_TRUE(log.tail().closed && !log.tail().damaged) << log.tail().reason;
  }
}

// The states stored in a log can be read under any rules.
TEST(GoldenLogs, ThoseOfOtherRulesAreReplayedFromTheirCheckpoints) {
  constexpr Tick kCheckpoint{600};
  SerialExecutor executor;
  int states = 0;
  for (const GoldenLog& golden : kLogs) {
    if (golden.rules == kRulesVersion) continue;
    SCOPED_TRACE(golden.path());
    test::MemorySegments log;
    log.segments[0] = bytes_of(golden);
    EXPECT_FALSE(session::Playback::open(session::open_log(log.opener())));
    const auto opened = session::Playback::open(session::open_log(log.opener()),
                                                session::OtherRules::by_checkpoints);
    ASSERT_TRUE(opened);
    session::Playback& playback = *opened.value();
    EXPECT_FALSE(playback.go_to(Tick{599}, executor));
    const Status gone = playback.go_to(kCheckpoint, executor);
    ASSERT_EQ(gone.ok(), golden.format > 1);
    if (!gone) continue;
    ++states;
    test::MemorySource source(log.segments[0]);
    session::LogReader reader(source);
    ASSERT_TRUE(reader.read_header());
    session::TickRecord record;
    while (record.tick < kCheckpoint) ASSERT_TRUE(reader.next(record));
    const World& world = playback.world();
    EXPECT_EQ(world.tick(), kCheckpoint);
    EXPECT_EQ(world.hash(), record.hash);
    std::vector<std::uint8_t> image;
    save_image(world, image);
    World again(world.scene());
    ASSERT_TRUE(restore_image(again, image));
    EXPECT_EQ(again.hash(), record.hash) << "the image was read as it was written";
    EXPECT_FALSE(playback.go_to(Tick{601}, executor)) << "nothing is stepped";
    EXPECT_EQ(playback.go_to(Tick{10}, executor).error().text(),
              "was recorded under " + session::other_rules(golden.rules) +
                  "; this build can read its states of ticks 0, 600");
    EXPECT_TRUE(playback.go_to(Tick{}, executor));
    EXPECT_EQ(world.tick(), Tick{});
  }
  EXPECT_GE(states, 3);
}

TEST(GoldenLogs, ThoseOfOtherRulesAreRefusedWithBothNumbers) {
  for (const GoldenLog& golden : kLogs) {
    if (golden.rules == kRulesVersion) continue;
    const auto file = host::FileSource::open(golden.path());
    ASSERT_TRUE(file);
    session::LogReader log(*file.value());
    const Result<World> world = session::initial_world(log.read_header().value());
    ASSERT_FALSE(world);
    EXPECT_EQ(world.error().text(),
              "was recorded under " + session::other_rules(golden.rules) +
                  "; here log info, log check, log export and replay --at its checkpoints work");
  }
}

}  // namespace
}  // namespace orrery
