// Simulates a malicious client with a valid token.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "common/net/client_endpoint.h"
#include "tests/fleet/checks/invariants.h"
#include "tests/fleet/players/issuer.h"
#include "tests/fleet/players/liar.h"

namespace orrery::fleet {

// A client that attacks the server:
// - with invalid commands, invalid numbers and floods;
// - with a token that it uses again from another address;
// - with requests from an address where nobody listens, and requests whose challenge it never
//   answers;
// - with a second connection, whose acknowledgements are lies (Liar).
class Hostile {
 public:
  // REQUIRES: all references outlive the client.
  Hostile(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
          std::uint64_t seed, std::uint32_t number);

  bool listens_at(const net::Address& address) const {
    return address == machine_.address() || address == lure_machine_.address() ||
           address == liar_.address();
  }
  void receive(const net::Datagram& datagram);
  // Runs the attacks. Call it 60 times in every virtual second.
  void update();
  // Leaves for good.
  void go();

 private:
  void connect();
  void attack();
  void send_commands(std::uint32_t first, Tick tick, bool spoiled);
  void send_spoiled_query();
  void send_garbage();
  void flood();
  void reuse_token();
  void half_a_handshake();
  void withhold_response();
  void hear(net::ClientEndpoint& endpoint, const net::Datagram& datagram);

  Network& network_;
  Issuer& issuer_;
  Invariants& invariants_;
  SplitMix64 random_;
  const std::uint32_t number_;
  ClientMachine machine_;
  net::ConnectToken token_;
  std::optional<net::ClientEndpoint> endpoint_;
  ClientMachine lure_machine_;
  // a client whose responses the path loses, but the impostor can hear them
  std::optional<net::ClientEndpoint> lure_;
  Liar liar_;
  std::deque<Session> sessions_;
  std::vector<std::uint8_t> message_;
  std::uint32_t sequence_ = 0;
  std::uint32_t forged_ = 0;
  bool was_connected_ = false;
  bool gone_ = false;
};

}  // namespace orrery::fleet
