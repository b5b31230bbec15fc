// Owns the declaration of how the tool shows commands: JSON objects, named as in schema/README.md.
#pragma once

#include <span>
#include <string>

#include "common/world/command.h"

namespace orrery::json {

std::string of(const Command& command);
std::string of(std::span<const Command> commands);

}  // namespace orrery::json
