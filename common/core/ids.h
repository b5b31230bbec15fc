// Owns the strong integer types that name things: ticks, bodies, clients, command sequences.
#pragma once

#include <compare>
#include <cstdint>

namespace orrery {

// An integer that converts to no other id. `value` is what travels on the wire and in logs.
template <class Tag, class Integer>
struct Id {
  Integer value = 0;

  friend constexpr auto operator<=>(Id, Id) = default;
};

// Tick 0 is the initial state; tick T is the step that turns state T-1 into state T.
using Tick = Id<struct TickTag, std::uint64_t>;

// Names a body for its whole life: the slot that it occupies in the low kSlotBits bits, and above
// them how often that slot has been reused. Scene bodies have generation 0: their id is their slot.
using BodyId = Id<struct BodyTag, std::uint32_t>;

// The server is client 0; the client in connection slot s is client s + 1.
using ClientId = Id<struct ClientTag, std::uint32_t>;

// Numbers a client's commands 1, 2, ...; order inside a tick is (client, sequence).
using Sequence = Id<struct SequenceTag, std::uint32_t>;

inline constexpr std::uint32_t kSlotBits = 20;

constexpr std::uint32_t slot_of(BodyId id) { return id.value & ((1u << kSlotBits) - 1); }
constexpr std::uint32_t generation_of(BodyId id) { return id.value >> kSlotBits; }
constexpr BodyId make_body_id(std::uint32_t slot, std::uint32_t generation) {
  return BodyId{slot | generation << kSlotBits};
}

inline constexpr ClientId kServer{0};

}  // namespace orrery
