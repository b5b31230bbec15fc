// Owns how the frame of a record is read.
#include "common/session/log_format.h"

namespace orrery {

std::optional<RecordFrame> read_frame(Bytes bytes) {
  ByteReader in(bytes);
  const std::uint8_t type = in.u8();
  const std::uint64_t size = in.varint();
  if (!in.ok() || in.offset() > kFrameBytesMax) return {};
  if (type < static_cast<std::uint8_t>(RecordType::header) ||
      type > static_cast<std::uint8_t>(RecordType::index)) {
    return {};
  }
  const auto known = static_cast<RecordType>(type);
  if (size > payload_max(known)) return {};
  return RecordFrame{known, in.offset(), static_cast<std::size_t>(size)};
}

}  // namespace orrery
