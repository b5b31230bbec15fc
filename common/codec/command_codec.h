// Owns the packed form of commands, which the session log and the wire share (schema/README.md).
#pragma once

#include <cstddef>
#include <optional>

#include "common/core/bytes.h"
#include "common/world/command.h"

namespace orrery {

// The longest packed command: kind and client, three varints of 32 bits and two vectors.
inline constexpr std::size_t kCommandBytesMax = 1 + 3 * 5 + 2 * 12;

// True if every number of the command is finite and within limits.h. What is asked of the world (is
// the body there, may the client command it) is step()'s to answer.
bool is_in_range(const Command& command);

// Who gave a command, and as which of theirs. In a row of packed commands one that is the next of
// who gave the one before it says neither; the one before the first is this.
struct Giver {
  ClientId client;
  Sequence sequence;

  friend bool operator==(const Giver&, const Giver&) = default;
};

// Appends the command, which is in range, to the row, and makes `before` its giver.
void encode_command(const Command& command, Giver& before, ByteWriter& out);

// True if the packed forms of the two, which are in range, are the same bytes in the same place.
bool packs_alike(const Command& a, const Command& b);

// Reads one foreign command of the row, and makes `before` its giver; nothing if it is cut,
// unknown, out of range, or not in the bytes that encode_command() gives.
std::optional<Command> decode_command(ByteReader& in, Giver& before);

// The same of one in the form of logs before format 4, which nothing writes any more.
std::optional<Command> decode_old_command(ByteReader& in);

}  // namespace orrery
