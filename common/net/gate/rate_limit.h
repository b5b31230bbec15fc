// Limits the packets that a client or stranger may send.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/net/environment.h"
#include "common/net/timing.h"

namespace orrery::net {

// A token bucket: allows `rate` packets per second, and `burst` at once.
class TokenBucket {
 public:
  TokenBucket(std::uint32_t rate, std::uint32_t burst, Nanoseconds now)
      : interval_(kSecond / rate), room_(interval_ * burst), full_at_(now) {
    ORRERY_ASSERT(rate >= 1 && rate <= kSecond && burst >= 1);
  }

  // Takes a token. Returns false if the bucket is empty.
  bool take(Nanoseconds now) {
    const Nanoseconds full_at = std::max(full_at_, now) + interval_;
    if (full_at > now + room_) return false;
    full_at_ = full_at;
    return true;
  }

 private:
  Nanoseconds interval_;  // time between two tokens
  Nanoseconds room_;      // time to fill an empty bucket
  Nanoseconds full_at_;   // when the bucket is full again
};

// Token buckets in fixed memory, one for each network. A network is an IPv4 address, or an IPv6
// network of 64 bits. Networks with equal hashes share a bucket. The hash function is keyed with a
// secret, so attackers cannot choose a network to share with.
class ConnectionLimit {
 public:
  // REQUIRES: the environment outlives it.
  ConnectionLimit(const NetEnvironment& environment, Nanoseconds now)
      : environment_(environment),
        buckets_(kBuckets, TokenBucket(kConnectionsPerSecond, kConnectionsAtOnce, now)) {}

  // Takes a token from the bucket of the sender's network. Returns false if the bucket is empty.
  // Loopback has no limit.
  bool take(const Address& from, Nanoseconds now) {
    if (is_loopback(from)) return true;
    const Bytes network = is_ipv4(from) ? Bytes(from.ip) : Bytes(from.ip).first(8);
    return buckets_[environment_.keyed_hash(network) % kBuckets].take(now);
  }

 private:
  static constexpr std::size_t kBuckets = 4096;
  static_assert((kBuckets & (kBuckets - 1)) == 0);  // every bucket is equally likely

  const NetEnvironment& environment_;
  std::vector<TokenBucket> buckets_;
};

// A counter of packets over windows of kFloodWindow, which detects floods.
class FloodMeter {
 public:
  FloodMeter(std::uint32_t rate, Nanoseconds now)
      : most_(rate * (kFloodWindow / kSecond)), window_started_(now) {
    ORRERY_ASSERT(rate >= 1);
  }

  // Counts a packet. Returns false if the window has more than `rate` packets per second on
  // average.
  bool count(Nanoseconds now) {
    ORRERY_ASSERT(now >= window_started_);
    if (now - window_started_ >= kFloodWindow) {
      window_started_ = now;
      counted_ = 0;
    }
    return ++counted_ <= most_;
  }

 private:
  std::uint64_t most_;
  std::uint64_t counted_ = 0;
  Nanoseconds window_started_;
};

}  // namespace orrery::net
