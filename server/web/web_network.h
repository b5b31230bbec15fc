// Joins the UDP socket and the WebSockets of a server into one network.
#pragma once

#include <algorithm>

#include "common/host/net/udp.h"
#include "server/web/web_server.h"

namespace orrery::server::web {

// The network of a server with a web side. The carrier of an address (UDP or WebSocket) decides how
// a packet is sent.
class WebNetwork final : public net::NetEnvironment, public net::DatagramSource {
 public:
  // REQUIRES: both outlive the network.
  WebNetwork(host::UdpBatch& udp, WebServer& web) : udp_(udp), web_(web) {}

  void send(const net::Address& to, Bytes datagram) override {
    is_web(to) ? web_.send(to, datagram, datagram.size()) : udp_.send(to, datagram);
  }
  void send_train(const net::Address& to, Bytes datagrams, std::size_t size) override {
    is_web(to) ? web_.send(to, datagrams, size) : udp_.send_train(to, datagrams, size);
  }
  void flush() override {
    udp_.flush();
    web_.flush();
  }
  bool is_clear(const net::Address& to) const override { return !is_web(to) || web_.is_clear(to); }

  // Alternates between UDP and the WebSockets, so that a flood of one does not starve the other.
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override {
    from_web_ = !from_web_;
    if (const auto size = receive_one(from, into)) return size;
    from_web_ = !from_web_;
    return receive_one(from, into);
  }
  net::Nanoseconds arrival(net::Nanoseconds now) const override {
    return from_web_ ? std::min(now, web_.arrival()) : udp_.arrival(now);
  }
  std::optional<net::ClosedAddress> next_closed() override { return web_.next_closed(); }

  std::uint64_t random() override { return udp_.random(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return udp_.keyed_hash(bytes); }
  const net::Cipher& cipher() const override { return udp_.cipher(); }
  std::uint64_t unix_seconds() const override { return udp_.unix_seconds(); }

 private:
  std::optional<std::size_t> receive_one(net::Address& from, std::span<std::uint8_t> into) {
    return from_web_ ? web_.receive(from, into) : udp_.receive(from, into);
  }
  static bool is_web(const net::Address& address) {
    return address.carrier == net::Carrier::websocket;
  }

  host::UdpBatch& udp_;
  WebServer& web_;
  bool from_web_ = false;  // receive() returned a message of a WebSocket last
};

}  // namespace orrery::server::web
