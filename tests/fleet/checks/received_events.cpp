// Records the events of the server's worlds, to check the events that clients receive.
#include "tests/fleet/checks/received_events.h"

#include <algorithm>
#include <bit>

#include "common/core/hash.h"

namespace orrery::fleet {
namespace {

// Hashes the fields that are sent without rounding.
std::uint64_t hash_of(Tick tick, const WorldEvent& event) {
  std::uint64_t hash = mix64(tick.value);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(event.kind), std::uint64_t{event.a.value},
        std::uint64_t{event.b.value}, std::uint64_t{event.part_a}, std::uint64_t{event.part_b},
        std::bit_cast<std::uint64_t>(event.at.x), std::bit_cast<std::uint64_t>(event.at.y),
        std::bit_cast<std::uint64_t>(event.at.z)}) {
    hash = mix64(hash + part);
  }
  return hash;
}

}  // namespace

void ReceivedEvents::remember(const World& world) {
  Process& now = processes_.back();
  for (const WorldEvent& event : world.events().list) {
    now.events.push_back(hash_of(world.tick(), event));
  }
  now.events.resize(now.events.size() + world.events().left_out);
  now.counts.push_back(now.events.size());
}

bool ReceivedEvents::had(const codec::message::Events& events) const {
  return std::any_of(processes_.begin(), processes_.end(), [&events](const Process& process) {
    const std::size_t size = process.events.size();
    if (events.first > size || events.events.size() > size - events.first) return false;
    return std::equal(events.events.begin(), events.events.end(),
                      process.events.begin() + static_cast<std::ptrdiff_t>(events.first),
                      [&events](const WorldEvent& event, std::uint64_t hash) {
                        return hash_of(events.tick, event) == hash;
                      });
  });
}

std::uint64_t ReceivedEvents::count(std::uint64_t ticks_ago) const {
  const std::vector<std::uint64_t>& counts = processes_.back().counts;
  return ticks_ago < counts.size() ? counts[counts.size() - 1 - ticks_ago] : 0;
}

}  // namespace orrery::fleet
