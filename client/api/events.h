// Writes events into an array of the caller.
#pragma once

#include <cstdint>
#include <vector>

#include "client/api/handle.h"
#include "common/world/events.h"

namespace orrery::api {

// Writes all events to `to`, in the space of the handle. If there are more than `capacity`, or `to`
// is unusable, writes none and returns the code of the error.
std::int32_t write_events(Handle& handle, const std::vector<WorldEvent>& list, orrery_event* to,
                          std::uint32_t capacity);

}  // namespace orrery::api
