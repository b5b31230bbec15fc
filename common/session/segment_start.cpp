// Reads the start of a segment: preamble, header, and the first checkpoint of a later segment.
#include "common/session/segment_start.h"

#include <algorithm>
#include <string>

#include "common/session/versions.h"

namespace orrery::session {
namespace {

Result<std::uint32_t> check_preamble(Bytes bytes) {
  ORRERY_ASSERT(bytes.size() <= kPreambleBytes);
  const std::size_t known = std::min(bytes.size(), kLogMagic.size());
  if (bytes.empty()) return Error{"is empty; expected a session log"};
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(known),
                  kLogMagic.begin())) {
    return Error{"is not a session log, as orreryd and `orrery run --log` write them"};
  }
  if (bytes.size() < kPreambleBytes)
    return Error{"is cut inside its header; nothing of it can be read", ErrorCode::incomplete};
  ByteReader in(bytes.subspan(kLogMagic.size()));
  const std::uint32_t version = in.u32();
  if (version >= 1 && version <= kLogFormatVersion) return version;
  return Error{"is a session log of format " + std::to_string(version) +
                   "; this build reads formats 1 to " + std::to_string(kLogFormatVersion),
               ErrorCode::version};
}

}  // namespace

Result<std::uint32_t> read_preamble(RecordStream& stream) {
  return check_preamble(stream.take_preamble(kPreambleBytes));
}

Result<codec::LogHeader> read_header_record(RecordStream& stream) {
  ORRERY_ASSERT(stream.offset() == kPreambleBytes);
  const std::optional<RecordFrame> frame = stream.front();
  if (!frame || frame->type != RecordType::header) {
    return Error{"is cut or damaged inside its header; nothing of it can be read",
                 ErrorCode::incomplete};
  }
  Result<codec::LogHeader> header = codec::decode_log_header(stream.payload(*frame));
  if (header) stream.accept(*frame);
  return header;
}

Result<codec::LogHeader> read_start(RecordStream& stream) {
  if (const auto preamble = read_preamble(stream); !preamble) return preamble.error();
  return read_header_record(stream);
}

bool begins_with_checkpoint(RecordStream& stream, Tick tick) {
  const std::optional<RecordFrame> frame = stream.front();
  if (!frame || frame->type != RecordType::checkpoint) return false;
  const std::optional<Checkpoint> checkpoint = decode_checkpoint(stream.payload(*frame));
  return checkpoint && checkpoint->tick == tick;
}

bool begins_with_removal(RecordStream& stream) {
  ORRERY_ASSERT(stream.offset() > 0);  // a header comes first
  const std::optional<RecordFrame> frame = stream.front();
  return frame && frame->type == RecordType::removed;
}

bool of_one_session(const codec::LogHeader& a, const codec::LogHeader& b) {
  return a.session == b.session && a.initial_hash == b.initial_hash;
}

}  // namespace orrery::session
