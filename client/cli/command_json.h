// Converts commands to and from JSON objects, with the names of schema/log.md 7.2.
#pragma once

#include <span>
#include <string>

#include "common/core/result.h"
#include "common/host/text/json.h"
#include "common/host/text/json_reader.h"
#include "common/world/command.h"

namespace orrery::json {

Text of(const Command& command);
Text of(std::span<const Command> commands);

// Reads a command from a JSON object like the one that of() returns. A command without a sequence
// number gets `sequence`. The place of an Error has the line and column in
// the text.
Result<Command> command_of(const Value& object, Sequence sequence);

}  // namespace orrery::json
