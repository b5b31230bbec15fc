// Simulates the network between a server and its clients in virtual time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "common/net/environment.h"
#include "common/net/faulty_path.h"
#include "server/server.h"
#include "tests/fleet/held_memory.h"

namespace orrery::fleet {

// Returns an IPv4 address. 10.x.x.x belongs to the server, its clients, and senders who repeat or
// misuse valid tokens. All other addresses belong to strangers.
inline net::Address address_of(std::uint32_t ip, std::uint16_t port) {
  net::Address address;
  std::copy(net::kMappedIpv4.begin(), net::kMappedIpv4.end(), address.ip.begin());
  for (std::size_t i = 0; i < 4; ++i) {
    address.ip[12 + i] = static_cast<std::uint8_t>(ip >> (24 - 8 * i));
  }
  address.port = port;
  return address;
}
inline constexpr std::uint32_t kOwnNetwork = 10u << 24;

// An observer of network traffic. It sees all datagrams that the server sends and receives, and all
// that clients send.
class NetworkWatch {
 public:
  virtual ~NetworkWatch() = default;
  virtual void server_sends(const net::Address& to, Bytes datagram) = 0;
  virtual void server_receives(const net::Datagram& datagram) = 0;
  // Called when no more datagrams wait for the server.
  virtual void server_has_heard_all() = 0;
  // Called for datagrams of real clients, even if the path loses them later.
  virtual void client_sends(const net::Address& from, Bytes datagram) = 0;
};

// A network in virtual time. Datagrams to the server wait in a queue, like those in a socket's
// buffer.
class Network {
 public:
  // REQUIRES: the watch outlives the network.
  Network(const net::Address& server, NetworkWatch& watch) : server_(server), watch_(watch) {}

  net::Nanoseconds now = 10 * net::kSecond;

  std::uint64_t unix_seconds() const { return 1'700'000'000 + now / net::kSecond; }
  const net::Address& server() const { return server_; }

  // Delivers datagrams for `address` through `path`. REQUIRES: the path outlives the network, or
  // hang_up() is called before the path ends.
  void listen(const net::Address& address, net::FaultyPath& path) {
    listeners_.push_back({address, &path});
  }
  void hang_up(const net::Address& address) {
    std::erase_if(listeners_, [&](const Listener& l) { return l.address == address; });
  }

  void to_server(const net::Address& from, Bytes datagram, net::FaultyPath& path) {
    watch_.client_sends(from, datagram);
    path.send(from, server_, datagram, now, to_server_);
  }
  void from_server(const net::Address& to, Bytes datagram) {
    watch_.server_sends(to, datagram);
    if (answers_forged_) return forge_to_client(to, datagram);
    for (const Listener& l : listeners_) {
      if (l.address == to) return l.path->send(server_, to, datagram, now, to_clients_);
    }
  }
  // Deliver a datagram with a forged sender. Neither it nor the server's answer has faults: a
  // faulty path would draw random numbers for them. The other datagrams of the client would then
  // have other faults than in a run without the forgery.
  void forge_to_server(const net::Address& from, Bytes datagram) {
    forged_to_server_.put(now, from, server_, datagram);
  }
  void forge_to_client(const net::Address& to, Bytes datagram) {
    to_clients_.put(now, server_, to, datagram);
  }

  // Returns the next datagram for the server, forged ones last. A forged one is never the last of a
  // full receive call: the server sends its periodic messages after that, and they would seem
  // answers to a forgery.
  const net::Datagram* server_takes() {
    const net::Datagram* datagram = to_server_.take(now);
    answers_forged_ = false;
    if (!datagram && taken_ + 1 < server::kDatagramsPerDrain) {
      datagram = forged_to_server_.take(now);
      answers_forged_ = datagram != nullptr;
    }
    taken_ = datagram ? (taken_ + 1) % server::kDatagramsPerDrain : 0;
    if (datagram) {
      watch_.server_receives(*datagram);
    } else {
      watch_.server_has_heard_all();
    }
    return datagram;
  }
  const net::Datagram* clients_take() { return to_clients_.take(now); }
  // Drops the waiting datagrams, as for a server that is down.
  void lose_to_server() {
    while (to_server_.take(now) || forged_to_server_.take(now)) continue;
  }

 private:
  struct Listener {
    net::Address address;
    net::FaultyPath* path;
  };
  static constexpr std::size_t kWaitingMax = 1 << 17;

  const net::Address server_;
  NetworkWatch& watch_;
  std::vector<Listener> listeners_;
  net::DatagramQueue to_server_{kWaitingMax};
  net::DatagramQueue forged_to_server_{kWaitingMax};
  bool answers_forged_ = false;  // the server handles a forged datagram
  int taken_ = 0;                // datagrams so far in the current receive call of the server
  net::DatagramQueue to_clients_{kWaitingMax};
};

// The environment of a server or client: random numbers, clock and cipher.
class Machine : public net::NetEnvironment {
 public:
  // REQUIRES: the network and the cipher outlive the machine.
  Machine(Network& network, const net::Cipher& cipher, std::uint64_t seed)
      : network_(network), cipher_(cipher), random_(seed), hash_key_(random_.next()) {}

