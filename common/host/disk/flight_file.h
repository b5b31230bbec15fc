// Writes the last seconds of a session, from a flight recorder, as a log.
#pragma once

#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/flight/flight_recorder.h"
#include "common/world/scenes/scene.h"

namespace orrery::host {

// Writes the ticks of a flight recorder as a log and syncs it. PATH holds only the header, and
// PATH.0001 starts at the first image. The log has a checkpoint for each image, so
// `orrery verify PATH` finds the divergence again. If PATH exists, uses PATH-2, PATH-3, ... and
// returns the path used. An Error names the file. REQUIRES: the first tick has an image.
Result<std::string> write_flight(const std::string& path, const Scene& scene,
                                 const std::string& build, const codec::SessionId& session,
                                 const std::vector<session::FlightTick>& ticks,
                                 FileSystem& files = file_system());

}  // namespace orrery::host
