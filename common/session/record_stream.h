// Owns the reading of records one by one: a window over a source, and the chain of checksums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/session/byte_sink.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"

namespace orrery {

// Holds one record at a time, and allocates for bytes that have come, never for bytes that a length
// promises.
class RecordStream {
 public:
  // The source outlives the stream.
  explicit RecordStream(ByteSource& source) : source_(&source) {}

  // Takes the first `count` bytes, or as many as there are, from which the chain begins. The bytes
  // are good until the next call.
  Bytes take_preamble(std::size_t count);

  // The record at the front, if it is whole and continues the chain.
  std::optional<RecordFrame> front();

  // How the record at the front says that it begins and ends, whatever it holds.
  std::optional<RecordFrame> frame();

  // The first bytes of its payload, enough for what stands before an image. Good until the next
  // call.
  Bytes payload_start(const RecordFrame& frame) const;

  // Moves on past it, without reading what is not read yet where the source can seek. False if the
  // source ends before it does.
  bool pass(const RecordFrame& frame);

  // The payload of the record at the front: good until the next call but accept().
  Bytes payload(const RecordFrame& frame) const;

  // Moves on past the record at the front.
  void accept(const RecordFrame& frame);

  // The payload of the record that was accepted last: good until the next call but this one.
  Bytes last_payload() const { return Bytes(buffer_).subspan(last_begin_, last_size_); }

  // Searches what lies behind the records, up to limits; where those are reached, that counts as a
  // barrier.
  struct Rest {
    std::uint64_t bytes = 0;    // of a pipe that goes on behind the limits, as many as were read
    bool valid_record = false;  // one lies somewhere among them, or whole blocks that hold some
    bool barrier = false;       // one of those is a barrier (session/log_format.h)
    bool too_long = false;      // to be searched to its end
  };
  Rest read_rest();

  // The bytes from here to the end of the source, as far as that knows its size.
  std::uint64_t bytes_ahead() const { return std::max(offset_, source_->size()) - offset_; }

  // Goes to a record in the source whose offset is known. False if it cannot be gone to.
  bool seek(std::uint64_t offset);

  // Of the source.
  Status status() const { return source_->status(); }
  std::uint64_t offset() const { return offset_; }
  // The checksum of the last record.
  std::uint64_t chain() const { return chain_; }

 private:
  Bytes window() const { return Bytes(buffer_).subspan(begin_); }
  // Reads until the window has `count` bytes; false if the source ends before.
  bool fill(std::size_t count);
  // Drops bytes from the front of the window.
  void discard(std::size_t count);
  // Looks for valid records, up to the first barrier.
  Rest search_ahead();
  // The first place in the window from `at` on where a record may begin; none before `end`: that.
  std::size_t next_candidate(std::size_t at, std::size_t end) const;
  // The valid record that starts `at` bytes into the window, if one does; else charges the work to
  // `budget`.
  std::optional<RecordFrame> record_at(std::size_t at, std::uint64_t& budget);

  ByteSource* source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;       // of the window in the buffer; bytes before it are done with
  std::size_t last_begin_ = 0;  // of the last payload in the buffer
  std::size_t last_size_ = 0;
  bool source_ended_ = false;
  std::uint64_t chain_ = 0;
  std::uint64_t offset_ = 0;  // of the window in the source
  TickRecord candidate_;      // scratch of record_at
  std::vector<CheckpointPlace> candidate_index_;
};

}  // namespace orrery
