// Simulates a malicious client with a valid token.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/fleet/players/attacker.h"
#include "tests/fleet/players/liar.h"

namespace orrery::fleet {

// A client that attacks the server:
// - with invalid commands, invalid numbers and floods;
// - with a token or a ticket that it uses again, also from another address;
// - with requests from an address where nobody listens, and requests that it abandons at the
//   challenge;
// - with false acknowledgements on a second connection (Liar).
class Hostile final : public Attacker {
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
  // Tries the token of its last connection again, because a server that has restarted may have
  // forgotten it.
  void try_used_token();
  // Leaves for good.
  void go();

 private:
  void connect();
  void begin(const net::ConnectToken& token, bool is_ticket);
  void attack();
  void send_commands(std::uint32_t first, Tick tick, bool spoiled);
  void send_spoiled_query();
  void send_garbage();
  void flood();
  void reuse_token();
  void half_a_handshake();
  void withhold_response();
  void hear(net::ClientEndpoint& endpoint, const net::Datagram& datagram);

  net::ConnectToken token_;                  // of the newest attempt
  bool is_ticket_ = false;                   // whether token_ is a ticket
  std::optional<net::ConnectToken> used_;    // the newest that made a connection; no ticket
  std::optional<net::ConnectToken> ticket_;  // of the newest connection with one
  std::optional<net::ClientEndpoint> endpoint_;
  ClientMachine lure_machine_;
  // a client whose responses the path loses, but the impostor can hear them
  std::optional<net::ClientEndpoint> lure_;
  Liar liar_;
  std::vector<std::uint8_t> message_;
  std::uint32_t sequence_ = 0;
  std::uint32_t forged_ = 0;
};

}  // namespace orrery::fleet
