// Reassembles reliable messages from fragments in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/net/packet/fragment.h"

namespace orrery::net {

// The receiver of reliable messages of one connection. Messages announce no length. Memory grows
// with the received bytes, up to `window` fragments plus a message buffer of twice
// `message_bytes_max`.
class ReliableReceiver {
 public:
  // Keeps fragments that arrive out of order, up to `window` beyond the last fragment in order.
  // REQUIRES: `window` is a power of two below 2^15; message_bytes_max >= 1.
  ReliableReceiver(std::uint32_t window, std::size_t message_bytes_max);

  // Takes the fragments of a datagram. Ignores repeats. REQUIRES: after each call, next() is called
  // until it returns nothing.
  void receive(Bytes fragments);

  // Returns the next whole message, or nothing. It is valid until the next call of next() or
  // receive().
  std::optional<Bytes> next();

  // Returns true if the sender broke the protocol: bytes that are no fragment, a fragment beyond
  // the window, or a message that is too long. From then on receive() ignores everything.
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
  std::uint16_t next_ = 0;  // number of the next fragment in order
  std::vector<std::uint8_t> message_;
  bool whole_ = false;
  bool failed_ = false;
};

}  // namespace orrery::net
