// Simulates a bad network: seeded loss, delay, duplication, reordering and damage.
//
// Callers pass the time in. One model thus serves real sockets (`orrery netsim`) and simulations
// (tests/fleet).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/rng.h"
#include "common/net/environment.h"
#include "common/net/packet/address.h"

namespace orrery::net {

// A datagram in the simulated network.
struct Datagram {
  Address from;
  Address to;
  bool damaged = false;
  std::vector<std::uint8_t> bytes;
};

// A queue of datagrams in flight, ordered by arrival time. Ties keep the order of put().
class DatagramQueue {
 public:
  explicit DatagramQueue(std::size_t capacity) : capacity_(capacity) {}

  // Adds a datagram that arrives at `due`. Returns the copy in the queue, valid until the next
  // call, or nullptr if the queue is full.
  Datagram* put(Nanoseconds due, const Address& from, const Address& to, Bytes bytes);

  // Removes the first datagram that is due at `now`. Returns it, valid until the next call, or
  // nullptr.
  const Datagram* take(Nanoseconds now);

  // Return the arrival time of the first datagram, if any, and the number of datagrams in flight.
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
  std::vector<Entry> entries_;  // heap; the first due is on top
  std::vector<Datagram> cells_;
  std::vector<std::uint32_t> free_;  // indices of unused cells, which keep their memory
};

// The faults of a path in one direction. Each share is a probability, from 0 to 1.
struct PathFaults {
  double loss = 0;
  double duplicate = 0;
  double reorder = 0;                  // share sent without delay, which overtakes others
  double corrupt = 0;                  // share with flipped bits or a missing end
  Nanoseconds delay = 0;               // delay of the datagrams that are not reordered
  Nanoseconds jitter = 0;              // maximum of the added delay, random for each copy
  std::uint64_t bytes_per_second = 0;  // rate limit, counts headers of UDP and IPv4; 0: no limit
  std::size_t bytes_max = 0;           // larger datagrams are dropped; 0: none are
};

// Counts of the datagrams of a path.
struct PathCounters {
  std::uint64_t sent = 0;  // datagrams that entered the path
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t no_room = 0;  // lost because of the rate limit, or of a full queue
  std::uint64_t too_large = 0;
};

// One direction of a path. The result depends only on the seed, the arguments and the order of
// calls.
class FaultyPath {
 public:
  FaultyPath(std::uint64_t seed, const PathFaults& faults) : random_(seed), faults_(faults) {}

  // Changes the faults of datagrams sent from now on.
  void set_faults(const PathFaults& faults) { faults_ = faults; }
  // Delays datagrams sent from now on that would arrive before `until`. They all arrive at `until`.
  void clog(Nanoseconds until) { clogged_until_ = until; }

  // Decides what happens to a datagram: adds zero, one or two copies of it to the queue.
  void send(const Address& from, const Address& to, Bytes datagram, Nanoseconds now,
            DatagramQueue& queue);

  // Returns the counts so far.
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
  Nanoseconds busy_until_ = 0;  // time at which the transmission of earlier datagrams ends
  PathCounters counters_;
};

}  // namespace orrery::net
