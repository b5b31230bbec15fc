// Sends each client the reasons why commands of it were refused.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/refusal_codec.h"
#include "common/core/per_client.h"
#include "server/clients.h"

namespace orrery::server {

// Counts since the server started.
struct RefusalCounters {
  std::uint64_t refused = 0;   // commands of clients
  std::uint64_t left_out = 0;  // of these, not sent, because too many refusals waited
};

// The refused commands of all clients. A client gets at most one message in a tick. While its path
// has no room, at most codec::kRefusalsPerMessage refusals wait for it. The newest beyond that are
// left out. The client notices this, because the numbers of the refusals have a gap.
class Refusals {
 public:
  // REQUIRES: `clients` outlives this object.
  explicit Refusals(Clients& clients);

  // Forgets the refusals of an earlier client with the same id.
  void join(ClientId client) { of_[client] = {}; }

  // Return the commands that the world refused in the last tick. step() replaces them.
  std::vector<RefusedCommand>& refused() { return refused_; }
  const std::vector<RefusedCommand>& refused() const { return refused_; }
  // Queues messages about them, and about the commands that the inbox refused, for the reliable
  // channels of their clients.
  void queue();

  // Returns the counts since the start.
  const RefusalCounters& counters() const { return counters_; }

 private:
  struct Client {
    std::uint64_t count = 0;  // refusals since the client joined
    std::uint64_t first = 0;  // number of refusals before those that wait
    std::vector<codec::message::Refusal> waiting{};
  };

  void add(const RefusedCommand& command);

  Clients& clients_;
  PerClient<Client> of_;
  std::vector<RefusedCommand> refused_;
  std::vector<ClientId> waiting_;  // clients for which refusals wait
  RefusalCounters counters_;
};

}  // namespace orrery::server
