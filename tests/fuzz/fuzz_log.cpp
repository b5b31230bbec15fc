// Owns the fuzz target of session logs: as they come, and with the chain of checksums mended.
#include <vector>

#include "common/codec/scene_codec.h"
#include "common/core/hash.h"
#include "common/session/log_reader.h"
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

void read(Bytes bytes) {
  test::MemorySource source(bytes);
  LogReader reader(source);
  const Result<LogHeader> header = reader.read_header();
  if (!header || !small(header.value())) return;
  Result<World> world = initial_world(header.value());
  if (!world) return;
  SerialExecutor serial;
  const Verification found = verify(reader, header.value(), world.value(), serial, [] {});
  fuzz::require_finite(world.value());
  ORRERY_ASSERT(found.verified <= found.ticks);
  ORRERY_ASSERT(found.tail.complete_bytes + found.tail.lost_bytes <= bytes.size());
}

}  // namespace
}  // namespace orrery

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  orrery::read({data, size});
  orrery::read(orrery::mended({data, size}));
  return 0;
}
