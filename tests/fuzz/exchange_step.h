// Owns the steps of which an input of the fuzz target `exchange` is made.
#pragma once

#include <cstdint>

namespace orrery::fuzz {

// The bytes that follow each, if any, stand behind it. Datagrams wait in the order in which they
// were sent; `earlier` ones are named by how long ago they were.
enum class ExchangeStep : std::uint8_t {
  wait,               // units of 8 ms
  to_server,          // the client's oldest datagram arrives
  to_client,          // the server's does
  lose_to_server,     // it does not
  lose_to_client,     //
  again_to_server,    // earlier: one of the client's arrives once more
  again_to_client,    // earlier: one of the server's
  from_elsewhere,     // earlier: one of the client's, from a stranger's address
  changed_to_server,  // earlier, place, bits: with some bits flipped
  changed_to_client,  // the same
  foreign,            // whom to, count, bytes: from nobody that has a key
  say_input,          // the client has something to say
  say_snapshot,       // the server has
  rogue_request,      // another client, which has a token and need not keep to the rules
  rogue_response,     // it answers its challenge
  rogue_packet,       // type, sequence, count, bytes: it seals something
};
inline constexpr std::uint8_t kExchangeSteps = 16;

}  // namespace orrery::fuzz
