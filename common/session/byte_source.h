// Declares the interface that session logs are read through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/core/result.h"

namespace orrery::session {

// An interface for reading the bytes of a log in order.
struct ByteSource {
  virtual ~ByteSource() = default;

  // Fills `into` from the front and returns the number of bytes read. It is less than into.size()
  // only at the end of the log, or after a read that failed.
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;

  // Moves to an offset; the next read() starts there. Returns false, and changes nothing, if the
  // source cannot move (a pipe).
  virtual bool seek(std::uint64_t offset) {
    static_cast<void>(offset);
    return false;
  }

  // Returns the size of the log in bytes, or 0 if it is unknown.
  virtual std::uint64_t size() const { return 0; }

  // Returns the first read that failed, if any. read() then stopped before the end of the log.
  virtual Status status() const { return ok_status(); }
};

}  // namespace orrery::session
