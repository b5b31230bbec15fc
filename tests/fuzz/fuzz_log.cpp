// Owns the fuzz target of session logs: as they come, and with the chain of checksums mended. What
// stands behind another preamble is another segment.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/session/log_reader.h"
#include "common/session/playback.h"
#include "common/session/recovery.h"
#include "common/session/replay.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_log.h"

namespace orrery {
namespace {

// A segment whose every record has the checksum that it should have, and whose header says that it
// goes on from `chain`, which becomes that of its last record: else no fuzzer would get past the
// first one.
std::vector<std::uint8_t> mended(Bytes bytes, std::uint64_t& chain) {
  std::vector<std::uint8_t> log;
  if (bytes.size() < kPreambleBytes) return {bytes.begin(), bytes.end()};
  log.assign(bytes.begin(), bytes.begin() + kPreambleBytes);
  const std::uint64_t before = std::exchange(chain, checksum(log));
  Bytes rest = bytes.subspan(kPreambleBytes);
  for (;;) {
    const std::optional<RecordFrame> frame = read_frame(rest);
    if (!frame || frame->size() > rest.size()) break;
    const Bytes given = rest.subspan(frame->payload_offset, frame->payload_size);
    std::vector<std::uint8_t> payload(given.begin(), given.end());
    Result<LogHeader> header = decode_log_header(payload);
    if (frame->type == RecordType::header && header && header.value().segment > 0) {
      header.value().after_checksum = before;
      encode_log_header(header.value(), payload);
    }
    chain = append_record(frame->type, payload, {}, chain, log);
    rest = rest.subspan(frame->size());
  }
  log.insert(log.end(), rest.begin(), rest.end());
  return log;
}

bool small(const LogHeader& header) {
  const Result<Scene> scene = decode_scene(header.scene);
  return scene && scene.value().bodies.size() + scene.value().spare_bodies <= fuzz::kBodiesMax &&
         scene.value().substeps <= 4;
}

// A segment begins with every preamble.
std::vector<Bytes> segments_of(Bytes bytes) {
  std::vector<Bytes> segments;
  while (true) {
    const auto next = bytes.empty() ? bytes.end()
                                    : std::search(bytes.begin() + 1, bytes.end(), kLogMagic.begin(),
                                                  kLogMagic.end());
    const auto size = static_cast<std::size_t>(next - bytes.begin());
    segments.push_back(bytes.first(size));
    if (next == bytes.end()) return segments;
    bytes = bytes.subspan(size);
  }
}

// Goes to and fro in the log.
void play(const OpenSegment& open) {
  const Result<std::unique_ptr<Playback>> playback = Playback::open(open);
  if (!playback) return;
  SerialExecutor serial;
  for (const std::uint64_t tick : {25u, 7u, 41u, 40u, 0u, 1000u}) {
    static_cast<void>(playback.value()->go_to(Tick{tick}, serial));
    fuzz::require_finite(playback.value()->world());
  }
}

void read(const std::vector<Bytes>& segments) {
  const OpenSegment open = [&](std::uint32_t number) -> Result<std::unique_ptr<ByteSource>> {
    if (number >= segments.size()) return std::unique_ptr<ByteSource>();
    return std::unique_ptr<ByteSource>(std::make_unique<test::MemorySource>(segments[number]));
  };
  test::MemorySource source(segments[0]);
  LogReader reader(source, open);
  const Result<LogHeader> header = reader.read_header();
  if (!header || !small(header.value())) return;
  Result<World> world = initial_world(header.value());
  if (!world) return;
  SerialExecutor serial;
  const Verification found = verify(reader, header.value(), world.value(), serial, [] {});
  fuzz::require_finite(world.value());
  ORRERY_ASSERT(found.verified <= found.ticks);
  std::size_t size = 0;
  for (const Bytes segment : segments) size += segment.size();
  const LogTail& tail = found.tail;
  ORRERY_ASSERT(tail.complete_bytes + tail.lost_bytes + tail.given_up_bytes <= size);
  play(open);
  test::MemorySource again(segments[0]);
  LogReader to_go_on(again, open);
  if (const auto recovered = recover(to_go_on, serial))
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

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::read_as_is_and_mended({data, size});
  return 0;
}
