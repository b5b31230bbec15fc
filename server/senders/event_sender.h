// Sends the events of each tick to the clients that asked for them, in order, as reliable messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/clients.h"

namespace orrery::server {

// The event messages of a session, and the clients that want them.
class EventSender {
 public:
  // REQUIRES: the clients outlive it.
  explicit EventSender(Clients& clients);

  // Adds a client that asked for events.
  void join(ClientId client);
  // Removes a client. No effect if it did not ask for events.
  void leave(ClientId client);

  // Queues the events of the last tick and sends each client as much as congestion control allows,
  // lost messages first. Never waits. If too many messages wait for a client, the newest events are
  // left out. The client sees the gap in the event numbers.
  void send(net::Nanoseconds now);

  // Returns the events left out, summed over all clients.
  std::uint64_t left_out() const { return left_out_; }

 private:
  using Buffer = std::shared_ptr<std::vector<std::uint8_t>>;

  void take_tick();

  Clients& clients_;
  std::vector<ClientId> listeners_;  // ascending
  std::uint64_t so_far_ = 0;         // number of events since the server started
  std::uint64_t left_out_ = 0;
  // Ring of the newest messages. The memory of a message that no client waits for is reused.
  std::vector<Buffer> messages_;
  std::size_t next_ = 0;
};

}  // namespace orrery::server
