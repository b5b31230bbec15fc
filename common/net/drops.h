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
  malformed,    // not a packet; a wrong challenge answer; an invalid or untimely message
  misdirected,  // a packet or message type that only clients receive
  stranger,     // a sealed packet from an address without a connection
  impostor,     // a packet from the address of a client or applicant, not sealed with its key
  // A packet that arrived before, is too old for the replay window, or is from an address that a
  // client just left. Also a request with a token that has made a connection, or that arrived from
  // another address before.
  repeated,
  bad_token,           // a token of another protocol or key, or an invalid one
  expired_token,       // a token that is expired, valid for too long, or created in the future
  token_before_start,  // a token that may be older than this run of the server
  other_server,        // a token that does not name this server
  // A request from the address of another client or applicant, or with an older token than the one
  // with which the client is connected or is being challenged. A response from a connected address.
  connected,
  flood,      // exceeds a rate limit of a client or network, or finds a table of the gate full
  false_ack,  // acknowledges a message that was never sent
};
inline constexpr std::size_t kDrops = 12;

// Returns the name of a reason, as metrics and the server's log print it.
constexpr std::string_view drop_name(Drop drop) {
  constexpr std::array<std::string_view, kDrops> kNames = {
      "malformed",     "misdirected",        "stranger",     "impostor",  "repeated", "bad_token",
      "expired_token", "token_before_start", "other_server", "connected", "flood",    "false_ack"};
  static_assert(static_cast<std::size_t>(Drop::false_ack) + 1 == kDrops);
  ORRERY_ASSERT(static_cast<std::size_t>(drop) < kNames.size());
  return kNames[static_cast<std::size_t>(drop)];
}

}  // namespace orrery::net
