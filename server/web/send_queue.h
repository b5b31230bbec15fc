// Queues the bytes that a TCP connection still has to send.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/core/bytes.h"

namespace orrery::server::web {

// A queue of bytes. Its memory is at most a small multiple of the largest number of bytes that
// waited since the queue was last empty. This holds even if a slow reader never takes all of them.
// A queue that becomes empty keeps at most kKeptBytes of memory.
class SendQueue {
 public:
  // Bytes of memory that an empty queue may keep, so that a usual tick allocates nothing.
  static constexpr std::size_t kKeptBytes = std::size_t{64} << 10;

  // Appends bytes.
  void append(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  // Returns the bytes that wait. They are valid until the next other call.
  Bytes waiting() const { return Bytes(bytes_).subspan(sent_); }

  // Removes the first `size` bytes that wait. REQUIRES: at least `size` bytes wait.
  void remove(std::size_t size) {
    ORRERY_ASSERT(size <= waiting().size());
    sent_ += size;
    // move the rest only if it is no larger than the sent part
    if (2 * sent_ < bytes_.size()) return;
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(sent_));
    sent_ = 0;
    if (bytes_.empty() && memory() > kKeptBytes) std::vector<std::uint8_t>().swap(bytes_);
  }

  // Returns the bytes of memory that the queue uses.
  std::size_t memory() const { return bytes_.capacity(); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t sent_ = 0;  // bytes at the begin of bytes_ that were removed
};

}  // namespace orrery::server::web
