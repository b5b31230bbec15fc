// Simulates strangers. They have no valid token, and must not be able to affect a session.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fleet/network.h"
#include "tests/fleet/players/issuer.h"

namespace orrery::fleet {

// Attackers that record datagrams on the network. They send the server random bytes, replays,
// damaged replays and requests with invalid tokens, from a random address or from a client's. They
// also replay the server's datagrams to clients, in the server's name.
class Strangers {
 public:
  // REQUIRES: the network and the issuer outlive the strangers.
  Strangers(Network& network, Issuer& issuer, std::uint64_t seed)
      : network_(network), issuer_(issuer), random_(seed) {}

  // Records one in 16 of the undamaged datagrams that the server or a client has received.
  void hear(const net::Datagram& datagram) { keep(datagram, to_server_); }
  void hear_at_client(const net::Datagram& datagram) { keep(datagram, to_clients_); }

  // Sends forged datagrams. Call it 60 times in every virtual second.
  void act();

  std::uint64_t sent() const { return sent_; }

 private:
  struct Heard {
    net::Nanoseconds at = 0;
    net::Address from;
    net::Address to;
    std::vector<std::uint8_t> bytes;
  };

  void keep(const net::Datagram& datagram, std::vector<Heard>& ring);
  const Heard* any(const std::vector<Heard>& ring);
  void say(const net::Address& from, Bytes bytes);
  net::Address anywhere();

  void send_junk();
  void send_shaped_junk();
  void send_request();
  void replay();
  void replay_to_client();
  void send_damaged_copy();

  Network& network_;
  Issuer& issuer_;
  SplitMix64 random_;
  std::vector<Heard> to_server_;
  std::vector<Heard> to_clients_;
  std::uint64_t heard_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace orrery::fleet
