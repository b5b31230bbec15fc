// Defines the steps that make up an input of the fuzz target `exchange`.
#pragma once

#include <cstdint>

namespace orrery::fuzz {

// A step and its arguments, which follow it. An argument is one byte; `sequence` is a u16, and
// `bytes` are `count` bytes. Datagrams wait in the order in which they were sent. The argument
// `earlier` names an old datagram by its age: 0 is the newest.
enum class ExchangeStep : std::uint8_t {
  wait,               // time: in units of 8 ms
  to_server,          // deliver the client's oldest datagram
  to_client,          // deliver the server's oldest datagram
  lose_to_server,     // lose the client's oldest datagram
  lose_to_client,     // lose the server's oldest datagram
  again_to_server,    // earlier: deliver a datagram of the client again
  again_to_client,    // earlier: deliver a datagram of the server again
  from_elsewhere,     // earlier: deliver a datagram of the client from a stranger's address
  changed_to_server,  // earlier, place, bits: flip bits of a datagram of the client
  changed_to_client,  // earlier, place, bits: flip bits of a datagram of the server
  foreign,            // receiver, count, bytes: send bytes without a key
  say_input,          // the client sends an input
  say_snapshot,       // the server sends a snapshot
  rogue_request,      // another client with a token, which may break the rules, sends its request
  rogue_response,     // that client answers its challenge
  rogue_packet,       // type, sequence, count, bytes: that client seals any packet
};
inline constexpr std::uint8_t kExchangeSteps = 16;

}  // namespace orrery::fuzz
