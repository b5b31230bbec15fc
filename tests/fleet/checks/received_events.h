// Owns the events that the server's worlds had: what clients are told of is some of them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/event_codec.h"
#include "common/world/world.h"

namespace orrery::fleet {

// Numbers start again with each process of the server, and events of its ticks may be others than
// those of the same ticks before a crash. Whoever heard of those had heard the truth.
class ReceivedEvents {
 public:
  // A server starts; and each tick that it makes.
  void begin() { processes_.emplace_back(); }
  void remember(const World& world);

  // Whether a process had these events, under these numbers, in that tick.
  bool had(const codec::message::Events& events) const;
  // How many events this process has had by the end of the tick that was so many ticks ago.
  std::uint64_t count(std::uint64_t ticks_ago) const;

 private:
  struct Process {
    std::vector<std::uint64_t> events;  // a hash each; 0 of one that was not even reported
    std::vector<std::uint64_t> counts;  // by the end of each of its ticks
  };

  std::vector<Process> processes_;
};

}  // namespace orrery::fleet
