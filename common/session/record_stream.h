// Reads records one by one from a byte source, and verifies their chain of checksums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/session/byte_source.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"

namespace orrery::session {

// A buffered reader of records. It keeps about one record in memory. Its memory grows with the
// bytes that were read, never with an untrusted length field.
class RecordStream {
 public:
  // REQUIRES: the source outlives the stream.
  explicit RecordStream(ByteSource& source) : source_(&source) {}

  // Reads and returns the first `count` bytes, or fewer at the end of the source. Starts the chain
  // with their checksum. The bytes are valid until the next call.
  Bytes take_preamble(std::size_t count);

  // Returns the frame of the record at the front, which is the next to be read. Returns nothing
  // unless it is complete and its checksum continues the chain.
  std::optional<RecordFrame> front();

  // Returns the frame of the record at the front. The payload is not checked, and may be
  // incomplete.
  std::optional<RecordFrame> frame();

  // Returns the first bytes of the payload of the record at the front. For a checkpoint they
  // include tick and hash. They are valid until the next call. REQUIRES: frame() or front()
  // returned `frame`.
  Bytes payload_start(const RecordFrame& frame) const;

  // Moves past the record without reading the rest of it, if the source can seek. The checksum of
  // the record is then trusted. Returns false if the source ends inside the record.
  // REQUIRES: frame() or front() returned `frame`. last_payload() is not called before the next
  // accept().
  bool pass(const RecordFrame& frame);

  // Returns the payload of the record at the front. It is valid until the next call other than
  // accept().
  Bytes payload(const RecordFrame& frame) const;

  // Moves past the record at the front.
  void accept(const RecordFrame& frame);

  // Continues the chain with the checksum of a record that was removed after the last one.
  void continue_from(std::uint64_t checksum) {
    ORRERY_ASSERT(offset_ > 0);
    chain_ = checksum;
  }

  // Returns the payload of the last accepted record. It is valid until the next call other than
  // this one.
  Bytes last_payload() const { return Bytes(buffer_).subspan(last_begin_, last_size_); }

  // The result of a search in the bytes after the last valid record. If the search reaches its
  // limits, it reports a barrier, so that the log counts as damaged.
  struct Rest {
    std::uint64_t bytes = 0;  // size of the rest; for an endless pipe, the bytes read
    // True: there is a valid record, a broken packed block, or more forged bytes than are checked.
    bool valid_record = false;
    bool barrier = false;   // true: there is a barrier, or something that counts as a barrier
    bool too_long = false;  // the rest is too long to be searched to the end
  };
  // Searches the rest of the source. Afterwards no record can be read.
  Rest read_rest();

  // Returns the number of bytes from offset() to the end of the source, or 0 if its size is
  // unknown.
  std::uint64_t bytes_ahead() const { return std::max(offset_, source_->size()) - offset_; }

  // Moves to the record at a known offset. Trusts the eight bytes before it as the checksum of the
  // previous record. Returns false if the source cannot seek there.
  bool seek(std::uint64_t offset);

  // Return the status of the source, and the offset of the record at the front.
  Status status() const { return source_->status(); }
  std::uint64_t offset() const { return offset_; }
  // Returns the checksum of the last record, or of the preamble before the first one.
  std::uint64_t chain() const { return chain_; }

 private:
  Bytes window() const { return Bytes(buffer_).subspan(begin_); }
  // Reads until the window, the unread part of the buffer, has `count` bytes. Returns false if the
  // source ends first.
  bool fill(std::size_t count);
  // Removes bytes from the front of the window.
  void discard(std::size_t count);
  // Searches the rest of the source for valid records, up to the first barrier.
  Rest search_ahead();
  // Returns the first position from `at` on, before `end`, with a byte that can be the type of a
  // record other than a header. If there is none, returns the larger of `at` and `end`.
  std::size_t next_candidate(std::size_t at, std::size_t end) const;
  // Returns the frame of the valid record at position `at` of the window, if there is one. If not,
  // subtracts the bytes that were decoded and hashed from `budget`.
  std::optional<RecordFrame> record_at(std::size_t at, std::uint64_t& budget);

  ByteSource* source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;       // start of the window in the buffer; earlier bytes are consumed
  std::size_t last_begin_ = 0;  // start of the last accepted payload in the buffer
  std::size_t last_size_ = 0;
  bool source_ended_ = false;
  std::uint64_t chain_ = 0;
  std::uint64_t offset_ = 0;  // offset of the window in bytes from the start of the source
  TickRecord candidate_;      // reused by record_at
  std::vector<CheckpointEntry> candidate_index_;
};

}  // namespace orrery::session
