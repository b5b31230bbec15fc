// Defines the frame of a log record, which the writer and the reader of session logs share.
//
//   preamble:  "ORRERYLG"  format version u32
//   record:    type u8  length varint  payload  checksum u64
//
// The checksum is the XXH3-64 of type, length and payload. Its seed is the checksum of the record
// before; for the first record it is the XXH3-64 of the preamble. The eight bytes before any later
// record are thus its seed, so readers can recognise the record at any offset. A record that was
// moved, repeated or left out breaks the chain. Section 2 of schema/log.md is the full
// specification.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/limits.h"

namespace orrery::session {

// The type of a record. No type is 0, so a run of zero bytes is never a record.
enum class RecordType : std::uint8_t {
  header = 1,
  old_tick = 2,  // a tick as formats 1 to 3 encode it; valid in a log of any format
  end = 3,
  checkpoint = 4,
  index = 5,
  seal = 6,
  tick = 7,
  removed = 8,  // replaces the records of a segment that was removed on purpose
};

// Returns true for a tick in either encoding.
constexpr bool is_tick(RecordType type) {
  return type == RecordType::tick || type == RecordType::old_tick;
}

// Returns true if a record of this type is a barrier: the writer appends it only after all earlier
// bytes of the segment are on the disk. Barriers tell damage from a power cut. A power cut can lose
// any unsynced sector and keep the next one, so valid records may follow a broken one. If a barrier
// follows, the broken record had been on the disk, and the log is damaged.
constexpr bool is_barrier(RecordType type) {
  return type == RecordType::checkpoint || type == RecordType::end;
}

inline constexpr std::array<std::uint8_t, 8> kLogMagic = {'O', 'R', 'R', 'E', 'R', 'Y', 'L', 'G'};
// A packed segment starts with this number instead. This layer cannot unpack it:
// common/host/disk/packing/packed_segment.h does.
inline constexpr std::array<std::uint8_t, 8> kPackedMagic = {'O', 'R', 'R', 'E',
                                                             'R', 'Y', 'L', 'Z'};
inline constexpr std::size_t kPreambleBytes = kLogMagic.size() + 4;
inline constexpr std::size_t kChecksumBytes = 8;

// The largest payload of a header, in bytes: a scene and little else.
inline constexpr std::size_t kHeaderPayloadMax = limits::kSceneBytesMax + 4096;

// The largest image in a checkpoint, in bytes. A million bodies take about 120 MB, and each contact
// at most 512 bytes. A state with a larger image gets no checkpoint.
inline constexpr std::size_t kImageBytesMax = (std::size_t{1} << 31) - (std::size_t{1} << 20);
// The largest payload of a checkpoint, in bytes: an image, a tick (10) and a hash (8).
inline constexpr std::size_t kCheckpointPayloadMax = kImageBytesMax + 10 + 8;

// Returns the largest payload of a record of this type, in bytes.
constexpr std::size_t payload_max(RecordType type) {
  return type == RecordType::header       ? kHeaderPayloadMax
         : type == RecordType::checkpoint ? kCheckpointPayloadMax
                                          : limits::kLogRecordBytesMax;
}

// Returns the size of a record with this many bytes of payload, frame included.
constexpr std::size_t record_size(std::size_t payload) {
  std::size_t length = 1;
  for (std::size_t rest = payload; rest >= 0x80; rest >>= 7) ++length;
  return 1 + length + payload + kChecksumBytes;
}

// The frame of a record: its type, and the place of its payload. Sizes are in bytes.
struct RecordFrame {
  RecordType type = RecordType::end;
  std::size_t payload_offset = 0;
  std::size_t payload_size = 0;

  // Returns the size of the whole record, checksum included.
  std::size_t size() const { return payload_offset + payload_size + kChecksumBytes; }
};

// The most bytes of a record before its payload: the type, and the length as a varint of at most
// five bytes.
inline constexpr std::size_t kFrameBytesMax = 1 + 5;

// Reads the frame of a record at the start of `bytes`. Returns nothing if the bytes are too few or
// no record starts with them.
std::optional<RecordFrame> read_frame(Bytes bytes);

// Appends the preamble of a log of this build's format.
void append_preamble(std::vector<std::uint8_t>& out);

// Appends a record. Its payload is `payload` followed by `more`. `seed` is the checksum of the
// record before, or of the preamble. Returns the checksum of the new record.
// REQUIRES: `payload` and `more` together have at most payload_max(type) bytes.
std::uint64_t append_record(RecordType type, Bytes payload, Bytes more, std::uint64_t seed,
                            std::vector<std::uint8_t>& out);

}  // namespace orrery::session
