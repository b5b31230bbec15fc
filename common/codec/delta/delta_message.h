// The messages of mode delta: parts of frames from the server, and acknowledgements from the
// client.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/codec/command_report.h"
#include "common/codec/delta/delta_codec.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/limits.h"

namespace orrery::codec {

// The start of a message with a part of a frame (schema/wire.md 8.7).
struct DeltaHead {
  Tick tick;
  Tick baseline;            // 0: none, the frame is a difference to nothing
  std::uint16_t check = 0;  // the low bits of the checksum of the baseline
  std::uint8_t part = 0;    // index of this part, 0 to parts - 1
  std::uint8_t parts = 1;
  DeltaLevel level = DeltaLevel::fast;
  CommandReport report;
};

// A part of a frame, decoded. `bytes` points into the message.
struct DeltaPart {
  DeltaHead head;
  Bytes bytes;
};

// Most bytes of a frame in one message, and most parts of a frame.
inline constexpr std::size_t kDeltaHeadBytesMax = 34;
inline constexpr std::size_t kDeltaPartBytes = limits::kMessageBytesMax - kDeltaHeadBytesMax;
inline constexpr std::size_t kDeltaPartsMax = 255;

// Returns the number of parts of a frame with this number of bytes.
constexpr std::size_t delta_parts(std::size_t bytes) {
  return bytes == 0 ? 1 : (bytes + kDeltaPartBytes - 1) / kDeltaPartBytes;
}

// Appends a message to `out`. REQUIRES: head.part < head.parts; bytes.size() <= kDeltaPartBytes;
// the baseline is older than the frame.
void encode_delta(const DeltaHead& head, Bytes bytes, std::vector<std::uint8_t>& out);
// Decodes a message from untrusted bytes. Returns nothing if it is invalid.
std::optional<DeltaPart> decode_delta(Bytes message);

// Appends the acknowledgement of a snapshot, from the client: the tick of the newest one that it
// has. Tick 0 means that it has none, and that the next one must have all bodies.
void encode_frame_ack(Tick tick, std::vector<std::uint8_t>& out);
// Decodes an acknowledgement from untrusted bytes. Returns nothing if it is invalid.
std::optional<Tick> decode_frame_ack(Bytes message);

// The newest frames of one side of a connection, by tick.
class KeptFrames {
 public:
  using Frame = std::shared_ptr<const CodedFrame>;

  // Keeps a frame in place of the oldest.
  void keep(Frame frame) { frames_[next_++ % frames_.size()] = std::move(frame); }
  // Returns the frame of a tick, or nullptr.
  Frame find(Tick tick) const;
  // Forgets the frames before a tick.
  void forget_before(Tick tick);
  // Forgets all frames.
  void clear() { frames_ = {}; }

 private:
  std::array<Frame, 64> frames_;
  std::size_t next_ = 0;
};

}  // namespace orrery::codec
