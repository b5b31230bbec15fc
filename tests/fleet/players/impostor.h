// Simulates an attacker that copies handshakes and sends them from the same or other addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/rng.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// An attacker on the network. It hears every datagram that clients send, even a lost one. A token
// that it overhears before its first use is valid for the attacker too. With it, the attacker can
// start handshakes that it cannot finish, which changes the course of a run. A stranger without a
// valid token must not change it. At times the attacker *races*: its copies of each packet with
// which a client connects or moves reach the server before the packet itself.
class Impostor {
 public:
  // REQUIRES: the network outlives it.
  Impostor(Network& network, std::uint64_t seed) : network_(network), random_(seed) {}

  // Records a request or response that a client sends, and races it. Ignores packets of
  // connections.
  void hear(const net::Address& from, Bytes datagram);
  // Sends forged datagrams, in about one of 30 calls. Call it 60 times in every virtual second.
  void act();

  // Stops racing.
  void go() { races_until_ = 0; }

  // Number of requests sent.
  std::uint64_t requests() const { return requests_; }

 private:
  struct Handshake {
    net::Address from;
    std::vector<std::uint8_t> request;
    std::vector<std::uint8_t> response;  // empty until one is heard
  };

  const Handshake& any() {
    return heard_[random_.below(static_cast<std::uint32_t>(heard_.size()))];
  }
  net::Address any_name();
  void race(Bytes datagram);

  Network& network_;
  SplitMix64 random_;
  std::vector<Handshake> heard_;        // ring buffer
  std::size_t next_ = 0;                // handshakes recorded so far
  net::Address name_;                   // address of its last request
  std::vector<std::uint8_t> response_;  // to be sent by the next call of act()
  net::Nanoseconds races_until_ = 0;
  std::uint64_t requests_ = 0;
};

}  // namespace orrery::fleet
