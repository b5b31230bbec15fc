// An environment, addresses and access rules for servers and clients in memory, for benchmarks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/bench/tokens.h"

namespace orrery::bench {

using Buffer = std::vector<std::uint8_t>;

// An environment that keeps the sent datagrams.
class Wire final : public net::NetEnvironment {
 public:
  void send(const net::Address& to, Bytes datagram) override {
    sent.emplace_back(to, Buffer(datagram.begin(), datagram.end()));
  }
  std::uint64_t random() override { return host::random_u64(); }
  std::uint64_t keyed_hash(Bytes bytes) const override { return keyed_hash_(bytes); }
  const net::Cipher& cipher() const override { return cipher_; }
  std::uint64_t unix_seconds() const override { return orrery::host::unix_seconds(); }

  std::vector<std::pair<net::Address, Buffer>> sent;

 private:
  const host::KeyedHash keyed_hash_;
  const host::SodiumCipher cipher_{};
};

// Returns an address on this machine. The server does not limit the rate of requests from it, which
// is the most expensive case.
inline net::Address address_of(std::uint32_t number) {
  net::Address address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 1, 0, 1}, 1};
  address.ip[14] = static_cast<std::uint8_t>(number >> 8);
  address.ip[15] = static_cast<std::uint8_t>(number);
  return address;
}

// Returns the access rules of a server that has an address from address_of().
inline net::Access access_of_server() {
  net::Access access;
  access.address = address_of(0xffff);
  access.key_is_fresh = true;
  return access;
}

}  // namespace orrery::bench
