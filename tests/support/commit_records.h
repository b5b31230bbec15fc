// Owns how a whole log is written again, record by record, into segments.
#pragma once

#include "common/host/disk/segment_writer.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"

namespace orrery::test {

// Commits the records of a log, each in a round of its own.
inline void commit_records(Bytes log, host::SegmentWriter& writer) {
  std::size_t begun = session::kPreambleBytes;  // the writer takes it with the header
  for (; !log.empty(); begun = 0) {
    const std::size_t size = begun + session::read_frame(log.subspan(begun)).value().size();
    writer.commit(log.first(size));
    log = log.subspan(size);
  }
}

}  // namespace orrery::test
