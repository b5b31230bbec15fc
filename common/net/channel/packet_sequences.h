// Assigns the sequences of sealed packets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"

namespace orrery::net {

// The packet sequences of one side of a connection. No sequence may repeat under one key.
//
// All servers of a token seal with one key, so no two of them may use the same sequence. Server i
// of n uses every n-th block of kBlock sequences, from block i on. Low sequences come first,
// because a packet omits their high zero bytes.
//
// The jump to the next block is longer than the receiver's replay window. Packets of the old block
// that arrive after a packet of the new block are therefore dropped as too old. Blocks are long, so
// this is rare.
class PacketSequences {
 public:
  static constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;
  // End of the sequences of connections. Denials and challenges use the sequences from kEnd on.
  static constexpr std::uint64_t kEnd = std::uint64_t{1} << 63;

  // Makes the sequences of a client: first, first + 1, ... REQUIRES: first < kEnd / 2.
  explicit PacketSequences(std::uint64_t first = 0) : next_(first) {
    ORRERY_ASSERT(first < kEnd / 2);
  }
  // Makes the sequences of server `place` of a token with `servers` servers. `round` is the number
  // of its blocks that are left out at the start. REQUIRES: place < servers <= 2^12.
  PacketSequences(std::size_t place, std::size_t servers, std::uint32_t round = 0)
      : next_((std::uint64_t{round} * servers + place) * kBlock), others_((servers - 1) * kBlock) {
    ORRERY_ASSERT(place < servers && servers <= 1 << 12);
  }

  // Return the next sequence; take() also consumes it.
  std::uint64_t next() const { return next_; }
  std::uint64_t take() {
    ORRERY_ASSERT(next_ < kEnd);
    const std::uint64_t taken = next_++;
    if (next_ % kBlock == 0) next_ += others_;
    return taken;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t others_ = 0;  // number of sequences between two blocks of this server
};

}  // namespace orrery::net
