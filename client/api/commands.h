// Converts commands between the struct of the header and the world's own type.
#pragma once

#include <cstdint>

#include "client/api/world_handle.h"
#include "common/world/command.h"

namespace orrery::api {

// Replaces `out` by the commands of the caller, converted from the space of the handle. Fails in
// the same cases as a decoder: a command is invalid, or the commands are not in order.
std::int32_t read_commands(Handle& handle, const orrery_command* commands, std::uint32_t count,
                           std::vector<Command>& out);

// Returns a command in the space of a caller. Its size is not set.
orrery_command command_out(const Space& space, const Command& command);

}  // namespace orrery::api
