// Owns how much a side may send over its path: a rate that follows loss and growing delay.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/net/environment.h"
#include "common/net/packet.h"
#include "common/net/path.h"

namespace orrery {

// Of one side of one connection. More than 10 % of the messages lost lower the rate, less than 2 %
// let it grow (Google Congestion Control, draft-ietf-rmcat-gcc-02, section 6). Delay that has grown
// by 60 ms lowers it too, unless it shrinks (RFC 6817 allows 100), and so does silence. It grows
// only while it is used up: fast until it was lowered for the first time, and after a silence up to
// where it was. A side that has acknowledged nothing yet is sent kUnheardBytes at the first rate,
// and then the least rate until it acknowledges: a thousand silent clients must not cost a gigabyte
// a second. A round trip of several seconds delays the first rate and does not lower it.
class Budget {
 public:
  // Bytes per second. The least is a full datagram in every third tick at 60 a second.
  static constexpr double kRateMin = 32e3;
  static constexpr double kRateFirst = 1e6;
  static constexpr double kRateMax = 125e6;

  // Bytes at the first rate before anything is acknowledged: a round trip of 0.3 s at the full
  // rate, or of 3 s at 100 kB/s.
  static constexpr double kUnheardBytes = 300e3;

  // A datagram at its largest, with headers of UDP and IPv6.
  static constexpr double kDatagramBytes = kPacketBytesMax + 8 + 40;

  Budget() = default;
  // Keeps the rate within `rate_max`, which is from kRateMin to kRateMax.
  explicit Budget(double rate_max);

  // Takes what the other side has said of the path since the last call, and gives what may leave
  // until the next one, `interval` later. What was left is lost, but for a datagram's worth.
  void refill(const PathAccount& account, Nanoseconds interval, Nanoseconds now);

  // Full datagrams that may leave.
  std::size_t room() const {
    return room_ > 0 ? static_cast<std::size_t>(room_ / kDatagramBytes) : 0;
  }
  // The same of what else there is to say: it has half.
  std::size_t room_aside() const {
    return aside_ > 0 ? static_cast<std::size_t>(aside_ / kDatagramBytes) : 0;
  }

  // A datagram has left; and so many of those that have, of so many bytes together, were aside.
  void spend(std::size_t bytes);
  void spend_aside(std::size_t datagrams, std::size_t bytes) {
    aside_ -= static_cast<double>(datagrams) * (kDatagramBytes - kPacketBytesMax);
    aside_ -= static_cast<double>(bytes);
  }

  double rate() const { return is_unheard() ? kRateMin : rate_; }
  // True if nothing may leave beyond the rate: an operator has set a limit.
  bool is_limited() const { return rate_max_ < kRateMax; }

 private:
  bool is_unheard() const { return !tells_ && unheard_ >= kUnheardBytes; }
  void adapt(Nanoseconds elapsed, Nanoseconds now);
  void shrink(double loss, Nanoseconds grown, Nanoseconds elapsed);
  Nanoseconds grown_delay(Nanoseconds now);

  // Those that every refill needs come first: a server has a thousand of these.
  double rate_ = kRateFirst;
  double allowance_ = 0;  // that the last refill gave
  // Bytes, headers of UDP and IP included. Below 0: more has left than should have.
  double room_ = 0;
  double aside_ = 0;
  // Since the rate was judged last, at `judged_`.
  Nanoseconds judged_ = 0;
  double spent_ = 0;
  PathAccount account_;
  bool used_up_ = false;

  double rate_max_ = kRateMax;
  double unheard_ = 0;          // bytes that left before the other side gave an account
  bool tells_ = false;          // the other side has given an account
  std::uint32_t forgives_ = 0;  // so many judgements leave the rate as it is
  std::uint32_t unmoved_ = 0;   // times in a row that the delay was high and did not shrink
  double ceiling_ = kRateMax;   // up to which it grows fast: where it was lowered
  Nanoseconds delayed_ = 0;     // by how much the delay had grown
  // The least round trips of this period and of the one before.
  Nanoseconds period_began_ = 0;
  Nanoseconds least_ = 0;
  Nanoseconds least_before_ = 0;
};

}  // namespace orrery
