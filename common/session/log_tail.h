// Describes the end of a log: closed, torn or damaged, and its gaps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/log_records.h"

namespace orrery::session {

// The end of a log: its last valid record, and the bytes and ticks that were lost or skipped.
// schema/log.md 9.2 defines closed, torn and damaged.
struct LogTail {
  Tick tick;                    // last tick read
  bool closed = false;          // an end record was read: the session was closed normally
  std::optional<LogSeal> seal;  // the seal after the end record
  // Durable bytes are broken, or a record or segment does not fit the rest of the log.
  bool damaged = false;
  // Describes the damage. Empty if there is none, or if the damage is a broken record.
  std::string reason;
  std::uint64_t complete_bytes = 0;  // size of the valid prefix, over all segments
  // Bytes after the valid records, and bytes of segments whose writer crashed at the start.
  std::uint64_t lost_bytes = 0;
  // Bytes that are ignored because the next segment continues from an earlier record.
  std::uint64_t abandoned_bytes = 0;
  // Ticks that the log lost in disk errors, as the writer recorded them.
  std::uint64_t lost_ticks = 0;
  // Ticks of segments whose records were removed to save space.
  std::uint64_t removed_ticks = 0;
  std::uint32_t segment = 0;        // last segment with valid records
  std::uint64_t segment_bytes = 0;  // size of the valid prefix of that segment
  // A read error. It ended the reading, so the rest of the log is unknown.
  std::optional<Error> unreadable = {};
};

// Returns the faults of a log in one line; empty if it is closed and intact. `being_written`: a
// running program is still writing the log.
std::string describe(const LogTail& tail, bool being_written = false);

}  // namespace orrery::session
