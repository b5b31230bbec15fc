// Declares the interface that session logs are read through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/core/result.h"

namespace orrery::session {

// An interface for reading the bytes of a file in order, for example of one segment of a log.
struct ByteSource {
  virtual ~ByteSource() = default;

  // Fills `into` from the front and returns the number of bytes read. The number is less than
  // into.size() only at the end of the source, or after a read that failed. The source of a packed
  // (compressed) segment also ends before the first block that is broken.
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;

  // Moves to an offset; the next read() starts there. Returns false if it cannot: the offset is
  // beyond the end, or the source is a pipe, which then stays at its position.
  virtual bool seek(std::uint64_t offset) {
    static_cast<void>(offset);
    return false;
  }

  // Returns the number of bytes that the source claims to have, or 0 if it is unknown. The size of
  // a packed segment is its size before it was packed.
  virtual std::uint64_t size() const { return 0; }

  // Returns the error of the first read that failed, if any. In that case read() stopped before the
  // end of the source.
  virtual Status status() const { return ok_status(); }
};

}  // namespace orrery::session
