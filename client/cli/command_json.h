// Converts commands to and from JSON objects, with the names of schema/log.md 7.2.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/core/result.h"
#include "common/world/command.h"

namespace orrery::json {

std::string of(const Command& command);
std::string of(std::span<const Command> commands);

// Reads a command from a JSON object like the one that of() returns. A command without a sequence
// number gets `sequence`. An Error is one line that says what is wrong.
Result<Command> command_of(std::string_view object, Sequence sequence);

}  // namespace orrery::json
