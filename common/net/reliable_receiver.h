// Owns reliable messages on their way in: foreign fragments in any order become messages in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/net/fragment.h"

namespace orrery {

// What one side receives on one connection. A message announces no length: memory grows by the
// bytes that come, to at most `window` fragments and twice `message_bytes_max`.
class ReliableReceiver {
 public:
  // Fragments that come early wait, up to `window` beyond the last that came in order.
  ReliableReceiver(std::uint32_t window, std::size_t message_bytes_max);

  // Takes the fragments of a datagram, each once. next() is to be asked after each call until it
  // gives nothing.
  void receive(Bytes fragments);

  // The next message, until the next call of either; nothing if none is whole.
  std::optional<Bytes> next();

  // Something came that no sender of this version sends: bytes that are not fragments, a fragment
  // beyond the window, a message that is too long. Nothing is taken any more.
  bool failed() const { return failed_; }

 private:
  struct Slot {
    bool taken = false;
    bool last = false;
    std::vector<std::uint8_t> bytes;
  };

  Slot& slot(std::uint16_t number) { return slots_[number % slots_.size()]; }
  void take(const Fragment& fragment);
  void fail();

  const std::size_t message_bytes_max_;
  std::vector<Slot> slots_;
  std::uint16_t next_ = 0;  // the fragment that the message goes on with
  std::vector<std::uint8_t> message_;
  bool whole_ = false;
  bool failed_ = false;
};

}  // namespace orrery
