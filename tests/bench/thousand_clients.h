// Owns what the ways of serving a thousand clients have in common, so that they can be compared.
//
// Server and clients take turns in one thread, over real sockets: what the clients do is not in the
// figure, and no scheduler is.
#pragma once

#include <cstdint>
#include <memory>

#include "common/core/bytes.h"

namespace orrery::bench {

inline constexpr std::uint32_t kServedClients = 1000;

class Service {
 public:
  virtual ~Service() = default;

  // Each client sends an input.
  virtual void ask() = 0;
  // The server hears them, and sends each client a snapshot.
  virtual void serve() = 0;
  // The clients hear what has come; returns how many whole snapshots.
  virtual std::uint64_t collect() = 0;
};

// enet_peer.cpp: ENet, not encrypted, with packets of these sizes. None if it does not connect.
std::unique_ptr<Service> make_enet_service(std::size_t input_bytes, std::size_t snapshot_bytes);

}  // namespace orrery::bench
