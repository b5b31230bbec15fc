// Owns what may go wrong in a run, and how often.
#pragma once

#include <cstdint>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/net/faulty_path.h"

namespace orrery::fleet {

// A stream of random numbers for each purpose, so that one more draw in one moves no other.
inline std::uint64_t stream(std::uint64_t seed, std::uint64_t purpose) {
  return mix64(mix64(seed) + purpose);
}

// A clock that jumps is off by years, or by so many seconds at most: then tokens may be good yet.
inline constexpr std::int64_t kClockNearSeconds = 10;
inline constexpr std::int64_t kClockFarSeconds = 315'360'000;

// Each kind of trouble is away in half of all runs, so that none hides behind another; or none is.
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
  }

  net::PathFaults path;
  double clogs = 0;       // for each client and second; nothing comes through, and then all at once
  double partitions = 0;  // one way or both
  double moves = 0;       // to another address
  double leaves = 0;
  double pauses = 0;       // of the program of a client
  double stalls = 0;       // of the server, for each second
  double crashes = 0;      // of the server, which goes on from its log
  double lulls = 0;        // in which nobody plays, for each second
  double clock_jumps = 0;  // of the server's clock of the wall, which is right again after a while
  bool strangers = false;
  bool hostile = false;

 private:
  double any(double most) {
    const bool away = random_.below(2) == 0;
    const double drawn = (random_.symmetric() + 1) / 2 * most;
    return away && !all_ ? 0 : drawn;
  }

  SplitMix64 random_;
  const bool all_;
};

}  // namespace orrery::fleet
