// Fuzzes session logs and their seals.
//
// Each input is read as it is, and with corrected checksums. Each further preamble in an input
// starts another segment. An input is also read as a packed file, through the decompressor.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/host/disk/log_seal.h"
#include "common/host/disk/packing/packed_segment.h"
#include "common/session/log_reader.h"
#include "common/session/replay/playback.h"
#include "common/session/replay/recovery.h"
#include "common/session/replay/replay.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/sealed_log.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

// Sizes in packed files (common/host/disk/packing/packed_segment.h): the file header, and the
// header of each block.
constexpr std::size_t kPackedStartBytes = 8 + 8;
constexpr std::size_t kPackedHeadBytes = 4 + 4 + 8;

// Returns the segment with correct checksums in every record, so that the fuzzer gets past the
// first record. `chain` is the checksum of the last record of the previous segment, and goes into
// the header of this one. On return it is the checksum of the last record of this segment.
std::vector<std::uint8_t> mended(Bytes bytes, std::uint64_t& chain) {
  std::vector<std::uint8_t> log;
  if (bytes.size() < session::kPreambleBytes) return {bytes.begin(), bytes.end()};
  log.assign(bytes.begin(), bytes.begin() + session::kPreambleBytes);
  const std::uint64_t before = std::exchange(chain, checksum(log));
  Bytes rest = bytes.subspan(session::kPreambleBytes);
  for (;;) {
    const std::optional<session::RecordFrame> frame = session::read_frame(rest);
    if (!frame || frame->size() > rest.size()) break;
    const Bytes given = rest.subspan(frame->payload_offset, frame->payload_size);
    std::vector<std::uint8_t> payload(given.begin(), given.end());
    Result<codec::LogHeader> header = codec::decode_log_header(payload);
    if (frame->type == session::RecordType::header && header && header.value().segment > 0) {
      header.value().after_checksum = before;
      codec::encode_log_header(header.value(), payload);
    }
    chain = session::append_record(frame->type, payload, {}, chain, log);
    rest = rest.subspan(frame->size());
  }
  log.insert(log.end(), rest.begin(), rest.end());
  return log;
}

bool small(const codec::LogHeader& header) {
  const Result<Scene> scene = codec::decode_scene(header.scene);
  return scene && scene.value().bodies.size() + scene.value().spare_bodies <= fuzz::kBodiesMax &&
         scene.value().substeps <= 4;
}

// Splits the input into segments, one at each magic number of a log.
std::vector<Bytes> segments_of(Bytes bytes) {
  std::vector<Bytes> segments;
  while (true) {
    const auto next = bytes.empty()
                          ? bytes.end()
                          : std::search(bytes.begin() + 1, bytes.end(), session::kLogMagic.begin(),
                                        session::kLogMagic.end());
    const auto size = static_cast<std::size_t>(next - bytes.begin());
    segments.push_back(bytes.first(size));
    if (next == bytes.end()) return segments;
    bytes = bytes.subspan(size);
  }
}

// The payloads of a log's header and ticks, in reading order, and the result of the seal check.
struct Sealed {
  std::vector<std::uint8_t> header;
  std::vector<std::vector<std::uint8_t>> ticks;
  host::SealReport report;
};

// Reads a log and checks its seals. Returns nothing if it has no valid header.
std::optional<Sealed> read_sealed(const session::OpenSegment& open) {
  const Result<std::unique_ptr<session::ByteSource>> first = open(0);
  session::LogReader log(*first.value(), open);
  if (!log.read_header()) return {};
  Sealed sealed;
  const auto payload = [&] {
    return std::vector<std::uint8_t>(log.last_payload().begin(), log.last_payload().end());
  };
  sealed.header = payload();
  host::SealCheck check(fuzz::seal_key());
  check.add(session::RecordType::header, log);
  session::TickRecord record;
  session::Checkpoint checkpoint;
  while (const std::optional<session::RecordType> type = log.next_record(record, checkpoint)) {
    check.add(*type, log);
    if (session::is_tick(*type)) sealed.ticks.push_back(payload());
  }
  sealed.report = check.finish(log.tail());
  return sealed;
}

session::OpenSegment opener(const std::vector<Bytes>& segments) {
  return [&segments](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    if (number >= segments.size()) return std::unique_ptr<session::ByteSource>();
    return std::unique_ptr<session::ByteSource>(
        std::make_unique<test::MemorySource>(segments[number]));
  };
}

std::vector<Sealed> seal_sessions() {
  std::vector<Sealed> sessions;
  for (const char* scene : fuzz::kLogScenes) {
    const auto folder = fuzz::sealed_log(scene, std::size_t{1} << 30);
    const std::vector<Bytes> segments = {folder.at("LOG")};
    sessions.push_back(read_sealed(opener(segments)).value());
    ORRERY_ASSERT(sessions.back().report.verdict == host::SealVerdict::intact);
    ORRERY_ASSERT(sessions.back().ticks.size() == 60);
  }
  return sessions;
}

