// Owns the packed form of commands, which the session log and the wire share (schema/README.md).
#pragma once

#include <cstddef>
#include <optional>

#include "common/core/bytes.h"
#include "common/world/command.h"

namespace orrery {

// The longest packed command: a kind, three varints of 32 bits and two vectors.
inline constexpr std::size_t kCommandBytesMax = 1 + 3 * 5 + 2 * 12;

// True if every number of the command is finite and within limits.h. What is asked of the world (is
// the body there, may the client command it) is step()'s to answer.
bool is_in_range(const Command& command);

// Appends the command, which is in range.
void encode_command(const Command& command, ByteWriter& out);

// True if the packed forms of the two, which are in range, are the same bytes.
bool packs_alike(const Command& a, const Command& b);

// Reads one foreign command; nothing if it is cut, unknown or out of range.
std::optional<Command> decode_command(ByteReader& in);

}  // namespace orrery
