// Simulates an attacker that records handshakes and replays them from the same or other addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/rng.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// An attacker on the network. It hears every datagram that clients send, even a lost one. A token
// that it overhears before its first use is valid for the attacker too. With it, the attacker can
// keep the owner of the token out until the server's wait for a response times out. The attacker
// may therefore change the course of a run. A stranger without a valid token must not.
class Impostor {
 public:
  // REQUIRES: the network outlives it.
  Impostor(Network& network, std::uint64_t seed) : network_(network), random_(seed) {}

  // Records a request or response that a client sends. Ignores other datagrams.
  void hear(const net::Address& from, Bytes datagram);
  // Sends forged datagrams, in about one of 30 calls. Call it 60 times in every virtual second.
  void act();

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

  Network& network_;
  SplitMix64 random_;
  std::vector<Handshake> heard_;        // ring buffer
  std::size_t next_ = 0;                // handshakes recorded so far
  net::Address name_;                   // address of its last request
  std::vector<std::uint8_t> response_;  // to be sent by the next call of act()
  std::uint64_t requests_ = 0;
};

}  // namespace orrery::fleet
