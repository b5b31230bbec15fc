// Owns the declaration of how the tool shows and reads commands: JSON objects, named as in
// schema/log.md 7.2.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/core/result.h"
#include "common/world/command.h"

namespace orrery::json {

std::string of(const Command& command);
std::string of(std::span<const Command> commands);

// Reads what of() writes. `sequence` is that of a command that has none. An Error says which key is
// wrong and what would be right.
Result<Command> command_of(std::string_view object, Sequence sequence);

}  // namespace orrery::json
