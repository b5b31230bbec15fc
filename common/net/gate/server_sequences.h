// Assigns packet sequences to the servers that share one token.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"

namespace orrery::net {

// The packet sequences of one server of a token. All servers of a token seal with one key, so no
// two of them may use the same sequence. Server i of n uses every n-th block of kBlock sequences,
// from block i on. Low sequences come first, because a packet omits their high zero bytes. A block
// is much longer than a replay window: only packets that are overtaken at the end of a block are
// too old.
class ServerSequences {
 public:
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;

  ServerSequences() = default;  // for the only server of a token
  ServerSequences(std::size_t place, std::size_t servers)
      : next_(place * kBlock), others_((servers - 1) * kBlock) {
    ORRERY_ASSERT(place < servers);
  }

  // Return the next sequence; take() also consumes it.
  std::uint64_t next() const { return next_; }
  std::uint64_t take() {
    const std::uint64_t taken = next_++;
    if (next_ % kBlock == 0) next_ += others_;
    return taken;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t others_ = 0;  // sequences of other servers between two blocks
};

}  // namespace orrery::net
