// Owns what a bad network does to datagrams: seeded loss, delay, copies, reordering and damage.
//
// Time is passed in, so the same model is between sockets (`orrery netsim`) and between the servers
// and clients of a simulation (tests/fleet).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/rng.h"
#include "common/net/address.h"
#include "common/net/environment.h"

namespace orrery {

struct Datagram {
  Address from;
  Address to;
  bool damaged = false;
  std::vector<std::uint8_t> bytes;
};

// Datagrams on their way: out in the order in which they are due, and of those that are due at one
// time, in the order in which they came.
class DatagramQueue {
 public:
  explicit DatagramQueue(std::size_t capacity) : capacity_(capacity) {}

  // The datagram as it will come out, until the next call; nullptr if there is no room.
  Datagram* put(Nanoseconds due, const Address& from, const Address& to, Bytes bytes);

  // The first datagram that is due, until the next call; nullptr if none is.
  const Datagram* take(Nanoseconds now);

  std::optional<Nanoseconds> next_due() const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Nanoseconds due = 0;
    std::uint64_t order = 0;
    std::uint32_t cell = 0;
  };
  static bool comes_after(const Entry& a, const Entry& b) {
    return a.due != b.due ? a.due > b.due : a.order > b.order;
  }

  const std::size_t capacity_;
  std::uint64_t order_ = 0;
  std::vector<Entry> entries_;  // a heap, the first that is due on top
  std::vector<Datagram> cells_;
  std::vector<std::uint32_t> free_;  // cells; they keep their memory
};

// What a path does in one direction. Shares are of all datagrams, from 0 to 1.
struct PathFaults {
  double loss = 0;
  double duplicate = 0;
  double reorder = 0;                  // go at once, before those that are delayed
  double corrupt = 0;                  // bits flipped, or the end cut off
  Nanoseconds delay = 0;               // of all
  Nanoseconds jitter = 0;              // at most; drawn for each copy, so that they overtake
  std::uint64_t bytes_per_second = 0;  // headers of UDP and IPv4 included; 0: no limit
};

struct PathCounters {
  std::uint64_t sent = 0;  // into the path
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t no_room = 0;  // lost for the limit on bytes, or as too many were on their way
};

// One direction of a path. The same seed, datagrams and times give the same fate.
class FaultyPath {
 public:
  FaultyPath(std::uint64_t seed, const PathFaults& faults) : random_(seed), faults_(faults) {}

  // From here on.
  void set_faults(const PathFaults& faults) { faults_ = faults; }
  // Nothing arrives before `until`: then all that waited comes at once.
  void clog(Nanoseconds until) { clogged_until_ = until; }

  // Puts what becomes of the datagram into the queue: nothing, it, or two of it.
  void send(const Address& from, const Address& to, Bytes datagram, Nanoseconds now,
            DatagramQueue& queue);

  const PathCounters& counters() const { return counters_; }

 private:
  bool happens(double share) { return share > 0 && (random_.symmetric() + 1) / 2 < share; }
  std::optional<Nanoseconds> arrival(std::size_t size, Nanoseconds now);
  void carry(const Address& from, const Address& to, Bytes datagram, Nanoseconds now,
             DatagramQueue& queue);
  void damage(Datagram& datagram);

  SplitMix64 random_;
  PathFaults faults_;
  Nanoseconds clogged_until_ = 0;
  Nanoseconds busy_until_ = 0;  // with what was sent before
  PathCounters counters_;
};

}  // namespace orrery
