// Defines the steps that make up an input of the fuzz target `exchange`.
#pragma once

#include <cstdint>

namespace orrery::fuzz {

// A step is one byte, followed by its arguments, which the comments list before the colon. An
// argument is one byte, except `sequence` (two bytes) and `bytes`. Datagrams wait in the order in
// which they were sent. The arguments mean:
// - time: in units of 8 ms;
// - age: number of datagrams that the same sender sent after the chosen one; 0: the newest;
// - place: index of a byte in the datagram; mask: the bits of this byte that flip;
// - receiver: 0: the client; 1: the server, from the client's address; 2: the server, from a
//   stranger's address;
// - type: of a packet, counted from the response packet; sequence: its packet sequence;
// - count: number of `bytes`.
// Numbers beyond the last possible value are reduced modulo the number of values.
enum class ExchangeStep : std::uint8_t {
  wait,               // time: let this time pass
  to_server,          // deliver the client's oldest waiting datagram
  to_client,          // deliver the server's oldest waiting datagram
  lose_to_server,     // lose the client's oldest waiting datagram
  lose_to_client,     // lose the server's oldest waiting datagram
  again_to_server,    // age: deliver a datagram of the client again
  again_to_client,    // age: deliver a datagram of the server again
  from_elsewhere,     // age: deliver a datagram of the client from a stranger's address
  changed_to_server,  // age, place, mask: deliver a changed datagram of the client
  changed_to_client,  // age, place, mask: deliver a changed datagram of the server
  foreign,            // receiver, count, bytes: deliver bytes that nobody sealed
  say_input,          // the client sends an input
  say_snapshot,       // the server sends a snapshot
  rogue_request,      // the rogue, a hostile client with another token, sends its request
  rogue_response,     // the rogue answers its challenge
  rogue_packet,       // type, sequence, count, bytes: the rogue seals and sends a packet
};
inline constexpr std::uint8_t kExchangeSteps = 16;

}  // namespace orrery::fuzz
