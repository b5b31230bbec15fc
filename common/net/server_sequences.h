// Owns which sequences a server of a token seals its packets with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"

namespace orrery {

// The servers of a token have one key between them, so no two of them may ever use one sequence:
// they take turns, a block each. A packet has only the significant bytes of its sequence, so the
// lowest come first. Blocks are much longer than a replay window: only what is overtaken across the
// end of one counts as too old.
class ServerSequences {
 public:
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;

  ServerSequences() = default;  // of the only server
  ServerSequences(std::size_t place, std::size_t servers)
      : next_(place * kBlock), others_((servers - 1) * kBlock) {
    ORRERY_ASSERT(place < servers);
  }

  // That of the next packet; and takes it.
  std::uint64_t next() const { return next_; }
  std::uint64_t take() {
    const std::uint64_t taken = next_++;
    if (next_ % kBlock == 0) next_ += others_;
    return taken;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t others_ = 0;  // sequences of the other servers between two blocks
};

}  // namespace orrery
