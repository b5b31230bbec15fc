// Owns what a tick reports of bodies that have met or parted.
#pragma once

#include <cstdint>
#include <vector>

#include "common/core/ids.h"
#include "common/math/vec3.h"

namespace orrery {

struct World;

// In the order in which those of two parts are reported.
enum class EventKind : std::uint8_t {
  contact_end,
  sensor_end,
  contact_begin,  // from a distance of kContactMargin on
  sensor_begin,
  hit,  // a contact has begun at kHitSpeed or more
};
inline constexpr std::size_t kEventKinds = 5;

// "contact_end", "hit", ...
const char* event_name(EventKind kind);

// Speed, in lengths of the scene per time unit, at which surfaces meet that makes it a hit.
inline constexpr double kHitSpeed = 1;

// Of two parts of two bodies, slot of a < slot of b. A body that was removed is named as it was.
struct WorldEvent {
  EventKind kind = EventKind::contact_begin;
  BodyId a;
  BodyId b;
  std::uint16_t part_a = 0;  // of the shape of a
  std::uint16_t part_b = 0;
  // Of a hit:
  double speed = 0;  // at which the surfaces come nearer, at the nearest point
  Vec3 at;           // that point, world frame
  Vec3 normal;       // from a to b, world frame, unit length

  friend bool operator==(const WorldEvent&, const WorldEvent&) = default;
};

// What the last tick reports: a function of the states before and after it, and no part of either.
struct Events {
  std::vector<WorldEvent> list;  // ascending: slots, parts, kind
  std::uint64_t left_out = 0;    // of the last tick: beyond limits::kEventsMax
  std::vector<BodyId> removed;   // scratch
};

// Replaces world.events by what the contacts of this tick have come to. After they were found.
void collect_events(World& world);

}  // namespace orrery
