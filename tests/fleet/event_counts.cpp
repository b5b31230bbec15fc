// Counts the events of a run.
#include "tests/fleet/event_counts.h"

namespace orrery::fleet {

void count_datagrams(EventCounts& counts, const net::PathCounters& path) {
  count(counts, Event::datagram, path.sent);
  count(counts, Event::loss, path.lost);
  count(counts, Event::duplicate, path.duplicated);
  count(counts, Event::reorder, path.reordered);
  count(counts, Event::corruption, path.corrupted);
  count(counts, Event::no_room, path.no_room);
}

void count_tick(EventCounts& counts, const World& world) {
  count(counts, Event::tick);
  for (const Command& command : world.applied()) {
    if (command.client != kServer) count(counts, Event::command);
    if (std::holds_alternative<command::Join>(command.payload)) count(counts, Event::join);
    if (std::holds_alternative<command::Disown>(command.payload)) count(counts, Event::disown);
  }
  const bool can_sleep = world.collision() && world.collision()->sleeping;
  if (can_sleep) count(counts, Event::body_asleep, world.collision()->sleeping->count());
}

}  // namespace orrery::fleet
