// The header of a session log and its binary form (schema/log.fbs).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/result.h"

namespace orrery::codec {

// Maximum size of the text of a fault in bytes (session/explain/fault.h).
inline constexpr std::size_t kFaultBytesMax = 64;

// 128 random bits that identify a session permanently.
using SessionId = std::array<std::uint8_t, 16>;

// The header of a log segment.
struct LogHeader {
  std::uint32_t rules = 0;  // kRulesVersion of the build that recorded the log
  std::string build;        // the program and compiler that recorded the log, for people to read
  SessionId session{};
  std::vector<std::uint8_t> scene;  // bytes from encode_scene(); only in segment 0
  std::uint64_t initial_hash = 0;   // hash of the initial state
  std::string
      fault;  // the deliberate fault of the session (session/explain/fault.h), otherwise empty

  // Number of this segment: 0, 1, ... In segments 1, 2, ... the three fields below it say where and
  // how this segment continues the previous one.
  std::uint32_t segment = 0;
  Tick after_tick;                   // last tick before this segment
  std::uint64_t after_checksum = 0;  // checksum of the last record before this segment
  // true if the writer abandoned the previous segment because the disk failed. Readers ignore the
  // bytes of that segment after the record with after_checksum. Ticks may be missing between the
  // two segments.
  bool after_loss = false;
};

// Replaces `out` by the bytes of the header. REQUIRES: the scene is empty exactly if segment > 0,
// `build` has at most 256 bytes and `fault` at most kFaultBytesMax.
void encode_log_header(const LogHeader& header, std::vector<std::uint8_t>& out);

// Decodes a header from untrusted bytes. Checks that segment 0 has a scene and other segments have
// none. Does not check the content of the scene; decode_scene() does.
Result<LogHeader> decode_log_header(Bytes bytes);

}  // namespace orrery::codec
