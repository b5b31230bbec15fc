// Simulates a machine that changes networks, with a socket for each route of its client.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/fleet/network.h"

namespace orrery::fleet {

// The machine of a client that uses routes (NetEnvironment::open_route). Each route has its own
// socket and address. When the machine moves to another network, nothing passes any more by
// the sockets that it had.
class RoamingMachine final : public Machine {
 public:
  // `number` determines the addresses.
  RoamingMachine(Network& network, const net::Cipher& cipher, std::uint64_t seed,
                 std::uint32_t number)
      : Machine(network, cipher, seed),
        up_(mix64(seed + 1), {}),
        down_(mix64(seed + 2), {}),
        number_(number) {}
  ~RoamingMachine() override { close_sockets(); }
  RoamingMachine(const RoamingMachine&) = delete;
  RoamingMachine& operator=(const RoamingMachine&) = delete;

  std::uint32_t open_route() override {
    const std::uint32_t ip = kOwnNetwork + (4 << 16) + (number_ << 8) + networks_;
    const auto route = static_cast<std::uint32_t>(sockets_.size() + 1);
    sockets_.push_back(address_of(ip, static_cast<std::uint16_t>(1000 + route)));
    network_.listen(sockets_.back(), down_);
    return route;
  }
  void use_route(std::uint32_t route) override {
    while (sockets_.size() < route) open_route();
    route_ = route;
  }
  void send(const net::Address& to, Bytes datagram) override {
    const bool passes = route_ > closed_ && to == network_.server();
    if (passes) network_.to_server(sockets_[route_ - 1], datagram, up_);
  }

  // Moves to another network.
  void move() {
    close_sockets();
    ++networks_;
  }
  // Returns the route that has an open socket with this address, or nothing.
  std::optional<std::uint32_t> route_of(const net::Address& address) const {
    for (std::size_t i = closed_; i < sockets_.size(); ++i) {
      if (sockets_[i] == address) return static_cast<std::uint32_t>(i + 1);
    }
    return std::nullopt;
  }
  // Sets the faults of both directions.
  void set_faults(const net::PathFaults& faults) {
    up_.set_faults(faults);
    down_.set_faults(faults);
  }

 private:
  void close_sockets() {
    for (; closed_ < sockets_.size(); ++closed_) network_.hang_up(sockets_[closed_]);
  }

  net::FaultyPath up_;
  net::FaultyPath down_;
  const std::uint32_t number_;
  std::uint32_t networks_ = 0;  // networks left so far
  std::vector<net::Address> sockets_;
  std::size_t closed_ = 0;  // sockets that were closed: the first ones
  std::uint32_t route_ = 0;
};

}  // namespace orrery::fleet
