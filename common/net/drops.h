// Lists the reasons for which a server drops a datagram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/core/assert.h"

namespace orrery::net {

// A reason for which a server drops a datagram. NetCounters counts each of them.
enum class Drop : std::uint8_t {
  malformed,      // not a packet, or its message does not decode
  misdirected,    // a packet type that only clients receive
  stranger,       // sealed, from an address without a connection
  impostor,       // from a connected address, but not sealed with its key
  repeated,       // a repeat, or too old to know; for a token: used, or seen at another address
  bad_token,      // of another protocol or key, or invalid
  expired_token,  // expired, valid for too long, or created in the future
  token_before_start,  // a token that may be older than this run of the server
  other_server,        // a token that does not name this server
  connected,  // a request from an address or client that is already connected, or about to be
  flood,      // over a limit of a client or network, or no room to remember it
};
inline constexpr std::size_t kDrops = 11;

// Returns the name of a reason, as metrics and the server's log print it.
constexpr std::string_view drop_name(Drop drop) {
  constexpr std::array<std::string_view, kDrops> kNames = {
      "malformed",     "misdirected",        "stranger",     "impostor",  "repeated", "bad_token",
      "expired_token", "token_before_start", "other_server", "connected", "flood"};
  static_assert(static_cast<std::size_t>(Drop::flood) + 1 == kDrops);
  ORRERY_ASSERT(static_cast<std::size_t>(drop) < kNames.size());
  return kNames[static_cast<std::size_t>(drop)];
}

}  // namespace orrery::net