// Aborts if the seals prove ticks that were never sealed. All proved ticks must be the first ticks
// of one session that was sealed with the key.
void require_sealed(const session::OpenSegment& open) {
  static const std::vector<Sealed> sessions = seal_sessions();
  const std::optional<Sealed> log = read_sealed(open);
  if (!log || !log->report.proved) return;
  const std::uint64_t proved = log->report.proved->value;
  const host::SealVerdict verdict = log->report.verdict;
  const bool whole = verdict == host::SealVerdict::intact || verdict == host::SealVerdict::loose;
  const bool known = std::any_of(sessions.begin(), sessions.end(), [&](const Sealed& session) {
    if (log->header != session.header || proved > log->ticks.size()) return false;
    if (whole) return log->ticks == session.ticks;
    const auto end = log->ticks.begin() + static_cast<std::ptrdiff_t>(proved);
    return proved <= session.ticks.size() &&
           std::equal(log->ticks.begin(), end, session.ticks.begin());
  });
  ORRERY_ASSERT(known);
}

// Seeks forwards and backwards in the log.
void play(const session::OpenSegment& open) {
  const Result<std::unique_ptr<session::Playback>> playback =
      session::Playback::open(session::open_log(open), session::OtherRules::by_checkpoints);
  if (!playback) return;
  SerialExecutor serial;
  for (const std::uint64_t tick : {25u, 7u, 41u, 40u, 39u, 12u, 13u, 11u, 0u, 1000u}) {
    static_cast<void>(playback.value()->go_to(Tick{tick}, serial));
    fuzz::require_finite(playback.value()->world());
  }
}

void read(const std::vector<Bytes>& segments) {
  const session::OpenSegment open = opener(segments);
  require_sealed(open);
  test::MemorySource source(segments[0]);
  session::LogReader reader(source, open);
  const Result<codec::LogHeader> header = reader.read_header();
  if (!header || !small(header.value())) return;
  Result<World> world = session::initial_world(header.value());
  if (!world) return;
  SerialExecutor serial;
  const session::Verification found =
      session::verify(reader, header.value(), world.value(), serial, [] {});
  fuzz::require_finite(world.value());
  ORRERY_ASSERT(found.verified <= found.ticks);
  std::size_t size = 0;
  for (const Bytes segment : segments) size += segment.size();
  const session::LogTail& tail = found.tail;
  ORRERY_ASSERT(tail.complete_bytes + tail.lost_bytes + tail.abandoned_bytes <= size);
  play(open);
  Result<session::OpenedLog> again = session::open_log(open);
  if (!again) return;
  if (const auto recovered = session::recover(again.value(), serial))
    fuzz::require_finite(recovered.value().world);
}

void read_as_is_and_mended(Bytes bytes) {
  const std::vector<Bytes> segments = segments_of(bytes);
  read(segments);
  std::vector<std::vector<std::uint8_t>> whole;
  std::uint64_t chain = 0;
  for (const Bytes segment : segments) whole.push_back(mended(segment, chain));
  read({whole.begin(), whole.end()});
}

// Returns the packed file with a correct checksum in every block.
std::vector<std::uint8_t> mended_blocks(Bytes bytes) {
  std::vector<std::uint8_t> file(bytes.begin(), bytes.end());
  std::uint64_t offset = 0;  // in the unpacked segment
  for (std::size_t at = kPackedStartBytes; file.size() - at >= kPackedHeadBytes;) {
    ByteReader head(Bytes(file).subspan(at));
    const std::uint32_t raw = head.u32();
    const std::uint32_t packed = head.u32();
    const Bytes rest = Bytes(file).subspan(at + kPackedHeadBytes);
    if (packed > rest.size()) break;
    const std::uint64_t seed = checksum(Bytes(file).subspan(at, 8), offset);
    store_little_endian<8>(file.data() + at + 8, checksum(rest.first(packed), seed));
    offset += raw;
    at += kPackedHeadBytes + packed;
  }
  return file;
}

// Reads a packed file as every tool does: whole, then from several offsets, which must give the
// same bytes. Then reads the unpacked bytes as a log.
void read_packed(Bytes file) {
  constexpr std::size_t kBytesMax = std::size_t{1} << 20;
  test::SimulatedDisk disk(1);
  disk.write(disk.create("LOG", true), file);
  const auto source = host::SegmentSource::open("LOG", disk);
  host::SegmentSource& segment = *source.value();
  if (!segment.is_packed()) return;
  std::vector<std::uint8_t> whole(kBytesMax);
  whole.resize(segment.read(whole));
  for (const std::size_t place : {0u, 1u, 65535u, 65536u, 100000u}) {
    const std::uint64_t end = std::min<std::uint64_t>(segment.size(), whole.size());
    if (place >= end || !segment.seek(place)) continue;
    std::vector<std::uint8_t> part(static_cast<std::size_t>(end - place));
    part.resize(segment.read(part));
    ORRERY_ASSERT(
        std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(place)));
  }
  read_as_is_and_mended(whole);
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::read_as_is_and_mended({data, size});
  orrery::read_packed({data, size});
  if (size >= orrery::kPackedStartBytes) orrery::read_packed(orrery::mended_blocks({data, size}));
  return 0;
}
