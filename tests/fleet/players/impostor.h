// Owns who overhears handshakes, and says them again in anybody's name.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/rng.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// It hears what clients send, also what is lost on its way. A token that has made no session yet is
// good in its hands too: it can keep its owner out, for as long as the server waits for an answer.
// So it is no stranger, without whom all would be the same.
class Impostor {
 public:
  // The network outlives it.
  Impostor(Network& network, std::uint64_t seed) : network_(network), random_(seed) {}

  void hear(const net::Address& from, Bytes datagram);
  // Once in every tick.
  void act();

  // Requests that it has sent.
  std::uint64_t requests() const { return requests_; }

 private:
  struct Handshake {
    net::Address from;
    std::vector<std::uint8_t> request;
    std::vector<std::uint8_t> response;  // empty if there was none yet
  };

  const Handshake& any() {
    return heard_[random_.below(static_cast<std::uint32_t>(heard_.size()))];
  }
  net::Address any_name();

  Network& network_;
  SplitMix64 random_;
  std::vector<Handshake> heard_;        // a ring
  std::size_t next_ = 0;                // in the ring
  net::Address name_;                   // under which it asked
  std::vector<std::uint8_t> response_;  // that is to follow
  std::uint64_t requests_ = 0;
};

}  // namespace orrery::fleet
