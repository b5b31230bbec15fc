// Owns what the records of a session log hold, but for the header (codec/log_codec.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/session/log_format.h"
#include "common/world/command.h"

namespace orrery {

struct TickRecord {
  Tick tick;
  std::uint64_t hash = 0;
  std::vector<Command> commands;  // as applied
};

// The whole state after a tick.
struct Checkpoint {
  Tick tick;
  std::uint64_t hash = 0;
  Bytes image;  // save_image(); of whoever made the checkpoint
  // What is read before it does not lead to it, as ticks are lost or were passed over: replay goes
  // on from the image.
  bool after_gap = false;
};

// What only who has the key can make of all records before (host/log_seal.h).
using LogSeal = std::array<std::uint8_t, 32>;

// Where a segment has a checkpoint.
struct CheckpointPlace {
  Tick tick;
  std::uint64_t offset = 0;  // of the record, in the bytes of its segment
};

// Checkpoints that an index names at most: a thousand and more hours of them.
inline constexpr std::size_t kIndexedMax = (limits::kLogRecordBytesMax - 8) / 16;

// The records behind an index, so that it is found from the end of a file.
inline constexpr std::size_t kEndPayloadBytes = 8;
inline constexpr std::size_t kEndRecordBytes = 2 + kEndPayloadBytes + kChecksumBytes;
inline constexpr std::size_t kSealRecordBytes = 2 + std::tuple_size_v<LogSeal> + kChecksumBytes;

// --- the payload of each record; reading gives nothing of what means nothing ---

// Reads into `record` all but its tick, which follows from its place. `type`, one that is_tick(),
// is that of the record: it says how the commands are packed. `examined`, if asked for, is how many
// bytes that took.
bool decode_tick(Bytes payload, TickRecord& record, RecordType type,
                 std::size_t* examined = nullptr);

// Appends the payload of a tick record, of commands as applied.
void encode_tick(std::uint64_t hash, std::span<const Command> commands, ByteWriter& out);

// All but the image.
void encode_checkpoint(Tick tick, std::uint64_t hash, std::vector<std::uint8_t>& out);
// The image is a part of the payload, and only known to begin as one.
std::optional<Checkpoint> decode_checkpoint(Bytes payload);

// Adds a checkpoint to those that an index names: of several of a tick the first, and kIndexedMax.
void add_to_index(std::vector<CheckpointPlace>& places, const CheckpointPlace& place);
// `offset` is that of the index record itself.
void encode_index(std::span<const CheckpointPlace> places, std::uint64_t offset,
                  std::vector<std::uint8_t>& out);
// Into `places`, whose ticks and offsets ascend.
bool decode_index(Bytes payload, std::vector<CheckpointPlace>& places);

// The last tick of the session.
void encode_end(Tick last, std::vector<std::uint8_t>& out);
std::optional<Tick> decode_end(Bytes payload);

std::optional<LogSeal> decode_seal(Bytes payload);

}  // namespace orrery
