// Limits how fast a server sends to a client: congestion control by loss, delay and silence.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"
#include "common/net/channel/path_estimator.h"
#include "common/net/environment.h"
#include "common/net/packet/packet.h"
#include "common/net/packet/pieces.h"

namespace orrery::net {

// The congestion control of one connection, in bytes per second. Every packet counts with the
// headers of UDP and IPv6. The rate starts at kRateFirst. refill() judges it at most five times per
// second. Each judgement applies the first rule that matches:
//
//   condition                                       change of the rate
//   ----------------------------------------------  ----------------------------------------------
//   no message was settled yet (AckSummary)         none
//   none settled since last judgement (silence)     x 0.5
//   first or second judgement after a silence       none
//   delay high for more than 3 judgements in a row  none: the higher round trip is the new base
//   loss > 10 %, or delay high                      0.85 x the rate at which data arrived
//   less than half of the messages settled          none
//   rate used up, loss <= 2 %, delay < 30 ms        x 1.5 below the ceiling, x 1.05 at or above it
//   otherwise                                       none
//
// - A message is settled once it is known to have arrived or to be lost. A client that acknowledges
//   few of its messages, such as those that it guesses, does not make the rate grow. Half is
//   enough, because the messages settled now were sent at the rate before the last growth.
// - Delay: the smallest round trip since the last judgement, minus the smallest of the last 10 to
//   20 s. The difference is time in a queue. The delay is high if it is above 60 ms, unless it
//   shrank by a tenth or more since the last judgement. RFC 6817 allows 100 ms.
// - Loss: the limits are from Google Congestion Control (draft-ietf-rmcat-gcc-02, section 6).
//   With few messages, one or two losses are chance. The 10 % limit therefore allows two more lost
//   messages, and the 2 % limit one more.
// - Ceiling: the rate after the last cut for loss or delay; kRateMax before the first. A silence
//   does not lower the ceiling, so the rate returns to it quickly.
//
// Before the first settled message, a client gets kUnheardBytes at the first rate, and then only
// kRateMin. Otherwise a thousand silent clients would cost a gigabyte per second. After the first
// settled message, the first rate applies again. A long round trip thus does not lower it.
//
// The thresholds and factors of the table are constants in congestion_control.cpp.
class CongestionControl {
 public:
  // Bytes per second. kRateMin is 25 full datagrams per second.
  static constexpr double kRateMin = 32e3;
  static constexpr double kRateFirst = 1e6;
  static constexpr double kRateMax = 125e6;

  // Bytes sent at the first rate before the first settled message. They are enough for a round trip
  // of 0.3 s at 1 MB/s, or of 3 s at 100 kB/s.
  static constexpr double kUnheardBytes = 300e3;

  // Size of the largest datagram, with headers of UDP and IPv6.
  static constexpr double kDatagramBytes = kPacketBytesMax + kUdpIpBytes;

  // Starts at kRateFirst with no limit but kRateMax.
  CongestionControl() = default;
  // Keeps the rate at or below `rate_max`. REQUIRES: kRateMin <= rate_max <= kRateMax.
  explicit CongestionControl(double rate_max);

  // Adds the acknowledgements received since the last call, and grants the bytes for the next
  // `interval`. Unused bytes expire, except for one datagram. Bytes sent beyond the last grant are
  // a debt, which the new grant pays first. A debt above the size of the new grant is forgiven, but
  // not a debt of reliable messages (spend_reliable).
  //
  // Judges the rate by the table above when both conditions hold:
  // - 0.2 s plus a round trip have passed since the last judgement;
  // - 16 messages were settled since then (AckSummary), or a second has passed.
  //
  // REQUIRES: interval >= 1, and `now` does not decrease.
  void refill(const AckSummary& account, Nanoseconds interval, Nanoseconds now);

  // Returns the number of full datagrams that may be sent now.
  std::size_t room() const {
    return room_ > 0 ? static_cast<std::size_t>(room_ / kDatagramBytes) : 0;
  }
  // Returns the number of full datagrams of reliable messages that may be sent now. These messages
  // may use half of the rate. Snapshots may use all of it.
  std::size_t reliable_room() const {
    return reliable_ > 0 ? static_cast<std::size_t>(reliable_ / kDatagramBytes) : 0;
  }

  // Charges one packet of `bytes` bytes, and one header of UDP and IP. Pieces of a packet add their
  // other headers to `bytes`.
  void spend(std::size_t bytes);
  // Charges packets of reliable messages to the half of the rate that they may use. `bytes` is the
  // size of all of them, with their pieces, without headers of UDP and IP. REQUIRES: spend() was
  // called for each packet too.
  void spend_reliable(std::size_t datagrams, std::size_t bytes) {
    ORRERY_ASSERT(bytes <= datagrams * (kPacketBytesMax + kPiecesAdd));
    reliable_ -= static_cast<double>(datagrams) * (kDatagramBytes - kPacketBytesMax);
    reliable_ -= static_cast<double>(bytes);
  }

  // Returns the current rate in bytes per second.
  double rate() const { return is_unheard() ? kRateMin : rate_; }
  // Returns true if the limit pays for so many full datagrams per second. A caller that sends no
  // more than these may ignore room().
  bool always_pays(std::uint32_t datagrams_per_second) const {
    return datagrams_per_second * kDatagramBytes <= rate_max_;
  }

 private:
  // What happened since the last judgement.
  struct SinceJudged {
    double spent = 0;  // bytes sent
    std::uint32_t packets = 0;
    AckSummary account;
    bool used_up = false;  // a grant was used up
  };

  bool is_unheard() const { return !has_acknowledged_ && sent_before_ack_ >= kUnheardBytes; }
  void adapt(Nanoseconds elapsed, Nanoseconds now);
  void shrink(double loss, Nanoseconds grown, Nanoseconds elapsed);
  Nanoseconds grown_delay(Nanoseconds now);

  // Most of the fields that every refill() uses are first, to share cache lines: a server refills
  // up to a thousand of these objects in a tick.
  double rate_ = kRateFirst;
  double allowance_ = 0;  // bytes granted by the last refill
  // Bytes left of the grant, for all packets and for reliable messages. Negative: a debt.
  double room_ = 0;
  double reliable_ = 0;
  Nanoseconds judged_ = 0;  // time of the last judgement
  SinceJudged since_;

  double rate_max_ = kRateMax;
  double sent_before_ack_ = 0;            // bytes sent before the first settled message
  bool has_acknowledged_ = false;         // a message was settled
  std::uint32_t ignored_judgements_ = 0;  // number of coming judgements to ignore, after a silence
  std::uint32_t high_delay_count_ = 0;    // consecutive judgements with a high delay
  double ceiling_ = kRateMax;             // rate below which growth is fast
  Nanoseconds delayed_ = 0;               // delay at the last judgement
  // Start of the current period of 10 s, and the least round trips in it and in the period before
  // it. 0: none measured.
  Nanoseconds period_began_ = 0;
  Nanoseconds least_ = 0;
  Nanoseconds least_before_ = 0;
};

}  // namespace orrery::net
