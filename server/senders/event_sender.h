// Owns what clients are told of events: those of each tick, in order, as reliable messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/net/server_endpoint.h"
#include "common/world/world.h"
#include "server/inbox.h"

namespace orrery::server {

class EventSender {
 public:
  // All references outlive it.
  EventSender(const World& world, net::ServerEndpoint& endpoint, const Inbox& inbox);

  // A client that has asked for events.
  void join(ClientId client);
  void leave(ClientId client);

  // Takes the events of the tick that step() has just made, and sends every client what its path
  // takes now: what was lost first. Never waits. Where too many wait for a client, the newest are
  // left out; it sees how many by the numbers of those that come.
  void send(net::Nanoseconds now);

  // So far, a client's each.
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
  // The newest messages, a ring: memory of those that nobody waits for is used again.
  std::vector<Buffer> messages_;
  std::size_t next_ = 0;
};

}  // namespace orrery::server
