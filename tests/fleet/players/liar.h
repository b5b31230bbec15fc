// Simulates a client that acknowledges messages which it has not received.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/fleet/players/attacker.h"
#include "tests/support/bots/hostile_readers.h"

namespace orrery::fleet {

// A client with a valid token that only watches. In each connection it either reads no messages,
// and acknowledges some all the same, or it acknowledges old frames of mode delta. It checks the
// datagrams that the server sends to it.
class Liar final : public Attacker {
 public:
  // REQUIRES: all references outlive the client.
  Liar(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
       std::uint64_t seed, std::uint32_t number);

  void receive(const net::Datagram& datagram);
  // Sends what is due. Call it 60 times in every virtual second.
  void update();
  // Falls silent for good.
  void go() { gone_ = true; }

 private:
  void connect();
  const net::ClientEndpoint& endpoint() const {
    return blind_ ? blind_->endpoint() : frames_->endpoint();
  }
  void check_acknowledgements();
  void check_baselines();

  // The connection is one of these two.
  std::optional<test::BlindReader> blind_;
  std::optional<test::FrameReader> frames_;
  net::Nanoseconds until_ = 0;  // when it connects again
};

}  // namespace orrery::fleet
