// Owns reliable messages on their way out: cut into fragments, sent within a window that adapts to
// the path, and sent again until they are acknowledged.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/net/environment.h"
#include "common/net/fragment.h"
#include "common/net/path.h"

namespace orrery {

// A message that many connections send at once is in memory once.
using SharedBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

// What one side sends on one connection. It holds one message that is being cut, and those of which
// fragments are in the window: what waits behind them its caller keeps.
class ReliableSender {
 public:
  // `window`: fragments that the receiver has room for.
  explicit ReliableSender(std::uint32_t window);

  // The next message may be given.
  bool ready() const { return !message_; }
  // Takes a message of at least one byte. It is not changed any more.
  void send(SharedBytes message);

  // Appends what is due of fragments, as many as fit into `room` bytes, to a datagram of that
  // sequence. False if there are none.
  bool append_due(std::size_t room, std::uint32_t sequence, Nanoseconds now,
                  std::vector<std::uint8_t>& out);

  // The header of a message of theirs: ack and ack bits (payload.h).
  void acknowledged(std::uint32_t ack, std::uint32_t ack_bits);

  // Gives up waiting for what should have been acknowledged by now: it is due again.
  void update(const Path& path, Nanoseconds now);

  // Everything has come.
  bool idle() const { return first_ == next_ && !message_; }
  // Bytes that may be on their way at one time.
  std::size_t bytes_allowed() const { return allowed_; }

 private:
  enum class State : std::uint8_t { due, on_its_way, arrived };

  struct Slot {
    SharedBytes message;
    std::uint32_t offset = 0;
    std::uint16_t size = 0;
    bool last = false;
    State state = State::due;
    // Of the newest datagrams that have it, the newest first; 0: none. On a path that is longer
    // than the wait, what is acknowledged is not the newest.
    std::array<std::uint32_t, 4> sequences{};
    Nanoseconds sent_at = 0;
  };

  Slot& slot(std::uint32_t number) { return slots_[number % slots_.size()]; }
  void cut();
  void arrive(Slot& slot);
  void lose(Slot& slot);

  std::vector<Slot> slots_;
  std::uint32_t first_ = 0;          // fragments from here on may not have arrived
  std::uint32_t next_ = 0;           // the number of the next fragment
  SharedBytes message_;              // that is being cut
  std::size_t offset_ = 0;           // in it
  std::size_t on_their_way_ = 0;     // bytes
  std::size_t allowed_;              // bytes on their way at one time: slow start, then additive
  std::size_t slow_start_until_;     // increase and multiplicative decrease (RFC 5681)
  std::uint32_t last_sequence_ = 0;  // of the newest datagram with fragments
  std::uint32_t decreased_at_ = 0;   // as above, when a loss last counted
  std::uint32_t timeouts_ = 0;       // since anything arrived
};

}  // namespace orrery
