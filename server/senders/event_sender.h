// Sends the events of each tick to the clients that asked for them, in order, as reliable messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/net/server_endpoint.h"
#include "common/world/world.h"
#include "server/inbox.h"

namespace orrery::server {

// The event messages of a session, and the clients that want them.
class EventSender {
 public:
  // REQUIRES: all references outlive it.
  EventSender(const World& world, net::ServerEndpoint& endpoint, const Inbox& inbox);

  // Adds a client that asked for events.
  void join(ClientId client);
  void leave(ClientId client);

  // Queues the events of the last tick and sends each client as much as its path allows, lost
  // messages first. Never waits. If too many messages wait for a client, the newest events are left
  // out. The client sees the gap in the event numbers.
  void send(net::Nanoseconds now);

  // Returns the events left out, summed over all clients.
  std::uint64_t left_out() const { return left_out_; }

 private:
  using Buffer = std::shared_ptr<std::vector<std::uint8_t>>;

  void take_tick();

  const World& world_;
  net::ServerEndpoint& endpoint_;
  const Inbox& inbox_;
  std::vector<ClientId> clients_;  // ascending
  std::uint64_t so_far_ = 0;       // events of the session
  std::uint64_t left_out_ = 0;
  // Ring of the newest messages. The memory of a message that no client waits for is reused.
  std::vector<Buffer> messages_;
  std::size_t next_ = 0;
};

}  // namespace orrery::server
