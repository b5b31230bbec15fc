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

// Most bytes in the text of a fault (session/explain/fault.h).
inline constexpr std::size_t kFaultBytesMax = 64;

// 128 random bits that identify a session permanently.
using SessionId = std::array<std::uint8_t, 16>;

// The header of a log segment.
struct LogHeader {
  std::uint32_t rules = 0;  // kRulesVersion of the build that recorded the log
  std::string build;        // the program and compiler that recorded the log, for people
  SessionId session{};
  std::vector<std::uint8_t> scene;  // bytes from encode_scene(); only in segment 0
  std::uint64_t initial_hash = 0;   // hash of state 0
  std::string
      fault;  // the deliberate fault of the session (session/explain/fault.h), otherwise empty

  // The point at which the segment continues the one before, in segments 1, 2, ...
  std::uint32_t segment = 0;
  Tick after_tick;                   // last tick before this segment
  std::uint64_t after_checksum = 0;  // checksum of the last record before this segment
  bool after_loss = false;  // true if the segment before was given up: it ends after that record
};

// Replaces `out` by the bytes of the header. REQUIRES: the scene is empty exactly if segment > 0,
// and every text is within its limit.
void encode_log_header(const LogHeader& header, std::vector<std::uint8_t>& out);

// Decodes a header from untrusted bytes. Checks that the scene is present, but not its content;
// decode_scene() does that.
Result<LogHeader> decode_log_header(Bytes bytes);

}  // namespace orrery::codec
