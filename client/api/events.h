// Writes events into an array of the caller.
#pragma once

#include <cstdint>
#include <vector>

#include "client/api/handle.h"
#include "common/world/events.h"

namespace orrery::api {

// Writes all events to `to`, in the space of the handle. Writes none, and returns the code of the
// error, if there are more than `capacity` or `to` is unusable.
std::int32_t write_events(Handle& handle, const std::vector<WorldEvent>& list, orrery_event* to,
                          std::uint32_t capacity);

}  // namespace orrery::api
