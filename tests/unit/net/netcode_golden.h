// Holds the token and the keys of the golden bytes of netcode, from a second implementation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/host/net/sodium_cipher.h"
#include "common/net/packet/connect_token.h"
#include "tests/support/golden_bytes.h"

namespace orrery::test {

using Buffer = std::vector<std::uint8_t>;

inline constexpr std::uint64_t kProtocol = 0x1122334455667788;
inline constexpr std::uint64_t kClient = 0x0102030405060708;
inline const host::SodiumCipher kCipher;

template <std::size_t kCount>
std::array<std::uint8_t, kCount> counting(std::size_t first) {
  std::array<std::uint8_t, kCount> bytes;
  for (std::size_t i = 0; i < kCount; ++i) bytes[i] = static_cast<std::uint8_t>(first + i);
  return bytes;
}

inline const net::Key kShared = counting<32>(1);
inline const net::Key kToServer = counting<32>(64);
inline const net::Key kToClient = counting<32>(128);
inline const net::Key kChallenges = counting<32>(192);

// Returns the golden bytes of a token or packet.
inline const Buffer& golden(const std::string& name) {
  static const auto all = test::read_golden_bytes("netcode/packets.txt");
  return all.at(name);
}

inline net::Address ipv4(std::uint8_t last, std::uint16_t port) {
  net::Address address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, last}, port};
  return address;
}

// Returns the private part of the token in the golden bytes.
inline net::PrivateToken private_token() {
  net::PrivateToken token{.client_id = kClient,
                          .timeout_seconds = 5,
                          .client_to_server = kToServer,
                          .server_to_client = kToClient};
  token.servers.add(ipv4(1, 4770));
  token.servers.add({{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 4771});
  const auto rest = counting<255>(0);
  token.user_data[0] = 1;
  std::copy(rest.begin(), rest.end(), token.user_data.begin() + 1);
  return token;
}

inline const net::TokenHead kHead{kProtocol, 1700000045, counting<24>(33)};

// Returns the whole token in the golden bytes.
inline net::ConnectToken connect_token() {
  const net::PrivateToken token = private_token();
  return net::make_connect_token(kCipher, kShared, kHead, 1700000000, token, token.servers);
}

}  // namespace orrery::test
