// Makes the faults of a run happen to clients, their paths and the server's clock.
#include "tests/fleet/trouble.h"

#include <algorithm>

namespace orrery::fleet {
namespace {

constexpr double kSlowest = 0.2;  // least share of its tick rate that an overloaded server reaches

}  // namespace

void Trouble::disturb(Player& player) {
  disturb_paths(player.machine());
  if (happens(climate_.moves)) {
    count(counts_, Event::move);
    player.change_address();
  }
  const bool changes_its_mind = climate_.leaves > 0 && player.greets() && player.is_fickle();
  if (changes_its_mind || happens(climate_.leaves)) {
    count(counts_, Event::leave);
    player.leave();
  }
  if (happens(climate_.pauses)) {
    count(counts_, Event::pause);
    player.pause_until(network_.now + up_to(3));
  }
  if (happens(climate_.rushes)) {
    count(counts_, Event::rush);
    player.rush_until(network_.now + up_to(2));
  }
}

void Trouble::disturb(Regular& regular, net::Nanoseconds end) {
  const bool roams = regular.habit() == Habit::roams && happens(climate_.roams);
  const bool travels = regular.habit() == Habit::travels && happens(climate_.outages);
  if (!roams && !travels) return;
  const bool disturbed = regular.disturb(std::min(end, network_.now + up_to(20)));
  if (disturbed) count(counts_, roams ? Event::roam : Event::outage);
}

void Trouble::disturb_paths(ClientMachine& machine) {
  if (happens(climate_.clogs)) {
    count(counts_, Event::clog);
    (random_.below(2) == 0 ? machine.up() : machine.down()).clog(network_.now + up_to(5));
  }
  if (happens(climate_.partitions)) {
    count(counts_, Event::partition);
    const net::PathFaults cut{.loss = 1};
    const std::uint32_t which = random_.below(3);
    if (which != 0) machine.up().set_faults(cut);
    if (which != 1) machine.down().set_faults(cut);
  } else if (happens(0.2)) {  // ends a partition
    machine.set_faults(climate_.path);
  }
}

void Trouble::disturb_pace() {
  if (happens(climate_.stalls)) {
    count(counts_, Event::stall);
    pace_.stall(network_.now + up_to(random_.below(4) == 0 ? 10 : 3));
  }
  if (happens(climate_.overloads)) {
    count(counts_, Event::overload);
    pace_.set_speed(1 - (1 - kSlowest) * (random_.symmetric() + 1) / 2, network_.now);
  } else if (happens(0.1)) {
    pace_.set_speed(1, network_.now);
  }
}

void Trouble::disturb_clock(ServerMachine& machine, bool server_is_up) {
  if (server_is_up && happens(climate_.clock_jumps)) {
    count(counts_, Event::clock_jump);
    const std::int64_t most = random_.below(2) == 0 ? kClockNearSeconds : kClockFarSeconds;
    const auto drawn =
        static_cast<std::int64_t>(random_.below(static_cast<std::uint32_t>(2 * most)));
    machine.set_clock(drawn - most);
  } else if (happens(0.2)) {
    machine.set_clock(0);
  }
}

void Trouble::disturb_start(ServerMachine& machine) {
  machine.set_clock(0);
  if (climate_.clock_jumps == 0) return;
  count(counts_, Event::late_start);
  machine.set_clock(-static_cast<std::int64_t>(1 + random_.below(kClockNearSeconds)));
}

}  // namespace orrery::fleet
