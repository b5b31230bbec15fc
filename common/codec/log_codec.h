// Owns the header of a session log and its binary form (schema/log.fbs).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/result.h"

namespace orrery {

// No text of a fault (session/fault.h) is longer.
inline constexpr std::size_t kFaultBytesMax = 64;

// 128 random bits that name a session for ever.
using SessionId = std::array<std::uint8_t, 16>;

struct LogHeader {
  std::uint32_t rules = 0;  // kRulesVersion of the build that recorded
  std::string build;        // the program and compiler that recorded, for people
  SessionId session{};
  std::vector<std::uint8_t> scene;  // encode_scene(); of segment 0 only
  std::uint64_t initial_hash = 0;   // of state 0
  std::string fault;  // of a session that was broken on purpose: how (session/fault.h); else empty

  // Of segments 1, 2, ...: what the segment goes on from.
  std::uint32_t segment = 0;
  Tick after_tick;                   // the last tick before it
  std::uint64_t after_checksum = 0;  // of the last record before it
  bool after_loss = false;           // the segment before was given up: it ends behind that record
};

void encode_log_header(const LogHeader& header, std::vector<std::uint8_t>& out);

// Reads foreign bytes. The scene bytes are only known to be there: decode_scene() judges them.
Result<LogHeader> decode_log_header(Bytes bytes);

}  // namespace orrery
