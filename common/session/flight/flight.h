// The last ticks of a follower, up to the first in which it differs from its server.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/core/executor.h"
#include "common/session/explain/divergence.h"
#include "common/session/flight/flight_recorder.h"
#include "common/session/follow_messages.h"

namespace orrery::session {

// Limit for all images in the flight recorder of a follower.
inline constexpr std::size_t kFollowerFlightBytesMax = std::size_t{64} << 20;

// The flight of a follower.
struct Flight {
  codec::LogHeader header;  // of the session, as the server sent it
  Mismatch mismatch;        // in the newest tick of the recorder
  FlightRecorder recorder;  // states of the follower
};

// Explains the mismatch: a is the server, b the follower. `build` is the follower's. If computing
// the tick again gives the hash of one side, the other side is wrong.
Divergence explain(const Flight& flight, std::string_view build, Executor& executor);

// Returns whether the follower itself is wrong: computing the tick again here gives the server's
// hash. `found` is the explanation of the flight.
bool is_own_fault(const Divergence& found);

// Returns the ticks to save (host/disk/flight_file.h). Their last state is the wrong one, so that
// `orrery verify` finds the difference: the follower's, or the server's, of which only the hash is
// known.
std::vector<FlightTick> ticks_to_save(const Flight& flight, const Divergence& found);

}  // namespace orrery::session
