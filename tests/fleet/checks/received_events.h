// Records the events of the server's worlds, to check the events that clients receive.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/event_codec.h"
#include "common/world/world.h"

namespace orrery::fleet {

// The events of all server processes. Each process numbers its events from 0. After a crash the
// same ticks may have other events. Clients may have received either, and both are correct.
class ReceivedEvents {
 public:
  // Starts the record of a new server process.
  void begin() { processes_.emplace_back(); }
  // Records the events of a tick. Call it after each tick.
  void remember(const World& world);

  // Returns true if a process had these events with these numbers in that tick.
  bool had(const codec::message::Events& events) const;
  // Returns how many events the current process had by the end of the tick `ticks_ago` ticks ago.
  std::uint64_t count(std::uint64_t ticks_ago) const;

 private:
  struct Process {
    std::vector<std::uint64_t> events;  // hash of each event; 0 for an event that was left out
    std::vector<std::uint64_t> counts;  // number of events up to the end of each tick
  };

  std::vector<Process> processes_;
};

}  // namespace orrery::fleet
