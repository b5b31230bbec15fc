// Checks how long commands of a client wait at the server for the ticks that they name.
#include "tests/fleet/checks/command_waits.h"

#include <algorithm>
#include <string>

namespace orrery::fleet {
namespace {

std::string text_of(Sequence sequence, ClientId client) {
  return "command " + std::to_string(sequence.value) + " of client " + std::to_string(client.value);
}

}  // namespace

std::optional<Violation> CommandWaits::check(const server::Server& server, const Session& session,
                                             Tick next, net::Nanoseconds settled,
                                             net::Nanoseconds changed) {
  reachable_.resize(
      std::max<std::size_t>(reachable_.size(), server.inbox().received(session.client).value),
      next);
  const World& world = server.world();
  if (world.tick() != next) return std::nullopt;
  for (const Command& command : world.applied()) {
    const std::size_t index = command.sequence.value - 1;
    if (command.client != session.client || index >= session.given.size()) continue;
    const net::Nanoseconds at = session.given[index].at;
    const net::Nanoseconds begun = std::max(settled, session.given.front().at);
    if (at < begun + kSettle) continue;
    const std::uint64_t waited = next.value - reachable_[index].value;
    const bool is_steady = at >= changed + kSettle;
    if (is_steady) long_waits_ = waited > kWaitMax ? long_waits_ + 1 : 0;
    if (waited <= kWaitInPauseMax && long_waits_ < kLongWaits) continue;
    return Violation{"commands do not wait", text_of(command.sequence, command.client) +
                                                 " waited for " + std::to_string(waited) +
                                                 " ticks"};
  }
  return std::nullopt;
}

}  // namespace orrery::fleet
