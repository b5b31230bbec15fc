// Keeps the commands of a client until the server acknowledges them.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/net/environment.h"

namespace orrery::client {

// The commands that a server has not acknowledged. One message carries all of them. It is sent at
// once if one of them is new, otherwise at intervals.
class CommandQueue {
 public:
  // Adds a command of the client for `tick`. Returns false if limits::kCommandsQueuedMax wait.
  bool add(ClientId client, const CommandPayload& payload, Tick tick);
  // Removes the commands up to `sequence`. Ignores an acknowledgement of a command that was never
  // given.
  void acknowledge(Sequence sequence);

  // Returns true if the commands must be sent now: one of them was never sent, or all were last
  // sent at least `interval` ago.
  bool is_due(net::Nanoseconds interval, net::Nanoseconds now) const;
  // Appends the message with the commands to `out`. REQUIRES: is_due().
  void encode(net::Nanoseconds now, std::vector<std::uint8_t>& out);

  // Return the newest command given, and the newest that was acknowledged with all before it.
  Sequence given() const { return given_; }
  Sequence acknowledged() const { return acknowledged_; }

 private:
  std::vector<codec::message::TimedCommand> waiting_;  // by sequence, without gaps
  Sequence given_;
  Sequence acknowledged_;
  net::Nanoseconds sent_at_ = 0;
  bool has_new_ = false;  // a command waits that was never sent
};

}  // namespace orrery::client
