// Limits how fast a server sends to a client: congestion control by loss, delay and silence.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"
#include "common/net/channel/path_estimator.h"
#include "common/net/environment.h"
#include "common/net/packet/packet.h"

namespace orrery::net {

// The congestion control of one connection, in bytes per second. Every packet counts with the
// headers of UDP and IPv6. The rate starts at kRateFirst and is judged one to five times per second
// (see refill()). Each judgement applies the first rule that matches:
//
//   condition                                       change of the rate
//   ----------------------------------------------  ----------------------------------------------
//   no acknowledgement yet                          none
//   no acknowledgement for a second (silence)       x 0.5
//   one of the two judgements after a silence       none
//   delay high for more than 3 judgements in a row  none: the higher round trip is the new base
//   loss > 10 %, or delay high                      0.85 x the rate at which data arrived
//   rate used up, loss <= 2 %, delay < 30 ms        x 1.5 below the ceiling, x 1.05 at or above it
//   otherwise                                       none
//
// - Delay: the least round trip since the last judgement, less the least of the last 10 to 20 s.
//   The difference is time in a queue. It is high above 60 ms, unless it shrank by a tenth since
//   the last judgement. RFC 6817 allows 100 ms.
// - Loss: the limits are those of Google Congestion Control (draft-ietf-rmcat-gcc-02, section 6).
//   With few messages, one or two losses are chance, so the code allows that many more.
// - Ceiling: the rate after the last cut for loss or delay; kRateMax before the first. After a
//   silence the rate thus returns quickly to its former value.
//
// Before the first acknowledgement a client gets kUnheardBytes at the first rate, and then only
// kRateMin. Otherwise a thousand silent clients would cost a gigabyte per second. A round trip of
// several seconds delays the first rate but does not lower it.
//
// The thresholds and factors of the table are constants in congestion_control.cpp.
class CongestionControl {
 public:
  // Bytes per second. kRateMin is one full datagram in every third tick at 60 ticks per second.
  static constexpr double kRateMin = 32e3;
  static constexpr double kRateFirst = 1e6;
  static constexpr double kRateMax = 125e6;

  // Bytes sent at the first rate before the first acknowledgement: a round trip of 0.3 s at 1 MB/s,
  // or of 3 s at 100 kB/s.
  static constexpr double kUnheardBytes = 300e3;

  // Size of the largest datagram, with headers of UDP and IPv6.
  static constexpr double kDatagramBytes = kPacketBytesMax + 8 + 40;

  // Starts at kRateFirst with no limit but kRateMax.
  CongestionControl() = default;
  // Keeps the rate at or below `rate_max`. REQUIRES: kRateMin <= rate_max <= kRateMax.
  explicit CongestionControl(double rate_max);

  // Adds the acknowledgements received since the last call, and grants the bytes for the next
  // `interval`. Unused bytes expire, except for one datagram.
  //
  // Changes the rate by the table above, at most every 0.2 s plus a round trip. A judgement also
  // needs 16 settled messages since the last one (AckSummary). After a second it happens without
  // them.
  //
  // REQUIRES: interval >= 1, and `now` does not decrease.
  void refill(const AckSummary& account, Nanoseconds interval, Nanoseconds now);

  // Returns the number of full datagrams that may be sent now.
  std::size_t room() const {
    return room_ > 0 ? static_cast<std::size_t>(room_ / kDatagramBytes) : 0;
  }
  // Returns the same for reliable messages, which may use half of the rate. Snapshots may use all
  // of it.
  std::size_t reliable_room() const {
    return reliable_ > 0 ? static_cast<std::size_t>(reliable_ / kDatagramBytes) : 0;
  }

  // Charges one packet of `bytes` bytes, without headers of UDP and IP.
  void spend(std::size_t bytes);
  // Charges reliable messages to their half. REQUIRES: spend() was called for each of them too.
  void spend_reliable(std::size_t datagrams, std::size_t bytes) {
    ORRERY_ASSERT(bytes <= datagrams * kPacketBytesMax);
    reliable_ -= static_cast<double>(datagrams) * (kDatagramBytes - kPacketBytesMax);
    reliable_ -= static_cast<double>(bytes);
  }

  // Returns the current rate in bytes per second.
  double rate() const { return is_unheard() ? kRateMin : rate_; }
  // Returns true if an operator has set a limit. Then nothing may exceed the rate.
  bool is_limited() const { return rate_max_ < kRateMax; }

 private:
  bool is_unheard() const { return !has_acknowledged_ && sent_before_ack_ >= kUnheardBytes; }
  void adapt(Nanoseconds elapsed, Nanoseconds now);
  void shrink(double loss, Nanoseconds grown, Nanoseconds elapsed);
  Nanoseconds grown_delay(Nanoseconds now);

  // Fields that every refill() uses are first, to share cache lines: a server has a thousand
  // budgets.
  double rate_ = kRateFirst;
  double allowance_ = 0;  // bytes granted by the last refill
  // Bytes left of the grant, for all packets and for reliable messages. Negative: a debt.
  double room_ = 0;
  double reliable_ = 0;
  // Sums since the last judgement, which was at `judged_`.
  Nanoseconds judged_ = 0;
  double spent_ = 0;
  AckSummary account_;
  bool used_up_ = false;

  double rate_max_ = kRateMax;
  double sent_before_ack_ = 0;            // bytes sent before the first acknowledgement
  bool has_acknowledged_ = false;         // an acknowledgement has arrived
  std::uint32_t ignored_judgements_ = 0;  // coming judgements that leave the rate unchanged
  std::uint32_t high_delay_count_ = 0;    // consecutive judgements with a high delay
  double ceiling_ = kRateMax;             // rate below which growth is fast
  Nanoseconds delayed_ = 0;               // delay at the last judgement
  // Least round trips of the current period of kPeriod, and of the one before. 0: none measured.
  Nanoseconds period_began_ = 0;
  Nanoseconds least_ = 0;
  Nanoseconds least_before_ = 0;
};

}  // namespace orrery::net
