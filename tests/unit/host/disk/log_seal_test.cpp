// Tests sealed logs: every change made without the key is found, even if all checksums were
// corrected.
#include "common/host/disk/log_seal.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "common/core/hash.h"
#include "common/host/disk/log_copy.h"
#include "common/host/disk/log_segments.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/disk_log.h"
#include "tests/support/memory_log.h"
#include "tests/support/session.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using test::MemorySource;
using test::segments_in;
using test::SimulatedDisk;

const net::Key kKey({7, 1, 2});
constexpr std::size_t kOneSegment = std::size_t{1} << 40;

// Returns the log of a session: 30 ticks with commands, and a checkpoint at each tenth.
std::vector<std::uint8_t> session(std::uint64_t seed) {
  Scene scene = built_in_scene("free:2").value();
  scene.tick_rate = 1;
  return test::record_session(scene, seed, 30).log;
}

SimulatedDisk::Folder sealed(Bytes session, std::size_t segment_bytes) {
  SimulatedDisk disk(1);
  {
    test::DiskLog writer(disk, "LOG", segment_bytes);
    writer.seal_with(host::LogSealer(kKey));
    test::commit_records(session, writer);
  }
  return disk.content_after_crash();
}

std::vector<std::uint8_t> sealed_file(std::uint64_t seed) {
  return sealed(session(seed), kOneSegment).at("LOG");
}

// Returns the report on the seals of a log, or nothing if its header cannot be read.
std::optional<host::SealReport> report_on(const SimulatedDisk::Folder& folder,
                                          const net::Key& key = kKey) {
  MemorySource first(folder.at("LOG"));
  session::LogReader log(first, segments_in(folder));
  if (!log.read_header()) return {};
  host::SealCheck check(key, session::kCheckpointSeconds);
  return host::check_seals(log, check).value();
}

std::optional<host::SealVerdict> judge(const SimulatedDisk::Folder& folder,
                                       const net::Key& key = kKey) {
  const std::optional<host::SealReport> report = report_on(folder, key);
  return report ? std::optional(report->verdict) : std::nullopt;
}

std::optional<host::SealVerdict> judge(std::vector<std::uint8_t> log, const net::Key& key = kKey) {
  return judge(SimulatedDisk::Folder{{"LOG", std::move(log)}}, key);
}

// --- Takes a log apart into records, and makes logs from records, with correct checksums ---

struct Record {
  session::RecordType type;
  std::vector<std::uint8_t> payload;
};

std::vector<Record> records_of(Bytes log) {
  std::vector<Record> records;
  for (Bytes rest = log.subspan(session::kPreambleBytes); !rest.empty();) {
    const session::RecordFrame frame = session::read_frame(rest).value();
    const Bytes payload = rest.subspan(frame.payload_offset, frame.payload_size);
    records.push_back({frame.type, {payload.begin(), payload.end()}});
    rest = rest.subspan(frame.size());
  }
  return records;
}

std::vector<std::uint8_t> log_of(const std::vector<Record>& records) {
  std::vector<std::uint8_t> log;
  session::append_preamble(log);
  std::uint64_t chain = checksum(log);
  for (const Record& record : records) {
    chain = session::append_record(record.type, record.payload, {}, chain, log);
  }
  return log;
}

TEST(LogSeal, FitsWhatWasWrittenAndNoOtherKey) {
  const std::vector<std::uint8_t> log = sealed_file(1);
  std::size_t seals = 0;
  for (const Record& record : records_of(log))
    seals += record.type == session::RecordType::seal ? 1 : 0;
  EXPECT_EQ(seals, 5u) << "behind the header, three checkpoints and the end";
  EXPECT_EQ(judge(log), host::SealVerdict::intact);
  EXPECT_EQ(judge(log, net::Key({7, 1, 3})), host::SealVerdict::broken);
  EXPECT_EQ(judge(session(1)), host::SealVerdict::unsealed);
  EXPECT_EQ(judge(log_of(records_of(log))), host::SealVerdict::intact);  // control: no change
}

TEST(LogSeal, ShowsEveryChangedByteAndEveryCut) {
  const std::vector<std::uint8_t> log = sealed_file(3);
  for (std::size_t at = 0; at < log.size(); ++at) {
    std::vector<std::uint8_t> changed = log;
    changed[at] ^= static_cast<std::uint8_t>(1 + at % 255);
    EXPECT_NE(judge(std::move(changed)), host::SealVerdict::intact) << "byte " << at;
    std::vector<std::uint8_t> cut(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(at));
    EXPECT_NE(judge(std::move(cut)), host::SealVerdict::intact) << "cut at " << at;
  }
  std::vector<std::uint8_t> longer = log;
  longer.push_back(0);
  EXPECT_EQ(judge(std::move(longer)), host::SealVerdict::loose);
}

