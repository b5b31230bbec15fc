// Compares the events that clients receive with the events of the server's worlds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/event_codec.h"
#include "server/server.h"
#include "tests/fleet/checks/session.h"
#include "tests/fleet/checks/violation.h"

namespace orrery::fleet {

// The events of all server processes. Each process numbers its events from 0. After a crash the
// same ticks may have other events. Clients may have received either, and both are correct.
class ReceivedEvents {
 public:
  // Starts to watch a new server. REQUIRES: the server exists in all later calls of remember() and
  // check_all_arrived(), until the next call of watch().
  void watch(const server::Server& server);
  // Records the events of a tick. Call it after each tick.
  void remember(const World& world);

  // Checks the events that a client received with one datagram.
  std::optional<Violation> check(Session& session,
                                 const std::vector<codec::message::Events>& received,
                                 net::Nanoseconds now);
  // Checks, after a time without faults, that a client has received all events up to `ticks_ago`
  // ticks ago, except those that the server left out. If the server still has events that wait for
  // room in the client's budget, it is enough that older ones keep arriving.
  std::optional<Violation> check_all_arrived(const Session& session, std::uint64_t ticks_ago,
                                             net::Nanoseconds now) const;

 private:
  struct Process {
    std::vector<std::uint64_t> events;  // hash of each event; 0 for an event that was left out
    std::vector<std::uint64_t> counts;  // number of events up to the end of each tick
  };

  // Returns true if a process had these events with these numbers in that tick.
  bool had(const codec::message::Events& events) const;
  // Returns how many events the current process had by the end of the tick `ticks_ago` ticks ago.
  std::uint64_t count(std::uint64_t ticks_ago) const;

  const server::Server* server_ = nullptr;
  std::vector<Process> processes_;
  std::uint64_t missed_ = 0;           // events that clients missed: gaps in their numbers
  std::uint64_t left_out_ = 0;         // events that servers left out, by their counters
  std::uint64_t left_out_before_ = 0;  // the same, by servers that crashed
};

}  // namespace orrery::fleet
