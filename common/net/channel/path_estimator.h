// Estimates round-trip time, jitter, loss and the largest datagram of a path from acknowledgements.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/net/channel/datagram_limit.h"
#include "common/net/environment.h"

namespace orrery::net {

// The acknowledgements of a period: counts of settled messages, and the least round trip. A message
// is settled once it is known whether it arrived.
struct AckSummary {
  std::uint32_t settled = 0;         // settled messages
  std::uint32_t lost = 0;            // lost messages, see PathEstimator::loss()
  Nanoseconds least_round_trip = 0;  // 0: not measured

  // Adds the counts of a later period. Keeps the smaller of the measured round trips.
  void add(const AckSummary& later) {
    settled += later.settled;
    lost += later.lost;
    const bool first = least_round_trip == 0 || later.least_round_trip == 0;
    least_round_trip = first ? std::max(least_round_trip, later.least_round_trip)
                             : std::min(least_round_trip, later.least_round_trip);
  }
};

// The estimates of one side of one connection, in fixed memory. It believes what it is told: Link
// ends a connection whose acknowledgements are false.
class PathEstimator {
 public:
  // Records that a message left. REQUIRES: the sequence is later than that in the previous call.
  void sent(std::uint32_t sequence, Nanoseconds now);

  // Records the acknowledgements in a received header (payload.h). Ignores repeated and older ones.
  // Bit i of `skipped` is set if no message had the sequence ack - i: such a sequence is not lost.
  void acknowledged(std::uint32_t ack, std::uint32_t ack_bits, std::uint64_t skipped,
                    Nanoseconds now);

  // Forgets round trips and the limit of datagrams, because the path has changed. Never counts the
  // messages up to `last` as lost. REQUIRES: `last` is the sequence before the next message.
  void change(std::uint32_t last);

  // Returns the smoothed time from sending a message to its acknowledgement, or 0 if not measured
  // yet. It includes the time that the other side waits before it acknowledges. A client waits for
  // at most kAckInterval. A time of more than a second can be longer than measured, because
  // departures are remembered for a second only.
  Nanoseconds round_trip() const { return round_trip_; }
  // Returns the mean deviation of the round trip.
  Nanoseconds jitter() const { return jitter_; }
  // Returns the departure time of the newest acknowledged message, or 0 if not known yet. The
  // result can be up to 1/64 s too early, because messages within 1/64 s share one recorded time.
  Nanoseconds newest_departure() const { return newest_departure_; }
  // Returns the share of lost messages, from 0 to 1: a moving average in which the newest settled
  // message has the weight 1/64. A message is lost if it has not arrived when the acknowledged
  // sequence is eight or more higher than its own.
  double loss() const { return loss_; }

  // Returns the largest datagram that the path carries, as far as this is known.
  const DatagramLimit& datagrams() const { return datagrams_; }
  DatagramLimit& datagrams() { return datagrams_; }

  // Returns the acknowledgements since the last call, for CongestionControl::refill().
  AckSummary take_ack_summary() { return std::exchange(account_, {}); }

  // Returns the time after which an unacknowledged message is sent again (RFC 6298).
  Nanoseconds resend_after() const;

 private:
  // The messages from `first` up to the next entry were sent at the time `at`, or less than
  // kSpacing after it.
  struct SendTime {
    std::uint32_t first = 0;
    Nanoseconds at = 0;
  };

  void measure(std::uint32_t ack, Nanoseconds now);
  void count_losses(std::uint32_t ack, std::uint32_t ack_bits, std::uint64_t skipped);

  static constexpr std::size_t kDepartures = 64;
  static constexpr Nanoseconds kSpacing = kSecond / kDepartures;  // departures_ covers 1 s or more

  std::array<SendTime, kDepartures> departures_{};
  std::size_t departed_ = 0;  // number of entries written to departures_ so far
  std::uint32_t newest_ = 0;  // newest sequence acknowledged; 0: none
  Nanoseconds newest_departure_ = 0;
  std::uint32_t settled_ = 0;  // newest settled sequence; no message up to it is counted again
  Nanoseconds round_trip_ = 0;
  Nanoseconds jitter_ = 0;
  double loss_ = 0;
  AckSummary account_;
  DatagramLimit datagrams_;
};

}  // namespace orrery::net
