// Owns the reasons for which a server drops datagrams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

enum class Drop : std::uint8_t {
  malformed,      // not a packet, or its message is not sound
  misdirected,    // a packet that only clients take
  stranger,       // sealed, from an address without a connection
  impostor,       // from a connected address, but not sealed with its key
  repeated,       // came before, or is too old to tell; of a token: used, or at another address
  bad_token,      // of another protocol or key, or not sound
  expired_token,  // or one that lives too long, or that was made later than now
  token_before_start,  // a token that may be older than this run of the server
  other_server,        // a token that does not name this server
  connected,           // a request of an address or a client that is connected, or about to be
  flood,  // more than a client or a network may send, or than there is room to remember
};
inline constexpr std::size_t kDrops = 11;

constexpr std::string_view drop_name(Drop drop) {
  constexpr std::array<std::string_view, kDrops> kNames = {
      "malformed",     "misdirected",        "stranger",     "impostor",  "repeated", "bad_token",
      "expired_token", "token_before_start", "other_server", "connected", "flood"};
  return kNames[static_cast<std::size_t>(drop)];
}

}  // namespace orrery
