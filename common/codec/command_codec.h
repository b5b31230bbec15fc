// Packs and unpacks commands, in the form that the session log and the wire share
// (schema/wire.md 7.1).
#pragma once

#include <cstddef>
#include <optional>

#include "common/core/bytes.h"
#include "common/world/command.h"

namespace orrery::codec {

// Maximum size of a packed command in bytes. A new value has this size: two bytes for the kind, two
// varints of 5 bytes (client, sequence), and a key and a value with their sizes.
inline constexpr std::size_t kCommandBytesMax =
    2 + 2 * 5 + 1 + limits::kKeyBytesMax + 2 + limits::kValueBytesMax;

// Returns true if every number of the command is finite and within its limit of core/limits.h, and
// its role or parameter exists. Does not check the command against the world: step() decides
// whether the body exists and the client may command it.
bool is_in_range(const Command& command);

// The source of a command: its client and sequence number. The bytes of a command leave out its
// source if client and sequence continue the previous packed command: the same client, and the next
// sequence number. Before the first command, the previous source is a default CommandSource.
struct CommandSource {
  ClientId client;
  Sequence sequence;

  friend bool operator==(const CommandSource&, const CommandSource&) = default;
};

// Appends the packed command. `before` is the source of the previous packed command, and is set to
// the source of this one. REQUIRES: is_in_range(command).
void encode_command(const Command& command, CommandSource& before, ByteWriter& out);

// Returns true if both commands give the same bytes when each is packed first, with no command
// before it.
// REQUIRES: both are in range.
bool encodes_equally(const Command& a, const Command& b);

// Reads a packed command. `before` is the source of the previous packed command, and is set to the
// source of this one. Returns nothing if the bytes are cut off, of an unknown kind, out of range,
// or not exactly the bytes that encode_command() would write.
std::optional<Command> decode_command(ByteReader& in, CommandSource& before);

// Reads a packed command as decode_command() does, but without a check of its numbers: the command
// may be out of range.
std::optional<Command> decode_unchecked_command(ByteReader& in, CommandSource& before);

// Reads a command in the form of logs before format 4, which no build writes any more. Returns
// nothing if the bytes are cut off, of an unknown kind or out of range.
std::optional<Command> decode_old_command(ByteReader& in);

}  // namespace orrery::codec