TEST(LogSeal, ShowsWhatWasChangedWithChecksumsThatFit) {
  const std::vector<Record> records = records_of(sealed_file(4));
  const auto expect_seen = [](const std::vector<Record>& changed, const char* how, std::size_t at) {
    EXPECT_NE(judge(log_of(changed)), host::SealVerdict::intact) << how << " at record " << at;
  };
  for (std::size_t at = 0; at < records.size(); ++at) {
    if (records[at].type == session::RecordType::index) continue;  // only a hint
    const auto place = static_cast<std::ptrdiff_t>(at);
    std::vector<Record> left_out = records;
    left_out.erase(left_out.begin() + place);
    expect_seen(left_out, "left out", at);
    std::vector<Record> twice = records;
    twice.insert(twice.begin() + place, records[at]);
    expect_seen(twice, "twice", at);
    for (std::size_t byte = 0; byte < records[at].payload.size(); ++byte) {
      std::vector<Record> changed = records;
      changed[at].payload[byte] ^= 1;
      expect_seen(changed, "changed", at);
    }
    if (at + 1 == records.size() || records[at + 1].type == session::RecordType::index) continue;
    std::vector<Record> swapped = records;
    std::swap(swapped[at], swapped[at + 1]);
    expect_seen(swapped, "swapped", at);
  }
}

TEST(LogSeal, ShowsASpliceOfTwoLogsOfOneKey) {
  const std::vector<Record> a = records_of(sealed_file(5));
  const std::vector<Record> b = records_of(sealed_file(6));
  ASSERT_NE(log_of(a), log_of(b));
  for (std::size_t at = 1; at < std::min(a.size(), b.size()); ++at) {
    const auto place = static_cast<std::ptrdiff_t>(at);
    std::vector<Record> spliced(a.begin(), a.begin() + place);
    spliced.insert(spliced.end(), b.begin() + place, b.end());
    if (log_of(spliced) == log_of(a) || log_of(spliced) == log_of(b)) continue;
    EXPECT_NE(judge(log_of(spliced)), host::SealVerdict::intact) << at;
  }
}

TEST(LogSeal, IsOfAllSegments) {
  const SimulatedDisk::Folder folder = sealed(session(7), 500);
  ASSERT_GE(folder.size(), 3u);
  EXPECT_EQ(judge(folder), host::SealVerdict::intact);
  for (const auto& [name, content] : folder) {
    if (name == "LOG") continue;
    SimulatedDisk::Folder without = folder;
    without.erase(name);
    EXPECT_NE(judge(without), host::SealVerdict::intact) << name;
  }
}

// Returns the log that a crash after this many records leaves.
SimulatedDisk::Folder crashed(std::size_t records) {
  const std::vector<std::uint8_t> whole = session(9);
  const std::vector<session::RecordBatch> each = test::single_records(whole);
  session::RecordBatch batch;
  for (std::size_t i = 0; i < records; ++i) test::pass_on(each[i], batch);
  SimulatedDisk disk(1);
  test::DiskLog killed(disk, "LOG", kOneSegment);
  killed.seal_with(host::LogSealer(kKey));
  killed.commit(batch);
  return disk.content();
}

// Resumes the session of a crashed log for one tick, and returns the log. Expects that the crashed
// log was sealed up to tick `sealed`.
SimulatedDisk::Folder resumed(const SimulatedDisk::Folder& crashed, Tick sealed) {
  SimulatedDisk disk(1);
  for (const auto& [name, content] : crashed) disk.write(disk.create(name, true), content);
  Result<host::ResumedSealer> sealer = host::resume_sealer("LOG", kKey, disk);
  EXPECT_EQ(sealer.value().proved, sealed);
  SerialExecutor executor;
  Result<host::ResumableLog> log = host::recover_log("LOG", executor, disk);
  World& world = log.value().recovered.world;
  session::RecordBatch batch;
  session::SessionLog records(batch, log.value().recovered.header, world);
  step(world, {}, executor);
  records.append_tick(world);
  records.close();
  {
    test::DiskLog writer(disk, "LOG", kOneSegment);
    writer.seal_with(std::move(sealer.value().sealer));
    writer.commit(batch);
  }
  return disk.content();
}

SimulatedDisk::Folder in_one_file(const SimulatedDisk::Folder& folder) {
  MemorySource first(folder.at("LOG"));
  session::LogReader reader(first, segments_in(folder));
  SimulatedDisk copies(1);
  EXPECT_TRUE(host::copy_log(reader, reader.read_header().value(), "LOG", copies));
  return copies.content();
}

