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
  // into.size() only at the end of the file, or after a read that failed.
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;

  // Moves to an offset; the next read() starts there. Returns false, and changes nothing, if the
  // source cannot move (a pipe).
  virtual bool seek(std::uint64_t offset) {
    static_cast<void>(offset);
    return false;
  }

  // Returns the size of the file in bytes, or 0 if it is unknown.
  virtual std::uint64_t size() const { return 0; }

  // Returns the error of the first read that failed, if any. In that case read() stopped before the
  // end of the file.
  virtual Status status() const { return ok_status(); }
};

}  // namespace orrery::session
