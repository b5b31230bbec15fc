// Reads the frames of a WebSocket by the rules of RFC 6455, to check the server.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::fuzz {

enum Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10
};

// One frame, without its mask.
struct Frame {
  bool final = false;
  bool reserved = false;  // a bit that must be 0 is 1
  bool masked = false;
  bool minimal = true;  // the size is written in as few bytes as possible
  std::uint8_t opcode = 0;
  std::uint64_t size = 0;
  std::string data;  // fewer bytes than `size` if the input ends
};

// Takes the next frame from the input. Returns false if its header is not complete.
inline bool next_frame(std::string_view& input, Frame& frame) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(input[i]); };
  if (input.size() < 2) return false;
  frame = {(byte(0) & 0x80) != 0,
           (byte(0) & 0x70) != 0,
           (byte(1) & 0x80) != 0,
           true,
           static_cast<std::uint8_t>(byte(0) & 15),
           byte(1) & 0x7fu,
           {}};
  const std::size_t more = frame.size == 126 ? 2 : frame.size == 127 ? 8 : 0;
  const std::size_t head = 2 + more + (frame.masked ? 4 : 0);
  if (input.size() < head) return false;
  if (more > 0) frame.size = 0;
  for (std::size_t i = 2; i < 2 + more; ++i) frame.size = frame.size << 8 | byte(i);
  if (more > 0) frame.minimal = more == 2 ? frame.size >= 126 : frame.size >= 65536;
  const std::string_view mask = frame.masked ? input.substr(head - 4, 4) : "";
  input.remove_prefix(head);
  frame.data = input.substr(0, frame.size);
  input.remove_prefix(frame.data.size());
  for (std::size_t i = 0; frame.masked && i < frame.data.size(); ++i) {
    frame.data[i] = static_cast<char>(frame.data[i] ^ mask[i % 4]);
  }
  return true;
}

// The binary messages and pings of a client, and the number of its control frames. They end at the
// first frame that breaks a rule. They also end with a text message, which the server refuses once
// it is complete.
struct ClientFrames {
  ClientFrames(std::string_view input, std::size_t message_bytes_max) {
    Frame frame;
    std::string message;
    bool inside = false;  // a message has begun
    bool is_text = false;
    while (next_frame(input, frame)) {
      const bool whole = frame.data.size() == frame.size;
      if (frame.reserved || !frame.masked || !frame.minimal) return;
      if (frame.opcode == ping || frame.opcode == pong) {
        if (!frame.final || frame.size > 125 || !whole) return;
        if (frame.opcode == ping) pings.push_back(frame.data);
        continue;
      }
      const bool begins = !inside && (frame.opcode == binary || frame.opcode == text);
      if (!begins && !(inside && frame.opcode == continuation)) return;  // also close
      if (begins) is_text = frame.opcode == text;
      if (message.size() + frame.size > message_bytes_max || !whole) return;
      message += frame.data;
      inside = !frame.final;
      if (inside) continue;
      if (is_text) return;
      messages.emplace_back(message.begin(), message.end());
      message.clear();
    }
  }

  std::vector<std::vector<std::uint8_t>> messages;
  std::vector<std::string> pings;
};

}  // namespace orrery::fuzz
