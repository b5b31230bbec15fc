// Owns the reading of a session log, and the judgement of its tail: closed, torn or damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

  // First of all. An Error says why there is nothing to read; then tail().damaged tells a damaged
  // header with valid records behind it from all else: no log, another version, a cut header.
  Result<LogHeader> read_header();

  // The next tick into `record`; false at the end of the longest valid prefix, and then tail() is
  // known.
  bool next(TickRecord& record);

  const LogTail& tail() const { return tail_; }

  // How far reading has come: the bytes of the preamble and the records so far.
  std::uint64_t bytes_read() const { return tail_.complete_bytes; }

 private:
  Bytes window() const { return Bytes(buffer_).subspan(begin_); }
  // Reads until the window has `count` bytes; false if the source ends before.
  bool fill(std::size_t count);
  // Drops bytes from the front of the window.
  void discard(std::size_t count);

  // The record at the front of the window, if it is whole and continues the chain.
  std::optional<RecordFrame> front_record();
  // Moves on past the record at the front.
  void accept(const RecordFrame& frame);
  // Ends the reading: nothing valid follows. Finds out what lies behind, and counts it.
  void judge_tail();
  void end_damaged();
  bool valid_record_ahead();
  // True if a valid record starts `at` bytes into the window. Charges its work to `budget`.
  bool is_record_at(std::size_t at, std::uint64_t& budget);

  ByteSource& source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // of the window in the buffer; bytes before it are done with
  bool source_ended_ = false;
  bool ended_ = false;
  std::uint64_t chain_ = 0;  // the checksum of the last record
  std::uint64_t ticks_ = 0;
  std::uint64_t consumed_ = 0;  // bytes before the window
  TickRecord candidate_;        // scratch of is_record_at
  LogTail tail_;
};

}  // namespace orrery
