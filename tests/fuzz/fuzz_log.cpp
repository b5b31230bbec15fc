// Owns the fuzz target of session logs: as they come, and with the chain of checksums mended. What
// stands behind a second preamble is a second segment.
#include <algorithm>
#include <memory>
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/session/log_reader.h"
#include "common/session/playback.h"
#include "common/session/replay.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/memory_log.h"

namespace orrery {
namespace {

// A log whose every record has the checksum that it should have: else no fuzzer would get past the
// first one.
std::vector<std::uint8_t> mended(Bytes bytes) {
  std::vector<std::uint8_t> log(bytes.begin(), bytes.end());
  if (log.size() < kPreambleBytes) return log;
  std::uint64_t chain = checksum(Bytes(log).first(kPreambleBytes));
  for (std::size_t at = kPreambleBytes; at < log.size();) {
    const Bytes rest = Bytes(log).subspan(at);
    const std::optional<RecordFrame> frame = read_frame(rest);
    if (!frame || frame->size() > rest.size()) break;
    const std::size_t covered = frame->size() - kChecksumBytes;
    chain = checksum(rest.first(covered), chain);
    for (std::size_t i = 0; i < kChecksumBytes; ++i) {
      log[at + covered + i] = static_cast<std::uint8_t>(chain >> 8 * i);
    }
    at += frame->size();
  }
  return log;
}

bool small(const LogHeader& header) {
  const Result<Scene> scene = decode_scene(header.scene);
  return scene && scene.value().bodies.size() + scene.value().spare_bodies <= fuzz::kBodiesMax &&
         scene.value().substeps <= 4;
}

std::vector<Bytes> segments_of(Bytes bytes) {
  if (bytes.empty()) return {bytes};
  const auto second =
      std::search(bytes.begin() + 1, bytes.end(), kLogMagic.begin(), kLogMagic.end());
  const auto first_size = static_cast<std::size_t>(second - bytes.begin());
  if (second == bytes.end()) return {bytes};
  return {bytes.first(first_size), bytes.subspan(first_size)};
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
  ORRERY_ASSERT(found.tail.complete_bytes + found.tail.lost_bytes <= size);
  play(open);
}

void read_as_is_and_mended(Bytes bytes) {
  const std::vector<Bytes> segments = segments_of(bytes);
  read(segments);
  std::vector<std::vector<std::uint8_t>> whole;
  for (const Bytes segment : segments) whole.push_back(mended(segment));
  read({whole.begin(), whole.end()});
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::read_as_is_and_mended({data, size});
  return 0;
}
