// Owns the interfaces through which a session log leaves and enters common/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/core/bytes.h"
#include "common/core/result.h"

namespace orrery::session {

// Takes the bytes of a log in order. Failures are the owner's: it keeps them and is asked for them;
// after one, append() takes nothing and returns false.
struct ByteSink {
  virtual ~ByteSink() = default;
  virtual bool append(Bytes bytes) = 0;
};

// Gives the bytes of a log in order: fills `into` from the front and returns how many; fewer than
// asked for only at the end.
struct ByteSource {
  virtual ~ByteSource() = default;
  virtual std::size_t read(std::span<std::uint8_t> into) = 0;

  // Goes to a place in the bytes, from where read() goes on. False if there is no going back (a
  // pipe), and then nothing has changed.
  virtual bool seek(std::uint64_t offset) {
    static_cast<void>(offset);
    return false;
  }

  // How many bytes there are in all, or 0 if that is not known.
  virtual std::uint64_t size() const { return 0; }

  // The first read that failed, if any: the bytes ended there, but perhaps not those of the log.
  virtual Status status() const { return ok_status(); }
};

}  // namespace orrery::session
