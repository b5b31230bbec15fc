// Owns those who may not connect: nothing that they send is good, however close it comes.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fleet/network.h"
#include "tests/fleet/players/issuer.h"

namespace orrery::fleet {

// They hear what goes over the wires, and send junk, copies of what has already come, damaged
// copies, and requests with tokens that are no good; from anywhere, or in the name of a client.
class Strangers {
 public:
  // Network and issuer outlive them.
  Strangers(Network& network, Issuer& issuer, std::uint64_t seed)
      : network_(network), issuer_(issuer), random_(seed) {}

  // What the server, or a client, has taken from its socket, undamaged.
  void hear(const net::Datagram& datagram) { keep(datagram, to_server_); }
  void hear_at_client(const net::Datagram& datagram) { keep(datagram, to_clients_); }

  // Once in every tick.
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
