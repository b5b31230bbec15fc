// The sockets of a client: one for each route by which it sends.
#include "client/udp/client_sockets.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

#include "common/host/process/clock.h"
#include "common/host/process/random.h"

namespace orrery::client {

Result<std::unique_ptr<ClientSockets>> ClientSockets::open(const net::AddressList& servers) {
  ORRERY_ASSERT(servers.size() >= 1);
  std::unique_ptr<ClientSockets> all(new ClientSockets);
  Error first{""};
  for (const net::Address& server : servers.span()) {
    auto network = host::UdpNetwork::towards(server);
    if (!network && first.message.empty()) first = network.error();
    if (!network) continue;
    // The socket of another address than the first one is only a proof that there is a way. The
    // client soon turns to that address by another route.
    all->opened_.push_back(network.value()->descriptor());
    all->sockets_.push_back({1, std::move(network.value()), 0});
    return all;
  }
  return first;
}

ClientEnvironment ClientSockets::environment() {
  return {.cipher = &cipher_,
          .random = host::random_u64,
          .unix_seconds = host::unix_seconds,
          .reach = [this] {
            const int error = unreachable();
            if (error == 0) return Reach::no_report;
            return error == ECONNREFUSED ? Reach::nobody_listens : Reach::unreachable;
          }};
}

ClientSockets::Socket* ClientSockets::find(const Outgoing& datagram) {
  const auto is_it = [&](const Socket& socket) { return socket.route == datagram.route; };
  const auto at = std::find_if(sockets_.begin(), sockets_.end(), is_it);
  if (at != sockets_.end()) return &*at;
  auto network = host::UdpNetwork::towards(datagram.to);
  if (!network) return nullptr;
  if (sockets_.size() == kSocketsMax) {
    const auto sent_earlier = [](const Socket& a, const Socket& b) {
      return a.used_at < b.used_at;
    };
    sockets_.erase(std::min_element(sockets_.begin(), sockets_.end(), sent_earlier));
  }
  opened_.push_back(network.value()->descriptor());
  sockets_.push_back({datagram.route, std::move(network.value()), 0});
  return &sockets_.back();
}

void ClientSockets::send(const Outgoing& datagram) {
  Socket* const socket = find(datagram);
  if (!socket) return;
  socket->used_at = sent_++;
  socket->network->send(datagram.to, datagram.bytes);
}

void ClientSockets::wait(net::Nanoseconds wait) const {
  std::array<pollfd, kSocketsMax> waiting{};
  for (std::size_t i = 0; i < sockets_.size(); ++i) {
    waiting[i] = {sockets_[i].network->descriptor(), POLLIN, 0};
  }
  const timespec time{static_cast<std::time_t>(wait / net::kSecond),
                      static_cast<long>(wait % net::kSecond)};
  ::ppoll(waiting.data(), sockets_.size(), &time, nullptr);
}

int ClientSockets::unreachable() const {
  // Errors of a socket that is in use no longer do not count.
  constexpr std::uint64_t kRecent = 20;
  const auto heard = std::find_if(sockets_.begin(), sockets_.end(), [&](const Socket& socket) {
    return socket.route == heard_ && sent_ - socket.used_at <= kRecent;
  });
  return (heard != sockets_.end() ? *heard : sockets_.back()).network->unreachable();
}

}  // namespace orrery::client
