// Writes the frames of a WebSocket that the server sends by itself (RFC 6455, section 5.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/assert.h"
#include "common/core/bytes.h"

namespace orrery::server::web {

// The header of a frame that carries a whole binary message. A server never masks its frames.
class FrameHeader {
 public:
  static constexpr std::size_t kBytesMax = 4;

  // REQUIRES: the message has less than 65,536 bytes.
  explicit FrameHeader(std::size_t message_bytes) {
    ORRERY_ASSERT(message_bytes < 65536);
    if (message_bytes < kTwoBytes) {
      bytes_[1] = static_cast<std::uint8_t>(message_bytes);
      size_ = 2;
    } else {
      bytes_[1] = kTwoBytes;
      bytes_[2] = static_cast<std::uint8_t>(message_bytes >> 8);
      bytes_[3] = static_cast<std::uint8_t>(message_bytes & 0xff);
      size_ = 4;
    }
  }

  // Returns the bytes to send before the message.
  Bytes bytes() const { return Bytes(bytes_).first(size_); }

 private:
  static constexpr std::uint8_t kFinalBinary = 0x82;
  static constexpr std::uint8_t kTwoBytes = 126;  // the size follows in two bytes

  std::array<std::uint8_t, kBytesMax> bytes_{kFinalBinary};
  std::size_t size_ = 0;
};

// A frame that closes a WebSocket because the server ends (code 1001).
inline constexpr std::array<std::uint8_t, 4> kGoingAway = {0x88, 2, 1001 >> 8, 1001 & 0xff};

}  // namespace orrery::server::web
