// Sends reliable messages: cuts them into fragments and repeats those that are lost.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/net/channel/path_estimator.h"
#include "common/net/environment.h"
#include "common/net/packet/fragment.h"

namespace orrery::net {

// A message, shared by all connections that send it.
using SharedBytes = std::shared_ptr<const std::vector<std::uint8_t>>;

// The sender of reliable messages of one connection. A congestion window limits the bytes in
// flight: slow start, then additive increase and multiplicative decrease (RFC 5681). The sender
// holds every message with an unacknowledged fragment, and the message that is being cut into
// fragments. The caller queues further messages.
class ReliableSender {
 public:
  // `window`: fragments that the receiver can hold. REQUIRES: 1 <= window < 2^15.
  explicit ReliableSender(std::uint32_t window);

  // Returns true if send() may be called.
  bool ready() const { return !message_; }
  // Takes a message. REQUIRES: ready(); the message has 1 to 2^31 - 1 bytes, which never change.
  void send(SharedBytes message);

  // Appends due fragments to `out`, at most `room` bytes. They leave in the datagram whose header
  // has the sequence `sequence`. Returns false if none is due, or the congestion window is full.
  // REQUIRES: `room` is enough for one full fragment.
  bool append_due(std::size_t room, std::uint32_t sequence, Nanoseconds now,
                  std::vector<std::uint8_t>& out);

  // Records the acknowledgements in a received header (payload.h).
  void acknowledged(std::uint32_t ack, std::uint32_t ack_bits);

  // Makes fragments that were not acknowledged in time due again. REQUIRES: `path` is the path of
  // this connection.
  void update(const PathEstimator& path, Nanoseconds now);

  // Returns true if every fragment was acknowledged and no message waits.
  bool idle() const { return first_ == next_ && !message_; }
  // Returns the congestion window: bytes that may be in flight.
  std::size_t bytes_allowed() const { return congestion_window_; }

 private:
  enum class State : std::uint8_t { due, on_its_way, arrived };

  struct Slot {
    SharedBytes message;
    std::uint32_t offset = 0;
    std::uint16_t size = 0;
    bool last = false;
    State state = State::due;
    // Sequences of the newest four datagrams with this fragment, newest first; 0: none. If the
    // round trip is longer than the timeout, an acknowledgement may be for an older one of them.
    std::array<std::uint32_t, 4> sequences{};
    Nanoseconds sent_at = 0;
  };

  Slot& slot(std::uint32_t number) { return slots_[number % slots_.size()]; }
  void cut();
  void arrive(Slot& slot);
  void lose(Slot& slot);
  // Removes bytes from those in flight.
  void land(std::size_t bytes);

  std::vector<Slot> slots_;
  std::uint32_t first_ = 0;           // oldest fragment without acknowledgement
  std::uint32_t next_ = 0;            // number of the next fragment
  SharedBytes message_;               // message that is being cut into fragments
  std::size_t offset_ = 0;            // offset of the next fragment in message_
  std::size_t in_flight_ = 0;         // bytes in flight
  std::size_t congestion_window_;     // congestion window in bytes
  std::size_t slow_start_threshold_;  // slow start threshold in bytes (RFC 5681)
  std::uint32_t last_sequence_ = 0;   // sequence of the newest datagram with fragments
  std::uint32_t decreased_at_ = 0;    // last_sequence_ when a loss last shrank the window; 0: never
  std::uint32_t timeouts_ = 0;        // timeouts since a fragment was acknowledged, at most 4
};

}  // namespace orrery::net
