// Encodes and decodes the payloads of log records, except the header (codec/log_codec.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/session/log_format.h"
#include "common/world/command.h"

namespace orrery::session {

// A decoded tick record.
struct TickRecord {
  Tick tick;
  std::uint64_t hash = 0;
  std::vector<Command> commands;  // in the order of application
};

// A decoded checkpoint: the whole state after a tick.
struct Checkpoint {
  Tick tick;
  std::uint64_t hash = 0;
  Bytes image;  // from save_image(); only its magic number was checked
  // True if the records read before it do not lead to this state: ticks are lost or were skipped.
  // Replay must restore the image.
  bool after_gap = false;
};

// A seal in a log: a hash over the session's records so far, made with a secret key
// (host/disk/log_seal.h). Section 4.1 of schema/log.md lists the records.
using LogSeal = std::array<std::uint8_t, 32>;

// The position of a checkpoint in its segment.
struct CheckpointEntry {
  Tick tick;
  std::uint64_t offset = 0;  // bytes from the start of the segment to the record
};

// Maximum number of checkpoints in an index. It is enough for 182 hours with one checkpoint every
// 10 s.
inline constexpr std::size_t kIndexedMax = 65'535;

// Sizes in bytes of the payloads of an end and of a removal, and of the two records that may follow
// an index: end and seal. Readers need them to find the index from the end of a file.
inline constexpr std::size_t kEndPayloadBytes = 8;
inline constexpr std::size_t kRemovedPayloadBytes = 16;
inline constexpr std::size_t kEndRecordBytes = 2 + kEndPayloadBytes + kChecksumBytes;
inline constexpr std::size_t kSealRecordBytes = 2 + std::tuple_size_v<LogSeal> + kChecksumBytes;

// --- Payloads of records ---
// For an invalid payload, a decoder returns false or an empty optional.

// Decodes all of `record` but its tick, which follows from the position of the record in the log.
// The record type decides the encoding of the commands. Stores the number of bytes decoded in
// `examined`, if given, also if the payload is invalid.
// REQUIRES: is_tick(type).
bool decode_tick(Bytes payload, TickRecord& record, RecordType type,
                 std::size_t* examined = nullptr);

// Appends the payload of a tick record. REQUIRES: the commands are in the order of application, and
// at most limits::kCommandsPerTickMax.
void encode_tick(std::uint64_t hash, std::span<const Command> commands, ByteWriter& out);

// Replaces `out` with the start of a checkpoint's payload: its tick and hash. The image follows
// them.
void encode_checkpoint(Tick tick, std::uint64_t hash, std::vector<std::uint8_t>& out);
// Decodes a checkpoint. The image points into the payload; only its first bytes are checked.
std::optional<Checkpoint> decode_checkpoint(Bytes payload);

// Adds a checkpoint to the index of its segment. Ignores a further checkpoint of the last tick in
// the index, and all checkpoints after the first kIndexedMax.
// REQUIRES: its offset is larger than all offsets in the index.
void add_to_index(std::vector<CheckpointEntry>& places, const CheckpointEntry& place);
// Replaces `out` with the payload of an index. `offset` is the position of the index record itself,
// in bytes from the start of the segment.
void encode_index(std::span<const CheckpointEntry> places, std::uint64_t offset,
                  std::vector<std::uint8_t>& out);
// Decodes an index into `places`. Returns false unless the ticks ascend, and the offsets ascend up
// to the offset of the index itself.
bool decode_index(Bytes payload, std::vector<CheckpointEntry>& places);

// Replaces `out` with the payload of an end record. `last` is the last tick of the session.
void encode_end(Tick last, std::vector<std::uint8_t>& out);
// Decodes an end record. Returns the last tick of the session.
std::optional<Tick> decode_end(Bytes payload);

// The end of a segment whose records were removed: what they led to.
struct RemovedRecords {
  Tick last;                   // last tick before the next segment
  std::uint64_t checksum = 0;  // of the record that the next segment continues from
};

// Replaces `out` with the payload of a removal.
void encode_removed(const RemovedRecords& removed, std::vector<std::uint8_t>& out);
// Decodes a removal.
std::optional<RemovedRecords> decode_removed(Bytes payload);

// Decodes a seal.
std::optional<LogSeal> decode_seal(Bytes payload);

}  // namespace orrery::session
