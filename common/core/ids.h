// Strong integer types for ticks, bodies, clients and command sequence numbers.
#pragma once

#include <compare>
#include <cstdint>

namespace orrery {

// An integer that does not convert to any other kind of id. `value` is the number on the wire and
// in logs.
template <class Tag, class Integer>
struct Id {
  Integer value = 0;

  friend constexpr auto operator<=>(Id, Id) = default;
};

// The number of a tick, and of the state after it. Tick 0 is the initial state; tick T is the step
// from state T-1 to state T.
using Tick = Id<struct TickTag, std::uint64_t>;

// The id of a body, which it keeps for its whole life. The low kSlotBits bits are its slot. The
// bits above are the generation: the number of bodies that were removed from that slot before.
// Bodies of the scene have generation 0, so their id equals their slot. After the highest
// generation comes 1, so a spawned body never gets the id of a body of the scene.
using BodyId = Id<struct BodyTag, std::uint32_t>;

// The id of a client or of the server. The server has id 0. The client in connection slot s, one of
// the server's places for clients, has id s + 1.
using ClientId = Id<struct ClientTag, std::uint32_t>;

// The number of a command, counted for each client: 1, 2, ... A tick applies commands in ascending
// order of (client, sequence).
using Sequence = Id<struct SequenceTag, std::uint32_t>;

// Bits of a BodyId that hold the slot.
inline constexpr std::uint32_t kSlotBits = 20;

// Split a BodyId into its parts, and build one from them. REQUIRES: slot < 2^kSlotBits and
// generation < 2^(32 - kSlotBits).
constexpr std::uint32_t slot_of(BodyId id) { return id.value & ((1u << kSlotBits) - 1); }
constexpr std::uint32_t generation_of(BodyId id) { return id.value >> kSlotBits; }
constexpr BodyId make_body_id(std::uint32_t slot, std::uint32_t generation) {
  return BodyId{slot | generation << kSlotBits};
}

// The client id of the server.
inline constexpr ClientId kServer{0};

}  // namespace orrery
