// Owns the disk of a simulated fleet: a log as orreryd writes it, and what crashes leave of that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/host/disk/segment_writer.h"
#include "common/session/replay/recovery.h"
#include "tests/support/simulated_disk.h"

namespace orrery::fleet {

// It is the test's, and outlives the servers.
class Disk final : public session::ByteSink {
 public:
  explicit Disk(std::uint64_t seed) : files_(seed), random_(seed) {}

  // A server begins, or goes on: what it appends first is a header.
  void begin();
  bool append(Bytes bytes) override;
  // Brings what was appended to the disk, as the thread of a log does every few ticks.
  void write();
  // The server ends, or its machine does, perhaps after its disk: between two calls of that,
  // perhaps in the middle of write(). All ticks up to the one returned must be there again.
  Tick crash();

  Result<session::Recovered> recover();
  session::OpenSegment segments();
  // Of all that is in it.
  std::uint64_t digest();

 private:
  test::SimulatedDisk files_;
  SplitMix64 random_;
  std::optional<host::SegmentWriter> writer_;
  std::vector<std::uint8_t> waiting_;
};

}  // namespace orrery::fleet
