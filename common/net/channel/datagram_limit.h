// Finds out whether a path drops large datagrams without a word, by the acknowledgements.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"
#include "common/net/environment.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

// The largest datagram that one side may send. It falls from the configured size to
// kDatagramBytesMin once small packets arrive and large ones do not (RFC 8899, black hole
// detection). It never rises again: only a path that changes gets a new limit.
//
// A trial begins with a large packet, and ends when one of the largest packets of the trial
// arrives. If it does not end, the packets count that are larger than all that arrived.
class DatagramLimit {
 public:
  // Large packets that were lost, and the least time for them, after which the limit falls.
  static constexpr std::uint32_t kLostMax = 16;
  static constexpr Nanoseconds kLostFor = kSecond;
  // Small packets that must have arrived meanwhile. They must be more than the lost ones.
  static constexpr std::uint32_t kArrivedMin = 4;
  // Least time between small packets while large ones are not acknowledged.
  static constexpr Nanoseconds kProbeInterval = kSecond / 4;

  // REQUIRES: kDatagramBytesMin <= bytes_max <= kPacketBytesMax.
  explicit DatagramLimit(std::size_t bytes_max = kPacketBytesMax)
      : bytes_given_(bytes_max), bytes_max_(bytes_max) {
    ORRERY_ASSERT(kDatagramBytesMin <= bytes_max && bytes_max <= kPacketBytesMax);
  }

  // Starts again with the configured size: the path has changed.
  void restart() {
    const std::uint32_t last = last_;
    *this = DatagramLimit(bytes_given_);
    last_ = last;
  }
  // Records that a message left in a packet of this size. REQUIRES: sequences ascend.
  void sent(std::uint32_t sequence, std::size_t packet_bytes, Nanoseconds now);
  // Records the acknowledgements in a received header (payload.h).
  void acknowledged(std::uint32_t ack, std::uint32_t ack_bits, Nanoseconds now);

  // Returns true if a small message should be sent now. Without one, a path that drops large
  // packets looks like one that drops all.
  bool wants_small(Nanoseconds now) const {
    return trial_.runs && now - std::max(trial_.since, small_at_) >= kProbeInterval;
  }
  // Returns the largest datagram that may be sent.
  std::size_t bytes_max() const { return bytes_max_; }
  // Returns true if the limit fell, because the path drops larger datagrams.
  bool drops_larger() const { return drops_larger_; }

 private:
  // Sizes are counted in classes: 0 for small packets, then one for each kClassBytes. A class is
  // narrow, so that a packet which the path drops is rarely in one class with one that arrives.
  static constexpr std::size_t kClassBytes = 8;
  static constexpr std::size_t kClasses =
      1 + (kPacketBytesMax - kDatagramBytesMin + kClassBytes - 1) / kClassBytes;
  // The class of a sequence that was skipped.
  static constexpr std::uint8_t kSkipped = 255;
  static_assert(kClasses <= kSkipped);
  // Sequences of which the size is known.
  static constexpr std::size_t kKnown = 2048;

  struct Trial {
    bool runs = false;
    std::uint32_t first = 0;    // its first packet
    std::uint32_t settled = 0;  // no packet up to this one is counted again
    Nanoseconds since = 0;
    std::size_t largest_sent = 0;     // class
    std::size_t largest_arrived = 0;  // class
    std::uint32_t small_arrived = 0;
    std::array<std::uint32_t, kClasses> lost{};  // indexed by class
  };

  static std::size_t class_of(std::size_t packet_bytes) {
    return packet_bytes <= kDatagramBytesMin
               ? 0
               : (packet_bytes - kDatagramBytesMin + kClassBytes - 1) / kClassBytes;
  }
  bool shows_drops(Nanoseconds now) const;

  std::size_t bytes_given_;
  std::size_t bytes_max_;
  bool drops_larger_ = false;
  std::uint32_t last_ = 0;                      // the last sequence that was sent
  std::array<std::uint8_t, kKnown> classes_{};  // indexed by sequence
  Nanoseconds small_at_ = 0;                    // when the last small packet left
  Trial trial_;
};

}  // namespace orrery::net
