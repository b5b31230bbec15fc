// Sends reliable messages to clients of mode plain: the scene once, then the events of each tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/clients.h"
#include "server/senders/values.h"

namespace orrery::server {

// Returns the size of the scene message for the welcome, in bytes, or 0 if the scene is too large
// to send.
std::uint32_t scene_bytes_to_plain(const net::SharedBytes& scene_message);

// The reliable messages of all clients of mode plain.
class PlainMessages {
 public:
  // `scene_message` is the first message to each client, made by session::follow_header(). It is
  // not sent if it is too large. REQUIRES: `clients` outlives this object.
  PlainMessages(Clients& clients, net::SharedBytes scene_message);

  // Adds a client that joined in mode plain.
  void join(ClientId client);
  // Removes a client. No effect if it was not added.
  void leave(ClientId client);

  // Queues the values and notices of the last tick for all clients, and its events for the clients
  // that asked for events. Sends each client as
  // much as congestion control allows, lost messages first. Never waits. If too many messages wait
  // for a client, or a tick has too many events, the newest events are left out. The client notices
  // this, because the numbers of the events have a gap.
  void send(net::Nanoseconds now);

  // Returns the events and notices left out, summed over all clients.
  std::uint64_t events_left_out() const { return left_out_ + values_.left_out(); }

 private:
  using Buffer = std::shared_ptr<std::vector<std::uint8_t>>;

  void queue_events();

  Clients& clients_;
  const net::SharedBytes scene_message_;
  Values values_;
  std::vector<ClientId> plain_;      // clients of mode plain, ascending
  std::vector<ClientId> listeners_;  // clients in plain_ that asked for events, ascending
  std::uint64_t so_far_ = 0;         // number of events since the server started
  std::uint64_t left_out_ = 0;
  // Ring of the newest messages. The memory of a message that no client waits for is reused.
  std::vector<Buffer> messages_;
  std::size_t next_ = 0;
};

}  // namespace orrery::server
