// Writes events into an array of the caller.
#include "client/api/events.h"

#include "client/api/structs.h"
#include "client/api/world_handle.h"

namespace orrery::api {
namespace {

static_assert(ORRERY_CONTACT_END == static_cast<int>(EventKind::contact_end) &&
              ORRERY_SENSOR_END == static_cast<int>(EventKind::sensor_end) &&
              ORRERY_CONTACT_BEGIN == static_cast<int>(EventKind::contact_begin) &&
              ORRERY_SENSOR_BEGIN == static_cast<int>(EventKind::sensor_begin) &&
              ORRERY_HIT == static_cast<int>(EventKind::hit) &&
              ORRERY_JOINT_BROKE == static_cast<int>(EventKind::joint_broke) &&
              ORRERY_LEFT_BOUNDS == static_cast<int>(EventKind::left_bounds) &&
              ORRERY_FELL_ASLEEP == static_cast<int>(EventKind::fell_asleep) &&
              ORRERY_WOKE == static_cast<int>(EventKind::woke));

orrery_event event_out(const Space& space, const WorldEvent& from) {
  orrery_event event{};
  event.kind = static_cast<std::int32_t>(from.kind);
  event.a = from.a.value;
  event.b = from.b.value;
  event.part_a = from.kind == EventKind::joint_broke ? from.joint : from.part_a;
  event.part_b = from.part_b;
  event.speed = space.units * from.speed;
  if (from.kind != EventKind::hit) return event;
  store(space.position_out(from.at), event.position);
  store(space.axes_out(from.normal), event.normal);
  return event;
}

}  // namespace

std::int32_t write_events(Handle& handle, const std::vector<WorldEvent>& list, orrery_event* to,
                          std::uint32_t capacity) {
  return give_list(handle, list, to, capacity, "event",
                   [&](const WorldEvent& from) { return event_out(handle.space, from); });
}

}  // namespace orrery::api

using namespace orrery::api;  // NOLINT: all functions of this file are of the C interface

int32_t orrery_world_events(orrery_world* world, orrery_event* events, uint32_t capacity) {
  return guarded(world, [&](orrery_world& w) {
    return write_events(w, w.world().events().list, events, capacity);
  });
}