  std::uint64_t random() override { return random_.next(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return checksum(bytes, hash_key_); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return network_.unix_seconds(); }

 protected:
  Network& network_;

 private:
  const net::Cipher& cipher_;
  SplitMix64 random_;
  const std::uint64_t hash_key_;
};

class ServerMachine final : public Machine, public net::DatagramSource {
 public:
  using Machine::Machine;

  // Sets the error of the wall clock, in seconds. Positive is fast.
  void set_clock(std::int64_t fast) { fast_ = static_cast<std::uint64_t>(fast); }
  bool is_clock_right() const { return fast_ == 0; }
  std::uint64_t unix_seconds() const override { return Machine::unix_seconds() + fast_; }

  void send(const net::Address& to, Bytes datagram) override {
    const CountsAsTest not_of_the_server;
    network_.from_server(to, datagram);
  }
  std::optional<std::size_t> receive(net::Address& from, std::span<std::uint8_t> into) override {
    const CountsAsTest not_of_the_server;
    const net::Datagram* const datagram = network_.server_takes();
    if (!datagram) return std::nullopt;
    from = datagram->from;
    const std::size_t size = std::min(datagram->bytes.size(), into.size());
    std::copy_n(datagram->bytes.begin(), size, into.begin());
    return size;
  }

 private:
  std::uint64_t fast_ = 0;  // modulo 2^64
};

class ClientMachine final : public Machine {
 public:
  ClientMachine(Network& network, const net::Cipher& cipher, std::uint64_t seed,
                const net::Address& address)
      : Machine(network, cipher, seed),
        up_(mix64(seed + 1), {}),
        down_(mix64(seed + 2), {}),
        address_(address) {
    network_.listen(address_, down_);
  }
  ~ClientMachine() override { network_.hang_up(address_); }
  ClientMachine(const ClientMachine&) = delete;
  ClientMachine& operator=(const ClientMachine&) = delete;

  void send(const net::Address& to, Bytes datagram) override {
    if (to == network_.server()) network_.to_server(address_, datagram, up_);
  }

  const net::Address& address() const { return address_; }
  // Changes the address, as a router that lost its mapping does.
  void move_to(const net::Address& address) {
    network_.hang_up(address_);
    address_ = address;
    network_.listen(address_, down_);
  }
  // Sets the faults of both directions.
  void set_faults(const net::PathFaults& faults) {
    up_.set_faults(faults);
    down_.set_faults(faults);
  }
  net::FaultyPath& up() { return up_; }
  net::FaultyPath& down() { return down_; }

 private:
  net::FaultyPath up_;
  net::FaultyPath down_;
  net::Address address_;
};

}  // namespace orrery::fleet
