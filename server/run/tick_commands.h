// Holds the commands of the tick that is due, and applies the changes and decisions of rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/ids.h"
#include "common/world/command.h"
#include "common/world/verdict.h"
#include "common/world/world.h"

namespace orrery::server {

// The commands of one tick. Rules may drop or replace the commands of clients, and decide commands
// of their own. A decision is a command of client 0: it follows the joins and leaves of the server
// and precedes the commands of all clients. Without changes, the commands are not copied.
class TickCommands {
 public:
  // `decisions_max`: most decisions in a tick. REQUIRES: `world` outlives this object.
  TickCommands(const World& world, std::size_t decisions_max)
      : world_(world), decisions_max_(decisions_max) {}

  // Returns the most decisions in a tick. The inbox leaves room for them (Server::close()).
  std::size_t decisions_max() const { return decisions_max_; }

  // Begins the next tick. REQUIRES: `closed` stays valid until the next call.
  void begin(std::span<const Command> closed);

  // Returns the closed commands, replaced ones in their new form. Dropped ones keep their place.
  std::span<const Command> list() const { return changed_ ? given_ : closed_; }

  // Drop a command of a client, or replace its payload. Return the reason if this is refused:
  // `no_body` if there is no such command, `role` for a command of the server, or a fault of
  // `payload`.
  Verdict drop(std::size_t index);
  Verdict replace(std::size_t index, const CommandPayload& payload);

  // Adds a decision. Returns `applied` if it goes into the tick, or the reason why it is refused at
  // once. The step can still refuse it.
  Verdict decide(const CommandPayload& payload);

  // Returns all commands of the tick in total order. They are valid until the next call.
  std::span<const Command> merged();

  // Returns the index of the decision of this tick with this sequence number of the server, or
  // nothing for a join, leave or disown.
  std::optional<std::uint64_t> decision(Sequence sequence) const;
  // Returns the number of decisions in this tick.
  std::size_t decisions() const { return decisions_.size(); }

 private:
  Verdict check(ClientId client, const CommandPayload& payload) const;
  void change();

  const World& world_;
  const std::size_t decisions_max_;
  std::span<const Command> closed_;
  std::size_t own_ = 0;  // commands of the server at the start of closed_
  bool changed_ = false;
  std::vector<Command> given_;         // closed_, if changed
  std::vector<std::uint8_t> dropped_;  // for each command of given_: 1 if it was dropped
  std::vector<Command> decisions_;
  std::vector<Command> merged_;
};

}  // namespace orrery::server
