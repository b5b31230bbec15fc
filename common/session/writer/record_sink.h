// Passes the records of a session from the code that steps it to the log. The log adds their frames
// (log_format.h) later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/session/log_format.h"

namespace orrery::session {

// A view of one record: a tick, a checkpoint, a seal or the end.
struct LogRecord {
  RecordType type = RecordType::tick;
  Tick tick;         // the last tick of the session so far, this record included
  Bytes payload;     // the payload, or its first part if `image` is not empty
  Bytes image = {};  // the rest of the payload of a checkpoint, or empty

  // Returns the size of the record in the log, frame included, in bytes.
  std::size_t size() const { return record_size(payload.size() + image.size()); }
};

// An interface for receivers of the records of one session, in order.
struct RecordSink {
  virtual ~RecordSink() = default;

  // Begins the log with a header. A resumed session also passes the checkpoint that its new segment
  // starts with: header and checkpoint must reach the disk together. Returns false if the log has
  // failed.
  // REQUIRES: this is the first call; `checkpoint` is null exactly if header.segment is 0.
  virtual bool begin(const codec::LogHeader& header, const LogRecord* checkpoint) = 0;

  // Copies a record. Returns false if the log has failed for good, and then takes nothing more.
  // A sink that continues after failures returns true for records that it drops, too.
  // REQUIRES: begin() was called.
  virtual bool append(const LogRecord& record) = 0;
};

// A queue of records in memory. Clearing it keeps its memory, so a queue that is filled again and
// again stops allocating.
class RecordBatch final : public RecordSink {
 public:
  // Stores a copy; always returns true. If begin() runs out of memory, the queue has no header and
  // no records.
  bool begin(const codec::LogHeader& header, const LogRecord* checkpoint) override;
  bool append(const LogRecord& record) override;

  // Removes the header and all records.
  void clear();

  // Returns the header, or null if begin() was not called since the last clear().
  const codec::LogHeader* header() const { return has_header_ ? &header_ : nullptr; }
  bool empty() const { return !has_header_ && entries_.empty(); }
  // Returns the bytes that the records take in a log; of a header only the scene is counted.
  std::size_t bytes() const { return bytes_; }

  // Calls `function` with each record in order. The payload of a checkpoint includes its image, and
  // `image` is empty. The bytes that a record refers to are valid until the next change of the
  // queue.
  template <class Function>
  void for_each(Function function) const {
    std::size_t at = 0;
    for (const Entry& entry : entries_) {
      function(LogRecord{entry.type, Tick{entry.tick}, Bytes(payloads_).subspan(at, entry.size)});
      at += entry.size;
    }
  }

 private:
  struct Entry {
    std::uint64_t tick = 0;
    std::uint32_t size = 0;  // of the payload, image included
    RecordType type = RecordType::tick;
  };

  bool has_header_ = false;
  codec::LogHeader header_;
  std::vector<Entry> entries_;
  std::vector<std::uint8_t> payloads_;
  std::size_t bytes_ = 0;
};

}  // namespace orrery::session
