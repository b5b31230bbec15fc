// Holds the commands of the tick that is due, and applies the changes and decisions of rules.
#include "server/run/tick_commands.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "common/codec/command_codec.h"
#include "common/core/assert.h"

namespace orrery::server {
namespace {

// Commands that only the server itself gives: they follow its connections.
template <class Payload>
constexpr bool kOfConnections =
    std::is_same_v<Payload, command::Join> || std::is_same_v<Payload, command::Leave> ||
    std::is_same_v<Payload, command::Disown>;

}  // namespace

void TickCommands::begin(std::span<const Command> closed) {
  closed_ = closed;
  const auto is_clients = [](const Command& c) { return c.client != kServer; };
  own_ = static_cast<std::size_t>(std::find_if(closed.begin(), closed.end(), is_clients) -
                                  closed.begin());
  changed_ = false;
  decisions_.clear();
}

Verdict TickCommands::check(ClientId client, const CommandPayload& payload) const {
  return std::visit(
      [&](const auto& c) {
        using Payload = std::decay_t<decltype(c)>;
        if (kOfConnections<Payload>) return Verdict::role;
        if (!codec::is_in_range(Command{client, Sequence{1}, payload})) return Verdict::malformed;
        if constexpr (requires { c.body; }) {
          if (client == kServer && !contains(world_, c.body)) return Verdict::no_body;
        }
        if constexpr (requires { c.joint; }) {
          if (c.joint >= world_.scene().joints.size()) return Verdict::no_joint;
        }
        return Verdict::applied;
      },
      payload);
}

void TickCommands::change() {
  if (changed_) return;
  changed_ = true;
  given_.assign(closed_.begin(), closed_.end());
  dropped_.assign(closed_.size(), 0);
}

Verdict TickCommands::drop(std::size_t index) {
  if (index >= closed_.size()) return Verdict::no_body;
  if (index < own_) return Verdict::role;
  change();
  dropped_[index] = 1;
  return Verdict::applied;
}

Verdict TickCommands::replace(std::size_t index, const CommandPayload& payload) {
  if (index >= closed_.size()) return Verdict::no_body;
  if (index < own_) return Verdict::role;
  const Verdict sound = check(closed_[index].client, payload);
  if (sound != Verdict::applied) return sound;
  change();
  dropped_[index] = 0;
  given_[index].payload = payload;
  return Verdict::applied;
}

Verdict TickCommands::decide(const CommandPayload& payload) {
  if (decisions_.size() == decisions_max_) return Verdict::full;
  const Verdict sound = check(kServer, payload);
  if (sound != Verdict::applied) return sound;
  const std::size_t before = own_ + decisions_.size();
  decisions_.push_back({kServer, Sequence{static_cast<std::uint32_t>(before + 1)}, payload});
  return Verdict::applied;
}

std::span<const Command> TickCommands::merged() {
  if (!changed_ && decisions_.empty()) return closed_;
  const std::span<const Command> all = list();
  merged_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(own_));
  merged_.insert(merged_.end(), decisions_.begin(), decisions_.end());
  for (std::size_t i = own_; i < all.size(); ++i) {
    if (!changed_ || dropped_[i] == 0) merged_.push_back(all[i]);
  }
  return merged_;
}

std::optional<std::uint64_t> TickCommands::decision(Sequence sequence) const {
  ORRERY_ASSERT(sequence.value > 0);
  const std::uint64_t place = sequence.value - 1;
  if (place < own_) return std::nullopt;
  return place - own_;
}

}  // namespace orrery::server