TEST(LogSeal, NamesWhatWasSealedOnlyAtAResume) {
  struct Crash {
    std::size_t records;  // records before the crash: the header, ten ticks, a checkpoint, ...
    std::uint64_t sealed;
    std::uint64_t tick;
  };
  for (const Crash& crash :
       {Crash{4, 0, 3}, Crash{11, 0, 10}, Crash{12, 10, 10}, Crash{15, 10, 13}}) {
    SCOPED_TRACE(std::to_string(crash.records) + " records");
    const auto folder = resumed(crashed(crash.records), Tick{crash.sealed});
    ASSERT_EQ(folder.size(), 2u);
    const auto one = in_one_file(folder);
    ASSERT_EQ(one.size(), 1u);
    for (const SimulatedDisk::Folder& log : {folder, one}) {
      const host::SealReport report = report_on(log).value();
      EXPECT_EQ(report.verdict, host::SealVerdict::intact);
      EXPECT_EQ(report.proved, Tick{crash.tick + 1});
      ASSERT_EQ(report.late.size(), crash.sealed < crash.tick ? 1u : 0u);
      if (report.late.empty()) continue;
      EXPECT_EQ(report.late[0].first, Tick{crash.sealed + 1});
      EXPECT_EQ(report.late[0].last, Tick{crash.tick});
    }
  }
  EXPECT_TRUE(report_on(sealed(session(9), 500))->late.empty()) << "segments, and no resume";
}

// A crashed session was resumed, so ticks 1 to 10 were sealed only at the resume. Somebody may cut
// off the last records that the resume wrote. If the session is then resumed again, the report must
// still say that these ticks were sealed late.
TEST(LogSeal, NobodyHidesWhatWasSealedOnlyAtAResume) {
  std::vector<Record> records = records_of(in_one_file(resumed(crashed(11), Tick{0})).at("LOG"));
  // Keeps all but the last four records: the tick after the resume, an index, the end, and its
  // seal.
  records.resize(records.size() - 4);
  ASSERT_EQ(records.back().type, session::RecordType::seal);
  for (const std::uint64_t sealed : {10u, 0u, 0u, 0u}) {
    SCOPED_TRACE(records.size());
    const auto again = resumed({{"LOG", log_of(records)}}, Tick{sealed});
    const host::SealReport report = report_on(again).value();
    EXPECT_EQ(report.verdict, host::SealVerdict::intact);
    ASSERT_EQ(report.late.size(), 1u);
    EXPECT_EQ(report.late[0].first, Tick{1});
    EXPECT_EQ(report.late[0].last, Tick{10});
    records.pop_back();
  }
}

// A session that began without seals gets none at a resume. Changes that somebody makes between a
// crash and a resume are found, up to the last seal.
TEST(LogSeal, ACrashedLogIsProvedToItsLastSeal) {
  std::vector<Record> crashed = records_of(sealed_file(8));
  const auto is_seal = [](const Record& record) {
    return record.type == session::RecordType::seal;
  };
  // Keeps all but the last six records: three ticks, an index, the end, and its seal.
  crashed.resize(crashed.size() - 6);
  const auto behind = std::find_if(crashed.rbegin(), crashed.rend(), is_seal) - crashed.rbegin();
  const std::size_t last_seal = crashed.size() - 1 - static_cast<std::size_t>(behind);
  EXPECT_EQ(report_on({{"LOG", log_of(crashed)}})->proved, Tick{20});
  for (std::size_t at = 1; at < crashed.size(); ++at) {
    SCOPED_TRACE(at);
    std::vector<Record> changed = crashed;
    const bool begins_with_tick = crashed[at].type == session::RecordType::checkpoint;
    changed[at].payload[begins_with_tick ? 1 : 0] ^= 1;
    SimulatedDisk disk(1);
    disk.write(disk.create("LOG", true), log_of(changed));
    const std::optional<host::SealReport> report = report_on(disk.content());
    const Result<host::ResumedSealer> resumed = host::resume_sealer("LOG", kKey, disk);
    EXPECT_EQ(report->verdict,
              at > last_seal ? host::SealVerdict::unfinished : host::SealVerdict::broken);
    EXPECT_EQ(resumed.ok(), at > last_seal);
    if (resumed) continue;
    EXPECT_EQ(resumed.error().text().substr(0, 21), "LOG: the seal at tick") << at;
    EXPECT_TRUE(resumed.error().text().ends_with("keep this log as it is, and start a new one"));
    EXPECT_TRUE(report->misfit && (!report->proved || report->proved < report->misfit));
  }
  std::erase_if(crashed, is_seal);
  SimulatedDisk disk(1);
  disk.write(disk.create("LOG", true), log_of(crashed));
  EXPECT_EQ(host::resume_sealer("LOG", kKey, disk).error().text(),
            "LOG: not sealed: the session was recorded without a key, or its seals were taken out; "
            "omit --seal-key to continue without seals");
}

}  // namespace
}  // namespace orrery
