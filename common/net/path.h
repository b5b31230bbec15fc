// Owns what a side knows of its path: round-trip time, jitter and loss, from what the other side
// says has come.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/net/environment.h"

namespace orrery {

// What the other side has said of our messages since it was last asked.
struct PathAccount {
  std::uint32_t told = 0;            // messages of which it is known whether they came
  std::uint32_t lost = 0;            // of those: had not come when eight later ones had
  Nanoseconds least_round_trip = 0;  // 0: none was measured

  void add(const PathAccount& later) {
    told += later.told;
    lost += later.lost;
    const bool first = least_round_trip == 0 || later.least_round_trip == 0;
    least_round_trip = first ? std::max(least_round_trip, later.least_round_trip)
                             : std::min(least_round_trip, later.least_round_trip);
  }
};

// One side of one connection, in fixed memory. Acks that were never due distort only what is known
// of the path of who sent them.
class Path {
 public:
  // A message of ours leaves. Sequences ascend by one.
  void sent(std::uint32_t sequence, Nanoseconds now);

  // The header of a message of theirs: ack and ack bits (payload.h).
  void acknowledged(std::uint32_t ack, std::uint32_t ack_bits, Nanoseconds now);

  // From when a message leaves to when we hear that it came, smoothed; 0: not known yet. The other
  // side may take kAckInterval to say it.
  Nanoseconds round_trip() const { return round_trip_; }
  // The mean deviation from that.
  Nanoseconds jitter() const { return jitter_; }
  // When the newest message left of those that the other side has; 0: not known yet.
  Nanoseconds newest_departure() const { return newest_departure_; }
  // Of the last hundred messages or so of which the other side gave an account: how many, of 1, had
  // not come when eight later ones had.
  double loss() const { return loss_; }

  PathAccount take_account() { return std::exchange(account_, {}); }

  // What is not acknowledged by then is sent again (RFC 6298).
  Nanoseconds resend_after() const;

 private:
  // Messages from `first` on left at `at`, or within kSpacing of it.
  struct Departure {
    std::uint32_t first = 0;
    Nanoseconds at = 0;
  };

  void measure(std::uint32_t ack, Nanoseconds now);
  void count_losses(std::uint32_t ack, std::uint32_t ack_bits);

  static constexpr std::size_t kDepartures = 64;
  static constexpr Nanoseconds kSpacing = kSecond / kDepartures;  // so that they are a second

  std::array<Departure, kDepartures> departures_{};
  std::size_t departed_ = 0;  // so many entries were made
  std::uint32_t newest_ = 0;  // the newest ack; 0: none
  Nanoseconds newest_departure_ = 0;
  std::uint32_t settled_ = 0;  // it is known of messages up to here whether they came
  Nanoseconds round_trip_ = 0;
  Nanoseconds jitter_ = 0;
  double loss_ = 0;
  PathAccount account_;
};

}  // namespace orrery
