// Reads and writes the frames of log records.
#include "common/session/log_format.h"

#include "common/core/hash.h"
#include "common/session/versions.h"

namespace orrery::session {
namespace {

// Returns the number of bytes that the fields type and length take in the largest record of a type.
constexpr std::size_t frame_size(RecordType type) {
  return record_size(payload_max(type)) - payload_max(type) - kChecksumBytes;
}

static_assert(frame_size(RecordType::header) <= kFrameBytesMax);
static_assert(frame_size(RecordType::checkpoint) <= kFrameBytesMax);
static_assert(frame_size(RecordType::tick) <= kFrameBytesMax);
static_assert(kPreambleBytes == sizeof(kLogMagic) + sizeof(kLogFormatVersion));
static_assert(kChecksumBytes == sizeof(std::uint64_t));

}  // namespace

std::optional<RecordFrame> read_frame(Bytes bytes) {
  ByteReader in(bytes);
  const std::uint8_t type = in.u8();
  const std::uint64_t size = in.varint();
  if (!in.ok() || in.offset() > kFrameBytesMax) return {};
  if (type < static_cast<std::uint8_t>(RecordType::header) ||
      type > static_cast<std::uint8_t>(RecordType::removed)) {
    return {};
  }
  const auto known = static_cast<RecordType>(type);
  if (size > payload_max(known)) return {};
  return RecordFrame{known, in.offset(), static_cast<std::size_t>(size)};
}

void append_preamble(std::vector<std::uint8_t>& out) {
  ByteWriter writer(out);
  writer.bytes(kLogMagic);
  writer.u32(kLogFormatVersion);
}

std::uint64_t append_record(RecordType type, Bytes payload, Bytes more, std::uint64_t seed,
                            std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(payload.size() + more.size() <= payload_max(type));
  const std::size_t begin = out.size();
  ByteWriter writer(out);
  writer.u8(static_cast<std::uint8_t>(type));
  writer.varint(payload.size() + more.size());
  writer.bytes(payload);
  writer.bytes(more);
  const std::uint64_t sum = checksum(Bytes(out).subspan(begin), seed);
  writer.u64(sum);
  return sum;
}

}  // namespace orrery::session
