// Remembers which packets of a connection arrived, to reject replays.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/core/assert.h"
#include "common/net/channel/packet_sequences.h"

namespace orrery::net {

// A bit for each of the newest kPackets sequences, set if its packet has arrived. The bits are in a
// ring of words (RFC 6479). Check a sequence before decryption and mark it afterwards. Packets
// without a valid seal thus cannot move the window.
class ReplayWindow {
 public:
  static constexpr std::uint64_t kPackets = 1024;

  // Returns true if a packet with this sequence may be accepted. Returns false for:
  // - a marked sequence;
  // - a sequence older than the newest kPackets;
  // - a sequence from PacketSequences::kEnd on, which no packet of a connection has.
  bool is_new(std::uint64_t sequence) const {
    if (sequence >= PacketSequences::kEnd) return false;
    if (sequence >= next_) return true;
    return next_ - sequence <= kPackets && (word(sequence) & bit(sequence)) == 0;
  }

  // Marks a sequence as received. REQUIRES: is_new(sequence).
  void mark(std::uint64_t sequence) {
    ORRERY_ASSERT(is_new(sequence));
    if (sequence >= next_) {
      const std::uint64_t newest = next_ == 0 ? 0 : (next_ - 1) / kBits;
      const std::uint64_t passed = std::min(sequence / kBits - newest, kWords);
      for (std::uint64_t i = 1; i <= passed; ++i) words_[(newest + i) % kWords] = 0;
      next_ = sequence + 1;
    }
    words_[sequence / kBits % kWords] |= bit(sequence);
  }

 private:
  static constexpr std::uint64_t kBits = 64;
  // one word more than kPackets bits need, because the newest word may be only partly used
  static constexpr std::uint64_t kWords = kPackets / kBits + 1;

  static std::uint64_t bit(std::uint64_t sequence) { return std::uint64_t{1} << sequence % kBits; }
  std::uint64_t word(std::uint64_t sequence) const { return words_[sequence / kBits % kWords]; }

  std::array<std::uint64_t, kWords> words_{};
  std::uint64_t next_ = 0;  // newest marked sequence + 1; 0: none is marked
};

}  // namespace orrery::net
