// Writes an existing log again, record by record, through a SegmentWriter.
#pragma once

#include "common/host/disk/segment_writer.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"

namespace orrery::test {

// Commits each record of a log separately.
inline void commit_records(Bytes log, host::SegmentWriter& writer) {
  std::size_t begun =
      session::kPreambleBytes;  // the preamble is committed together with the header record
  for (; !log.empty(); begun = 0) {
    const std::size_t size = begun + session::read_frame(log.subspan(begun)).value().size();
    writer.commit(log.first(size));
    log = log.subspan(size);
  }
}

}  // namespace orrery::test
