// Writes the last seconds of a session, from a flight recorder, as a log. Describes the flights of
// followers.
#pragma once

#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/flight/flight.h"
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

// A saved flight.
struct SavedFlight {
  session::Divergence found;  // a is the server, b the follower
  Result<std::string> file;   // path of the log, or the reason why it was not saved
};

// Explains the flight of a follower and saves it as a log (write_flight).
SavedFlight save_flight(const session::Flight& flight, const std::string& path);

// Returns "body 37, velocity.x: 1.5 here, 1.25 there; the last ten seconds are in FILE", without
// the body if the difference is not known, or with the reason why there is no file.
std::string describe(const SavedFlight& saved);

// Saves the flight of a follower as `follower.flight-TICK` in the working folder, and describes it.
std::string save_and_describe(const session::Flight& flight);

}  // namespace orrery::host
