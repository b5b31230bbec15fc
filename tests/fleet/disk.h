// Simulates the disk of a fleet's server: a log as orreryd writes it, and the part that survives a
// crash.
#pragma once

#include <cstdint>
#include <optional>

#include "common/session/replay/recovery.h"
#include "tests/support/disk_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery::fleet {

// A disk with a log. It belongs to the test and outlives the servers.
class Disk final : public session::RecordSink {
 public:
  explicit Disk(std::uint64_t seed) : files_(seed), random_(seed) {}

  // Prepares for a server that begins or resumes the session.
  void open();
  bool begin(const codec::LogHeader& header, const session::LogRecord* checkpoint) override;
  bool append(const session::LogRecord& record) override;
  // Brings the queued records to the disk, as the thread of a log does every few ticks.
  void write();
  // Simulates a crash of the server or of its machine, between two calls of the disk, perhaps in
  // the middle of write(). Returns the last durable tick. After the restart, this tick and all
  // earlier ones must exist.
  Tick crash();

  // Recovers the session from the files, as a restarted server does.
  Result<session::Recovered> recover();
  session::OpenSegment segments();
  // Returns a hash of all files.
  std::uint64_t digest();

 private:
  test::SimulatedDisk files_;
  SplitMix64 random_;
  std::optional<test::DiskLog> writer_;
  session::RecordBatch waiting_;
};

}  // namespace orrery::fleet
