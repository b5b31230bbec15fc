// Defines a service of a thousand clients, so that implementations can be compared.
//
// Server and clients run alternately in one thread, over real sockets. The time of the clients is
// not measured. With one thread, the scheduler cannot affect the result.
#pragma once

#include <cstdint>
#include <memory>

#include "common/core/bytes.h"

namespace orrery::bench {

inline constexpr std::uint32_t kServedClients = 1000;

// A server with its clients.
class Service {
 public:
  virtual ~Service() = default;

  // Sends an input from every client.
  virtual void ask() = 0;
  // Receives the inputs and sends a snapshot to every client.
  virtual void serve() = 0;
  // Receives the datagrams of all clients. Returns the number of complete snapshots.
  virtual std::uint64_t collect() = 0;
};

// Returns a service with ENet, unencrypted, with packets of these sizes (enet_peer.cpp). Returns
// null if it does not connect.
std::unique_ptr<Service> make_enet_service(std::size_t input_bytes, std::size_t snapshot_bytes);

}  // namespace orrery::bench
