// Owns the reading of a session log, and the judgement of its tail: closed, torn or damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/byte_sink.h"
#include "common/session/log_format.h"
#include "common/world/command.h"

namespace orrery {

struct TickRecord {
  Tick tick;
  std::uint64_t hash = 0;
  std::vector<Command> commands;  // as applied
};

// What lies behind the last complete record.
struct LogTail {
  bool closed = false;               // the end record is there: the session was closed on purpose
  bool damaged = false;              // a record is broken, and a valid one lies behind it
  std::uint64_t complete_bytes = 0;  // the longest valid prefix
  std::uint64_t lost_bytes = 0;      // behind it
};

// Reads a log front to back through a window; holds one record at a time, and allocates for bytes
// that have come, never for bytes that a length promises.
class LogReader {
 public:
  // The source outlives the reader.
  explicit LogReader(ByteSource& source) : source_(source) {}

  // First of all. An Error says why there is nothing to read; then tail().damaged tells a broken
  // header with valid records behind it from no log, another version or a cut header.
  Result<LogHeader> read_header();

  // The next tick into `record`; false at the end of the longest valid prefix, and then tail() is
  // known.
  bool next(TickRecord& record);

  const LogTail& tail() const { return tail_; }

 private:
  enum class Parsed : std::uint8_t { record, end_of_bytes, broken };

  bool fill(std::size_t count);
  void discard(std::size_t count);
  Bytes window() const { return Bytes(buffer_).subspan(begin_); }
  // Checks the record at the front of the window against the chain.
  bool take_record(RecordFrame& frame);
  bool decode_tick(Bytes payload, TickRecord& record) const;
  bool is_record(std::uint64_t seed, const RecordFrame& frame, Bytes bytes) const;
  // Looks for a valid record behind the longest valid prefix, and counts what is lost.
  void judge_tail();

  ByteSource& source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;
  bool source_ended_ = false;
  std::uint64_t chain_ = 0;
  std::uint64_t ticks_ = 0;
  LogTail tail_;
};

}  // namespace orrery
