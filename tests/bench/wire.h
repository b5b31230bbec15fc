// Owns the ends of connections that benchmarks have in memory: addresses, and what is sent.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/bench/tokens.h"

namespace orrery::bench {

using Buffer = std::vector<std::uint8_t>;

// Keeps what is sent.
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

// On this machine, whose requests are not limited: the dearest case.
inline net::Address address_of(std::uint32_t number) {
  net::Address address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 1, 0, 1}, 1};
  address.ip[14] = static_cast<std::uint8_t>(number >> 8);
  address.ip[15] = static_cast<std::uint8_t>(number);
  return address;
}

// Of a server that has such an address too.
inline net::Access access_of_server() {
  net::Access access;
  access.address = address_of(0xffff);
  access.key_is_fresh = true;
  return access;
}

}  // namespace orrery::bench
