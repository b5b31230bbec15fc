// Compares the commands of a tick in two sessions.
#include "common/session/explain/command_difference.h"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <variant>

#include "common/codec/command_codec.h"

namespace orrery::session {
namespace {

bool are_sorted(std::span<const Command> commands) {
  return std::is_sorted(commands.begin(), commands.end(), comes_before);
}

std::optional<BodyId> grabbed_body(const World& world, ClientId id) {
  for (const Client& client : world.controls().clients) {
    if (client.id == id && client.grabbing) return client.grabbed;
  }
  return {};
}

}  // namespace

std::vector<CommandDifference> command_differences(std::span<const Command> a,
                                                   std::span<const Command> b) {
  ORRERY_ASSERT(are_sorted(a) && are_sorted(b));
  std::vector<CommandDifference> found;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < a.size() || k < b.size()) {
    const bool takes_a = k == b.size() || (i < a.size() && !comes_before(b[k], a[i]));
    const bool takes_b = i == a.size() || (k < b.size() && !comes_before(a[i], b[k]));
    if (!takes_a || !takes_b || !codec::encodes_equally(a[i], b[k])) {
      if (takes_a) found.push_back({a[i], true});
      if (takes_b) found.push_back({b[k], false});
    }
    i += takes_a ? 1 : 0;
    k += takes_b ? 1 : 0;
  }
  return found;
}

std::vector<Command> commands_not_among(std::span<const Command> commands,
                                        std::span<const Command> others) {
  ORRERY_ASSERT(are_sorted(commands) && are_sorted(others));
  std::vector<Command> rest;
  std::set_difference(commands.begin(), commands.end(), others.begin(), others.end(),
                      std::back_inserter(rest), comes_before);
  return rest;
}

std::optional<BodyId> target_of(const World& before, const Command& command) {
  return std::visit(
      [&](const auto& payload) -> std::optional<BodyId> {
        if constexpr (requires { payload.body; }) return payload.body;
        using Payload = std::decay_t<decltype(payload)>;
        constexpr bool holds =
            std::is_same_v<Payload, command::Move> || std::is_same_v<Payload, command::Release>;
        if constexpr (holds) return grabbed_body(before, command.client);
        return {};
      },
      command.payload);
}

}  // namespace orrery::session
