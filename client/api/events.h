// Writes events into an array of the caller.
#pragma once

#include <cstdint>
#include <vector>

#include "client/api/handle.h"
#include "common/world/events.h"

namespace orrery::api {

// Writes all events, in the space of the handle, or none: `to` has room for `capacity` of them.
std::int32_t write_events(Handle& handle, const std::vector<WorldEvent>& list, orrery_event* to,
                          std::uint32_t capacity);

}  // namespace orrery::api
