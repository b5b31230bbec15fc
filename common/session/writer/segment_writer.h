// Writes the bytes of one segment of a session log.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/session/log_records.h"
#include "common/session/writer/record_sink.h"

namespace orrery::session {

// A framer for the records of one segment: it chains their checksums, and lists the checkpoints in
// an index at the end. This is the only code that frames records for a log.
class SegmentWriter {
 public:
  // Starts a segment: appends its preamble and its header to `out`. Forgets the previous segment.
  void start(const codec::LogHeader& header, std::vector<std::uint8_t>& out);

  // Appends a record to `out`. Puts the index in front of an end record, unless it was appended
  // already.
  // REQUIRES: start() was called; the record is no index and no header.
  void append(const LogRecord& record, std::vector<std::uint8_t>& out);

  // Appends the index of the checkpoints of this segment to `out`. REQUIRES: start() was called;
  // the segment has no index yet; only an end record and a seal may follow.
  void append_index(std::vector<std::uint8_t>& out);

  // Return the last tick, the checksum of the last record, and the size of the segment in bytes.
  Tick tick() const { return tick_; }
  std::uint64_t checksum() const { return checksum_; }
  std::uint64_t size() const { return size_; }

 private:
  // Appends one framed record to `out`. Its payload is `payload` followed by `more`.
  void frame(RecordType type, Bytes payload, Bytes more, std::vector<std::uint8_t>& out);

  Tick tick_;
  std::uint64_t checksum_ = 0;  // of the last record: the seed of the next one
  std::uint64_t size_ = 0;
  bool has_index_ = false;
  std::vector<CheckpointEntry> index_;
  std::vector<std::uint8_t> payload_;  // scratch
};

}  // namespace orrery::session
