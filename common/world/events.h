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
  hit,          // a contact began at kHitSpeed or faster
  joint_broke,  // its load was too large (JointDef::break_force)
  // Events of one body.
  left_bounds,  // its centre is outside the bounds of the scene, and was not before
  fell_asleep,  // if the scene asks for it (Scene::sleep_events)
  woke,
};
inline constexpr std::size_t kEventKinds = 9;

// Returns true for an event of one body. Its id is in both fields of the event.
constexpr bool is_of_one_body(EventKind kind) { return kind >= EventKind::left_bounds; }

// Returns the name of a kind: "contact_end", "hit", ...
const char* event_name(EventKind kind);

// Speed, in lengths per time unit, from which a new contact counts as a hit.
inline constexpr double kHitSpeed = 1;

// An event between two parts of two bodies, where slot of a < slot of b, of the bodies a and b of a
// joint, or of one body. An end event names a removed body by the id that it had.
struct WorldEvent {
  EventKind kind = EventKind::contact_begin;
  BodyId a;
  BodyId b;
  std::uint16_t part_a = 0;  // index into the shape of a
  std::uint16_t part_b = 0;
  // The next three fields are set only for a hit.
  double speed = 0;         // closing speed of the surfaces at the nearest point
  Vec3 at;                  // the nearest point, world frame
  Vec3 normal;              // from a to b, world frame, unit length
  std::uint32_t joint = 0;  // of joint_broke: its place in the scene's list

  friend bool operator==(const WorldEvent&, const WorldEvent&) = default;
};

// The events of the last tick. They follow from the states before and after it and are not part of
// the state.
struct Events {
  // Changes of contacts, ascending by slots, then parts, then kind. Then the sensors that were
  // crossed within the tick, ascending by slots and parts: a begin and an end of each. Then the
  // joints that broke, ascending. Then the events of one body, by kind, each ascending by slot.
  std::vector<WorldEvent> list;
  std::uint64_t left_out = 0;   // events beyond limits::kEventsMax in the last tick
  std::vector<BodyId> removed;  // scratch: bodies that commands removed in this tick
  // Scratch: the bodies outside the bounds and asleep, before and after this tick, ascending by
  // slot. Empty if the scene does not ask for their events.
  struct {
    std::vector<BodyId> outside;
    std::vector<BodyId> asleep;
  } before, after;
};

// Replaces world.events by the changes of contacts in this tick.
// REQUIRES: the contacts of this tick were found.
void collect_events(MutableWorld& world);

// Adds the crossings of sensors of this tick to world.events.
// REQUIRES: they were found.
void add_crossings(MutableWorld& world);

// Breaks the joints that this tick has overloaded, wakes their bodies, and adds the events.
void break_overloaded_joints(MutableWorld& world);

// Begin and end the search for events of one body. Call the first before the commands of a tick,
// and the second at its end. The first removes the events of the tick before.
void begin_body_events(MutableWorld& world);
void add_body_events(MutableWorld& world);

}  // namespace orrery
