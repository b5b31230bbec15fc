// The outside world of a client: it gives a cipher, random bits and the time, and takes datagrams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "client/lib/connect_failure.h"
#include "common/net/environment.h"

namespace orrery::client {

// The cipher, randomness and clock of a client. REQUIRES: the first three members are set.
struct ClientEnvironment {
  const net::Cipher* cipher = nullptr;
  std::function<std::uint64_t()> random;        // 64 unpredictable bits
  std::function<std::uint64_t()> unix_seconds;  // the system's clock
  // The last report of the network about the server's address. It changes only what the client says
  // about the cause of a failure (Client::attempt(), problem() and failure()), because anybody can
  // forge an ICMP message.
  std::function<Reach()> reach = [] { return Reach::no_report; };
};

// A datagram to send.
struct Outgoing {
  net::Address to;
  Bytes bytes;
  // The route by which it leaves: 1, 2, ... A caller with sockets opens a new socket for each
  // route, because the address of this machine may have changed. Other callers ignore it.
  std::uint32_t route = 0;
};

// The datagrams that a client wants to send, until its caller takes them.
class SendQueue final : public net::NetEnvironment {
 public:
  // Maximum number of waiting datagrams. Further datagrams are lost, as if the network had lost
  // them.
  static constexpr std::size_t kWaitingMax = 256;

  explicit SendQueue(ClientEnvironment environment) : environment_(std::move(environment)) {
    ORRERY_ASSERT(environment_.cipher && environment_.random && environment_.unix_seconds &&
                  environment_.reach);
  }

  // Returns the next datagram, valid until the next call; nothing if none waits.
  std::optional<Outgoing> take() {
    if (next_ == waiting_.size()) {
      waiting_.clear();
      bytes_.clear();
      next_ = 0;
      return std::nullopt;
    }
    const Waiting& w = waiting_[next_++];
    return Outgoing{w.to, Bytes(bytes_).subspan(w.begin, w.size), w.route};
  }

  void send(const net::Address& to, Bytes datagram) override {
    if (waiting_.size() - next_ == kWaitingMax) return;
    if (next_ >= kWaitingMax) drop_taken();
    waiting_.push_back({to, bytes_.size(), datagram.size(), route_});
    bytes_.insert(bytes_.end(), datagram.begin(), datagram.end());
  }
  std::uint32_t open_route() override { return ++routes_; }
  void use_route(std::uint32_t route) override {
    ORRERY_ASSERT(route >= 1 && route <= routes_);
    route_ = route;
  }
  std::uint64_t random() override { return environment_.random(); }
  // A server hashes with a secret key, because an attacker could otherwise fill its tables. A
  // client has no such tables.
  std::uint64_t keyed_hash(Bytes) const override { return 0; }
  const net::Cipher& cipher() const override { return *environment_.cipher; }
  std::uint64_t unix_seconds() const override { return environment_.unix_seconds(); }
  // Returns what the network reported about the server's address.
  Reach reach() const { return environment_.reach(); }

 private:
  struct Waiting {
    net::Address to;
    std::size_t begin = 0;  // in bytes_
    std::size_t size = 0;
    std::uint32_t route = 0;
  };

  // Frees the memory of datagrams that were taken, so that it stays bounded.
  void drop_taken() {
    const std::size_t begin = next_ < waiting_.size() ? waiting_[next_].begin : bytes_.size();
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(next_));
    for (Waiting& w : waiting_) w.begin -= begin;
    next_ = 0;
  }

  ClientEnvironment environment_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint8_t> bytes_;
  std::size_t next_ = 0;
  std::uint32_t routes_ = 0;  // number of routes so far
  std::uint32_t route_ = 0;   // the route in use
};

}  // namespace orrery::client
