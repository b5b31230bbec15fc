// Simulates the disk of a fleet's server, with its log and crashes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/host/disk/segment_writer.h"
#include "common/session/replay/recovery.h"
#include "tests/support/simulated_disk.h"

namespace orrery::fleet {

// A disk with one session log, written as orreryd writes it. It survives crashes of the server.
class Disk final : public session::ByteSink {
 public:
  explicit Disk(std::uint64_t seed) : files_(seed), random_(seed) {}

  // Starts a new segment. The next append() must be a header.
  void begin();
  bool append(Bytes bytes) override;
  // Writes the appended bytes to the disk, as the log thread does every few ticks.
  void write();
  // Stops the server, and sometimes the machine, at a random point of write(). Returns the last
  // durable tick: recovery must restore at least that tick.
  Tick crash();

  // Recovers the session from the files, as a restarted server does.
  Result<session::Recovered> recover();
  session::OpenSegment segments();
  // Returns a hash of all files.
  std::uint64_t digest();

 private:
  test::SimulatedDisk files_;
  SplitMix64 random_;
  std::optional<host::SegmentWriter> writer_;
  std::vector<std::uint8_t> waiting_;
};

}  // namespace orrery::fleet
