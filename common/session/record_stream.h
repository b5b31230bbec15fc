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

// A buffered reader of records. It holds one record at a time. It allocates memory for bytes that
// have arrived, and never trusts a length field.
class RecordStream {
 public:
  // REQUIRES: the source outlives the stream.
  explicit RecordStream(ByteSource& source) : source_(&source) {}

  // Takes the first `count` bytes, or fewer at the end of the source. The chain of checksums starts
  // with them. They are valid until the next call.
  Bytes take_preamble(std::size_t count);

  // Returns the record at the front, if it is complete and its checksum continues the chain.
  std::optional<RecordFrame> front();

  // Returns the frame of the record at the front, without checking the payload.
  std::optional<RecordFrame> frame();

  // Returns the first bytes of a payload, at least the fields before an image. Valid until the next
  // call.
  Bytes payload_start(const RecordFrame& frame) const;

  // Moves past the record without reading the rest of it, if the source can seek. Returns false if
  // the source ends inside the record.
  bool pass(const RecordFrame& frame);

  // Returns the payload of the record at the front. It is valid until the next call other than
  // accept().
  Bytes payload(const RecordFrame& frame) const;

  // Moves past the record at the front.
  void accept(const RecordFrame& frame);

  // Returns the payload of the last accepted record. It is valid until the next call other than
  // this one.
  Bytes last_payload() const { return Bytes(buffer_).subspan(last_begin_, last_size_); }

  // The result of a search in the bytes after the last valid record. If the search reaches its
  // limits, it reports a barrier.
  struct Rest {
    std::uint64_t bytes = 0;    // size of the rest; of an endless pipe, the bytes read
    bool valid_record = false;  // there is a valid record, or an unreadable packed block
    bool barrier = false;       // one of them is a barrier (session/log_format.h)
    bool too_long = false;      // too long to be searched to the end
  };
  // Searches the rest of the source. Nothing can be read after it.
  Rest read_rest();

  // Returns the bytes up to the end of the source, or 0 if its size is unknown.
  std::uint64_t bytes_ahead() const { return std::max(offset_, source_->size()) - offset_; }

  // Moves to the record at a known offset. Returns false if the source cannot seek there.
  bool seek(std::uint64_t offset);

  // Return the status of the source and the offset in it.
  Status status() const { return source_->status(); }
  std::uint64_t offset() const { return offset_; }
  // Returns the checksum of the last record.
  std::uint64_t chain() const { return chain_; }

 private:
  Bytes window() const { return Bytes(buffer_).subspan(begin_); }
  // Reads until the window has `count` bytes. Returns false if the source ends first.
  bool fill(std::size_t count);
  // Removes bytes from the front of the window.
  void discard(std::size_t count);
  // Searches for valid records, up to the first barrier.
  Rest search_ahead();
  // Returns the next position from `at` on that can begin a record, or `end`.
  std::size_t next_candidate(std::size_t at, std::size_t end) const;
  // Returns the valid record at position `at` of the window. Charges failed attempts to `budget`.
  std::optional<RecordFrame> record_at(std::size_t at, std::uint64_t& budget);

  ByteSource* source_;
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;       // start of the window in the buffer; earlier bytes are consumed
  std::size_t last_begin_ = 0;  // last payload in the buffer
  std::size_t last_size_ = 0;
  bool source_ended_ = false;
  std::uint64_t chain_ = 0;
  std::uint64_t offset_ = 0;  // of the window in the source
  TickRecord candidate_;      // reused by record_at
  std::vector<CheckpointEntry> candidate_index_;
};

}  // namespace orrery::session
