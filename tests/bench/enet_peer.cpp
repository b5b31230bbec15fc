// Serves a thousand clients with ENet, for comparison.
#include <enet/enet.h>

#include <vector>

#include "common/core/assert.h"
#include "tests/bench/thousand_clients.h"

namespace orrery::bench {
namespace {

// Room for a burst from all clients. ENet's default size loses datagrams.
constexpr int kSocketBufferBytes = 4 << 20;

using Buffer = std::vector<std::uint8_t>;

struct HostEnd {
  void operator()(ENetHost* host) const { enet_host_destroy(host); }
};
using Host = std::unique_ptr<ENetHost, HostEnd>;

// Disables ENet's throttle, which drops unreliable packets.
void send_always(ENetPeer* peer) {
  enet_peer_throttle_configure(peer, ENET_PEER_PACKET_THROTTLE_INTERVAL,
                               ENET_PEER_PACKET_THROTTLE_SCALE, 0);
}

class EnetService final : public Service {
 public:
  EnetService(std::size_t input_bytes, std::size_t snapshot_bytes)
      : input_(input_bytes, 1), snapshot_(snapshot_bytes, 2) {
    ORRERY_ASSERT(enet_initialize() == 0);
    ENetAddress address{};
    enet_address_set_host_ip(&address, "127.0.0.1");
    server_.reset(enet_host_create(&address, kServedClients, 1, 0, 0));
    ORRERY_ASSERT(server_);
    enet_socket_set_option(server_->socket, ENET_SOCKOPT_RCVBUF, kSocketBufferBytes);
    enet_socket_set_option(server_->socket, ENET_SOCKOPT_SNDBUF, kSocketBufferBytes);
    enet_socket_get_address(server_->socket, &address);
    for (std::uint32_t i = 0; i < kServedClients; ++i) {
      clients_.emplace_back(enet_host_create(nullptr, 1, 1, 0, 0));
      ORRERY_ASSERT(clients_.back());
      enet_host_connect(clients_.back().get(), &address, 1, 0);
    }
  }
  ~EnetService() override {
    clients_.clear();
    server_.reset();
    enet_deinitialize();
  }

  bool connect() {
    std::size_t connected = 0;
    for (int turn = 0; turn < 1000 && connected < 2 * kServedClients; ++turn) {
      connected += hear(server_.get(), ENET_EVENT_TYPE_CONNECT);
      for (const Host& client : clients_) connected += hear(client.get(), ENET_EVENT_TYPE_CONNECT);
    }
    return connected == 2 * kServedClients;
  }

  void ask() override {
    for (const Host& client : clients_) {
      send(&client->peers[0], input_);
      enet_host_flush(client.get());
    }
  }

  void serve() override {
    hear(server_.get(), ENET_EVENT_TYPE_RECEIVE);
    for (std::size_t i = 0; i < server_->peerCount; ++i) send(&server_->peers[i], snapshot_);
    enet_host_flush(server_.get());
  }

  std::uint64_t collect() override {
    std::uint64_t snapshots = 0;
    for (const Host& client : clients_) snapshots += hear(client.get(), ENET_EVENT_TYPE_RECEIVE);
    return snapshots;
  }

 private:
  static void send(ENetPeer* peer, const Buffer& bytes) {
    enet_peer_send(peer, 0, enet_packet_create(bytes.data(), bytes.size(), 0));
  }

  // Handles all pending events and returns the number of events of the kind.
  static std::size_t hear(ENetHost* host, ENetEventType kind) {
    std::size_t count = 0;
    ENetEvent event;
    while (enet_host_service(host, &event, 0) > 0) {
      if (event.type == kind) ++count;
      if (event.type == ENET_EVENT_TYPE_CONNECT) send_always(event.peer);
      if (event.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(event.packet);
    }
    return count;
  }

  const Buffer input_, snapshot_;
  Host server_;
  std::vector<Host> clients_;
};

}  // namespace

std::unique_ptr<Service> make_enet_service(std::size_t input_bytes, std::size_t snapshot_bytes) {
  auto service = std::make_unique<EnetService>(input_bytes, snapshot_bytes);
  if (!service->connect()) return nullptr;
  return service;
}

}  // namespace orrery::bench
