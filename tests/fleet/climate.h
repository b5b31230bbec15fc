// Draws the kinds and rates of faults in a run from its seed.
#pragma once

#include <cstdint>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/net/faulty_path.h"

namespace orrery::fleet {

// Returns the seed of an independent random stream. Each purpose has its own stream, so an extra
// random number for one purpose does not change the others.
inline std::uint64_t stream(std::uint64_t seed, std::uint64_t purpose) {
  return mix64(mix64(seed) + purpose);
}

// Limits of a clock jump, in seconds. After a small jump tokens can still be valid. The large one
// is ten years.
inline constexpr std::int64_t kClockNearSeconds = 10;
inline constexpr std::int64_t kClockFarSeconds = 315'360'000;

// The faults of a run. Each kind is absent in half of all runs: otherwise one kind could always
// hide the bugs that another shows. With `all`, every kind is present, and at least half as
// frequent as it can be. Rates are per second, for each client, unless the comment names the
// server.
struct Climate {
  Climate(std::uint64_t seed, bool all) : random_(seed), all_(all) {
    path.loss = any(0.3);
    path.duplicate = any(0.2);
    path.reorder = any(0.2);
    path.corrupt = any(0.05);
    path.delay = static_cast<net::Nanoseconds>(any(30) * net::kMillisecond);
    path.jitter = static_cast<net::Nanoseconds>(any(100) * net::kMillisecond);
    if (any(1) > 0) path.bytes_per_second = 30'000 + random_.below(200'000);
    clogs = any(0.1);
    partitions = any(0.05);
    moves = any(0.02);
    leaves = any(0.05);
    pauses = any(0.05);
    stalls = any(0.1);
    crashes = any(0.05);
    strangers = any(1) > 0;
    hostile = any(1) > 0;
    lulls = any(0.2);
    clock_jumps = any(0.1);
    overloads = any(0.2);
    roams = any(0.1);
    outages = any(0.1);
    narrow = any(1) > 0;
    rushes = any(0.1);
  }

  net::PathFaults path;
  double clogs = 0;       // nothing arrives for a while, then everything at once
  double partitions = 0;  // all datagrams are lost, in one direction or both
  double moves = 0;       // the router gives the client another address
  double leaves = 0;
  double pauses = 0;       // the client program stops for a while
  double stalls = 0;       // the server stops for a while
  double overloads = 0;    // the server gets slower, down to a fifth of its tick rate
  double crashes = 0;      // the server crashes and resumes from its log
  double roams = 0;        // a client's machine moves to another network
  double outages = 0;      // a client's path and its back end fail for a while
  double rushes = 0;       // a client gives as many commands as it can for a while
  double lulls = 0;        // all clients together stop playing for a while
  double clock_jumps = 0;  // the server's wall clock is wrong for a while
  bool narrow = false;     // a client's path drops large datagrams
  bool strangers = false;
  bool hostile = false;

 private:
  double any(double most) {
    const bool away = random_.below(2) == 0;
    const double share = (random_.symmetric() + 1) / 2;
    if (all_) return (1 + share) / 2 * most;
    return away ? 0 : share * most;
  }

  SplitMix64 random_;
  const bool all_;
};

}  // namespace orrery::fleet
