// Checks the states that a client receives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/codec/message_codec.h"
#include "common/net/environment.h"

namespace orrery::client {

// The checks of the states of one client, in the order in which they become the newest.
class StateCheck {
 public:
  // Prepares for states of a resumed session, in which ticks and bodies may have gone back.
  void begin_epoch();
  // Starts the timer of silence, of a new connection.
  void begin_connection(const codec::message::Welcome& welcome, net::Nanoseconds now);
  // Starts the timer of silence again.
  void hear(net::Nanoseconds now) { newest_at_ = now; }

  // Returns the tick of the newest state.
  Tick newest() const { return newest_; }
  // Takes a newer state. Returns the fault, if there is one: a long silence before it, or a body
  // that came back after it was gone.
  std::optional<std::string> add(const Snapshot& state, net::Nanoseconds now);
  // Returns the fault if no state has arrived for a long time. If the connection is lost
  // afterwards, that is why, and the silence is no fault.
  std::optional<std::string> silence(net::Nanoseconds now) const;

 private:
  Tick newest_;
  net::Nanoseconds newest_at_ = 0;
  std::uint32_t tick_rate_ = 1;
  std::uint32_t slots_ = 0;                 // of the world, as far as the client has seen
  std::vector<std::uint32_t> generations_;  // newest generation that was seen, by slot
};

}  // namespace orrery::client
