// Writes the 16 bytes of a session's id in hexadecimal.
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
