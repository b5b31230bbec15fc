// Defines the steps that make up an input of the fuzz target `exchange`.
#pragma once

#include <cstdint>

namespace orrery::fuzz {

// A step is one byte, followed by its arguments, which the comments list before the colon. An
// argument is one byte; `sequence` is a u16, and `bytes` are `count` bytes. Datagrams wait in the
// order in which they were sent. The argument `earlier` names an old datagram by its age: 0 is the
// newest.
enum class ExchangeStep : std::uint8_t {
  wait,               // time: in units of 8 ms
  to_server,          // deliver the client's oldest waiting datagram
  to_client,          // deliver the server's oldest waiting datagram
  lose_to_server,     // lose the client's oldest waiting datagram
  lose_to_client,     // lose the server's oldest waiting datagram
  again_to_server,    // earlier: deliver a datagram of the client again
  again_to_client,    // earlier: deliver a datagram of the server again
  from_elsewhere,     // earlier: deliver a datagram of the client from a stranger's address
  changed_to_server,  // earlier, place, bits: flip bits of a datagram of the client
  changed_to_client,  // earlier, place, bits: flip bits of a datagram of the server
  foreign,            // receiver, count, bytes: send bytes without a key
  say_input,          // the client sends an input
  say_snapshot,       // the server sends a snapshot
  rogue_request,      // the rogue, a hostile client with another token, sends its request
  rogue_response,     // the rogue answers its challenge
  rogue_packet,       // type, sequence, count, bytes: the rogue seals and sends a packet
};
inline constexpr std::uint8_t kExchangeSteps = 16;

}  // namespace orrery::fuzz
