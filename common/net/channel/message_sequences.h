// Numbers the outgoing messages of a connection, and recognises false acknowledgements of them.
#pragma once

#include <array>
#include <cstdint>

#include "common/core/assert.h"
#include "common/net/environment.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

// The sequences of the messages that one side sends: 1, 2, ... They wrap around after 2^32 - 1 and
// skip 0, which means "none". Each block of kBlock sequences also skips one sequence, at a random
// place that the receiver cannot know before a later message arrives. A receiver that acknowledges
// messages without waiting for them soon acknowledges a skipped one (RFC 9000, section 21.4). Block
// 0, with the first messages, skips only the sequence 0.
class MessageSequences {
 public:
  static constexpr std::uint32_t kBlock = 32;
  // Blocks whose skipped sequence is remembered. At the highest rate, 125 MB/s, they hold the full
  // datagrams of 0.3 s; at 5 MB/s the datagrams of 8 s.
  static constexpr std::uint32_t kBlocks = 1024;

  // `last`: sequence of the newest message. Tests start near a wrap.
  explicit MessageSequences(std::uint64_t last = 0) : last_(last) {}

  // Returns the sequence of the next message.
  std::uint32_t next() const { return static_cast<std::uint32_t>(following()); }
  // Returns the same, and consumes it. Draws from the environment once in a block.
  std::uint32_t take(NetEnvironment& environment) {
    last_ = following();
    ORRERY_ASSERT(static_cast<std::uint32_t>(last_) != 0);
    const std::uint64_t after = last_ + 1;
    if (after % kBlock == 0) {
      // The last sequence of a block is never skipped, so each block is entered by its first or
      // second sequence.
      const std::uint64_t drawn = environment.random() % (kBlock - 1);
      const bool has_zero = static_cast<std::uint32_t>(after) == 0;
      skip_in(after) = static_cast<std::uint8_t>(has_zero ? 0 : drawn);
    }
    return static_cast<std::uint32_t>(last_);
  }

  // What a received header says about messages of this side.
  enum class Claim : std::uint8_t {
    nothing,  // no acknowledgement, or only of messages too old to be remembered
    sound,
    unsent,  // acknowledges a sequence that no message had
  };
  // Judges the acknowledgements in a received header.
  Claim judge(const PayloadHeader& header) const {
    if (header.ack == 0) return Claim::nothing;
    const std::uint32_t back = static_cast<std::uint32_t>(last_) - header.ack;
    if (back >= last_ || back >= 1u << 31) return Claim::unsent;
    if (back >= (kBlocks - 2) * kBlock) return Claim::nothing;
    const std::uint64_t ack = last_ - back;
    const std::uint64_t claimed = 1 | std::uint64_t{header.ack_bits} << 1;
    if (ack <= 32 && claimed >> ack != 0) return Claim::unsent;
    return (claimed & skipped(header.ack)) == 0 ? Claim::sound : Claim::unsent;
  }

  // Returns the skipped sequences among `ack` and the 32 before it: bit i is set for ack - i.
  // REQUIRES: judge() returned sound for a header with this ack.
  std::uint64_t skipped(std::uint32_t ack) const {
    ORRERY_ASSERT(ack != 0 && static_cast<std::uint32_t>(last_) - ack < (kBlocks - 2) * kBlock);
    std::uint64_t bits = 0;
    for (const std::uint32_t in : {ack, ack - kBlock}) {
      const std::uint32_t age = ack - (in / kBlock * kBlock + skip_in(in));
      if (age <= 32) bits |= std::uint64_t{1} << age;
    }
    return bits;
  }

 private:
  std::uint64_t following() const {
    const std::uint64_t after = last_ + 1;
    return after % kBlock == skip_in(after) ? after + 1 : after;
  }
  // Returns the place of the skipped sequence in the block of a sequence.
  std::uint8_t& skip_in(std::uint64_t sequence) { return skips_[sequence / kBlock % kBlocks]; }
  std::uint8_t skip_in(std::uint64_t sequence) const { return skips_[sequence / kBlock % kBlocks]; }

  static_assert((std::uint64_t{1} << 32) % (kBlock * kBlocks) == 0);  // so that a wrap fits

  std::array<std::uint8_t, kBlocks> skips_{};
  std::uint64_t last_;  // sequence of the newest message, not wrapped
};

}  // namespace orrery::net
