// Owns how the name of a session is written: its 16 bytes in hex.
#pragma once

#include <string>

#include "common/codec/log_codec.h"

namespace orrery::cli {

inline std::string hex(const codec::SessionId& session) {
  std::string out;
  for (const std::uint8_t byte : session) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

}  // namespace orrery::cli
