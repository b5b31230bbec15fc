// Owns what the writer and the reader of session logs share: the framing of records.
//
//   preamble:  "ORRERYLG"  format version u32
//   record:    type u8  length varint  payload  checksum u64
//
// checksum = XXH3-64 of type, length and payload as they stand, seeded with the checksum of the
// record before; that of the first record is seeded with the XXH3-64 of the preamble. As the seed
// of a record is the eight bytes in front of it, a record can be recognised anywhere, and one that
// was moved, repeated or left out breaks the chain. The full specification: schema/log.md 2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/limits.h"

namespace orrery::session {

// No type is 0, so that zeros are never a record.
enum class RecordType : std::uint8_t {
  header = 1,
  old_tick = 2,  // in the form of formats before 4; it may be in a log of any
  end = 3,
  checkpoint = 4,
  index = 5,
  seal = 6,
  tick = 7,
};

constexpr bool is_tick(RecordType type) {
  return type == RecordType::tick || type == RecordType::old_tick;
}

// Whether a record is written only once the disk has all that stands before it in the segment. A
// power cut leaves any sectors of what was not synced: ticks may be there whole behind broken ones.
// What is broken in front of a barrier was on the disk, and damaged there.
constexpr bool is_barrier(RecordType type) {
  return type == RecordType::checkpoint || type == RecordType::end;
}

inline constexpr std::array<std::uint8_t, 8> kLogMagic = {'O', 'R', 'R', 'E', 'R', 'Y', 'L', 'G'};
inline constexpr std::size_t kPreambleBytes = kLogMagic.size() + 4;
inline constexpr std::size_t kChecksumBytes = 8;

// A header holds a scene and little else.
inline constexpr std::size_t kHeaderPayloadMax = limits::kSceneBytesMax + 4096;

// A checkpoint is a tick, a hash and an image: a million bodies take 120 MB, and their contacts at
// most 500 bytes each. A world whose image is larger has no checkpoints.
inline constexpr std::size_t kImageBytesMax = (std::size_t{1} << 31) - (std::size_t{1} << 20);
inline constexpr std::size_t kCheckpointPayloadMax = kImageBytesMax + 10 + 8;

constexpr std::size_t payload_max(RecordType type) {
  return type == RecordType::header       ? kHeaderPayloadMax
         : type == RecordType::checkpoint ? kCheckpointPayloadMax
                                          : limits::kLogRecordBytesMax;
}

// How a record begins.
struct RecordFrame {
  RecordType type = RecordType::end;
  std::size_t payload_offset = 0;
  std::size_t payload_size = 0;

  std::size_t size() const { return payload_offset + payload_size + kChecksumBytes; }
};

// The most bytes that read_frame() looks at.
inline constexpr std::size_t kFrameBytesMax = 1 + 5;

// Reads the frame of a record at the start of `bytes`; nothing if they are too few, or no record
// starts so.
std::optional<RecordFrame> read_frame(Bytes bytes);

// Appends the preamble of a log of this build's format.
void append_preamble(std::vector<std::uint8_t>& out);

// Appends a record whose payload is `payload` and then `more`, behind the record whose checksum is
// `seed`. Returns its checksum.
std::uint64_t append_record(RecordType type, Bytes payload, Bytes more, std::uint64_t seed,
                            std::vector<std::uint8_t>& out);

}  // namespace orrery::session
