// Compares the commands of a tick in two sessions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "common/core/ids.h"
#include "common/world/command.h"
#include "common/world/world.h"

namespace orrery::session {

// A command that only one of the sessions a and b has, or that they have with different contents.
struct CommandDifference {
  Command command;
  bool in_a = false;  // true: the command as in a; false: as in b
};

// Returns the commands that differ, in the order of comes_before(). If both sides have a command
// with the same client and sequence but different contents, both commands are listed. REQUIRES:
// both lists are sorted by comes_before().
std::vector<CommandDifference> command_differences(std::span<const Command> a,
                                                   std::span<const Command> b);

// Returns `commands` without those in `others`: each command of `others` removes one command with
// its client and sequence. REQUIRES: both lists are sorted by comes_before().
std::vector<Command> commands_not_among(std::span<const Command> commands,
                                        std::span<const Command> others);

// Returns the body that a command acts on, if any: the body that it names, or for a move or release
// the body that its client had grabbed in `before`. `before` is the state before the command's
// tick.
std::optional<BodyId> target_of(const World& before, const Command& command);

}  // namespace orrery::session
