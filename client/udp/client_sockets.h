// The sockets of a client: one for each route by which it sends.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "client/lib/client.h"
#include "common/core/result.h"
#include "common/host/net/udp.h"

namespace orrery::client {

// Sends the datagrams of a Client, each by the socket of its route. The system gives a socket its
// local address when the socket is made. After a change of the address of this machine, only a new
// socket reaches the server. Old sockets still receive.
class ClientSockets {
 public:
  // Maximum number of open sockets: of the connection, of the search for another path, and one that
  // may still receive.
  static constexpr std::size_t kSocketsMax = 3;

  // Opens the socket of route 1, which is the first route of a Client. `servers`: the addresses
  // that the client tries, in this order. Fails if this machine cannot make a socket for any of
  // them.
  static Result<std::unique_ptr<ClientSockets>> open(const net::AddressList& servers);
  ClientSockets(const ClientSockets&) = delete;  // an environment refers to it
  ClientSockets& operator=(const ClientSockets&) = delete;

  // Returns an environment for a Client. REQUIRES: the sockets outlive the client.
  ClientEnvironment environment();

  // Sends a datagram. For a new route, opens a socket first, and closes the socket that has sent
  // nothing for longest if there are kSocketsMax. A datagram is lost if no socket can be opened.
  void send(const Outgoing& datagram);
  // Calls `take(from, datagram, route)` for each waiting datagram, for at most `most` of each
  // socket.
  void drain(int most, auto take) {
    alignas(16) std::array<std::uint8_t, net::kPacketBytesMax + 1> buffer;
    net::Address from;
    for (Socket& socket : sockets_) {
      for (int i = 0; i < most; ++i) {
        const auto size = socket.network->receive(from, buffer);
        if (!size) break;
        heard_ = socket.route;
        take(from, Bytes(buffer).first(*size), socket.route);
      }
    }
  }
  // Waits until a datagram arrives, at most `wait`.
  void wait(net::Nanoseconds wait) const;

  // Returns the file descriptors of sockets that were opened since the last call, for waiting.
  std::vector<int> take_opened() { return std::exchange(opened_, {}); }
  // Returns the last error about the datagrams of the connection, as UdpNetwork::unreachable().
  int unreachable() const;

 private:
  struct Socket {
    std::uint32_t route;
    std::unique_ptr<host::UdpNetwork> network;
    std::uint64_t used_at;  // number of datagrams sent before the last one of this socket
  };

  ClientSockets() = default;
  Socket* find(const Outgoing& datagram);

  const host::SodiumCipher cipher_;
  std::vector<Socket> sockets_;
  std::vector<int> opened_;
  std::uint64_t sent_ = 0;
  std::uint32_t heard_ = 0;  // route of the last received datagram
};

}  // namespace orrery::client
