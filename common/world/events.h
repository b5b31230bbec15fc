// Events of a tick: contacts of two bodies that began or ended, hits, and sensors that were
// reached, left or crossed.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/ids.h"
#include "common/math/vec3.h"

namespace orrery {

struct MutableWorld;

// The kind of an event. Events of one pair of parts are reported in this order.
enum class EventKind : std::uint8_t {
  contact_end,
  sensor_end,
  contact_begin,  // the distance fell below the contact margin
  sensor_begin,
  hit,  // a contact began at kHitSpeed or faster
};
inline constexpr std::size_t kEventKinds = 5;

// Returns the name of a kind: "contact_end", "hit", ...
const char* event_name(EventKind kind);

// Speed, in lengths per time unit, from which a new contact counts as a hit.
inline constexpr double kHitSpeed = 1;

// An event between two parts of two bodies, where slot of a < slot of b. An end event names a
// removed body by the id that it had.
struct WorldEvent {
  EventKind kind = EventKind::contact_begin;
  BodyId a;
  BodyId b;
  std::uint16_t part_a = 0;  // index into the shape of a
  std::uint16_t part_b = 0;
  // The next three fields are set only for a hit.
  double speed = 0;  // closing speed of the surfaces at the nearest point
  Vec3 at;           // the nearest point, world frame
  Vec3 normal;       // from a to b, world frame, unit length

  friend bool operator==(const WorldEvent&, const WorldEvent&) = default;
};

// The events of the last tick. They follow from the states before and after it and are not part of
// the state.
struct Events {
  // Changes of contacts, ascending by slots, then parts, then kind. Then the sensors that were
  // crossed within the tick, ascending by slots and parts: a begin and an end of each.
  std::vector<WorldEvent> list;
  std::uint64_t left_out = 0;   // events beyond limits::kEventsMax in the last tick
  std::vector<BodyId> removed;  // scratch: bodies that commands removed in this tick
};

// Replaces world.events by the changes of contacts in this tick.
// REQUIRES: the contacts of this tick were found.
void collect_events(MutableWorld& world);

// Adds the crossings of sensors of this tick to world.events.
// REQUIRES: they were found.
void add_crossings(MutableWorld& world);

}  // namespace orrery
