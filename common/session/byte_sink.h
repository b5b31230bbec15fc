// Owns the interfaces through which a session log leaves and enters common/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/core/bytes.h"

namespace orrery {

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
};

}  // namespace orrery
