// Writes a session log to a disk in the caller's thread, and verifies logs on a disk.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "common/core/executor.h"
#include "common/host/disk/log_seal.h"
#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_files.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/segmented_log.h"
#include "tests/support/memory_log.h"

namespace orrery::test {

// A log in files. The test calls commit(), which the writer thread of a LogFile would call.
class DiskLog {
 public:
  DiskLog(host::FileSystem& disk, const std::string& path, std::size_t segment_bytes)
      : files_(disk, path), log_(files_, segment_bytes) {}

  void seal_with(host::LogSealer sealer) {
    log_.seal_with(std::make_unique<host::LogSealer>(std::move(sealer)));
  }
  void commit(const session::RecordBatch& records) { log_.commit(records); }
  void skip_to_checkpoint() { log_.skip_to_checkpoint(); }
  const session::LogState& state() const { return log_.state(); }

 private:
  host::SegmentFiles files_;
  session::SegmentedLog log_;
};

// Commits the records of a log in memory, with one commit for each record.
inline void commit_records(Bytes log, DiskLog& written) {
  for (const session::RecordBatch& record : single_records(log)) written.commit(record);
}

// Replays the log at a path, and compares the states.
inline session::Verification verify_log(const std::string& path, host::FileSystem& disk) {
  const session::OpenSegment open = host::segments_of(path, disk);
  const auto source = open(0);
  session::LogReader log(*source.value(), open);
  const codec::LogHeader header = log.read_header().value();
  World world = std::move(session::initial_world(header).value());
  SerialExecutor executor;
  return session::verify(log, header, world, executor, [] {});
}

}  // namespace orrery::test
