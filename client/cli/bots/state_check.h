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

// Checks the states of one client. Takes only states that are newer than all before.
class StateCheck {
 public:
  // Prepares for a new epoch: the server has been started again and has resumed the session. Ticks
  // and bodies may then have gone back to an earlier state.
  void begin_epoch();
  // Starts the timer for silence when a connection begins.
  void begin_connection(const codec::message::Welcome& welcome, net::Nanoseconds now);
  // Restarts the timer for silence.
  void hear(net::Nanoseconds now) { newest_at_ = now; }

  // Returns the tick of the newest state.
  Tick newest() const { return newest_; }
  // Takes a newer state. Returns the fault, if there is one: a long silence before it, or a body
  // that came back after it was gone.
  std::optional<std::string> add(const Snapshot& state, net::Nanoseconds now);
  // Returns the fault if no state has arrived for a long time. Ignore it if the connection is lost
  // right after: the loss explains the silence.
  std::optional<std::string> silence(net::Nanoseconds now) const;

 private:
  Tick newest_;
  net::Nanoseconds newest_at_ = 0;
  std::uint32_t tick_rate_ = 1;
  std::uint32_t slots_ = 0;                 // slots of the world that the client knows of
  std::vector<std::uint32_t> generations_;  // newest generation that was seen, by slot
};

}  // namespace orrery::client
