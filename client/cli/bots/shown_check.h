// Compares poses that clients have shown with the log of the session.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/cli/bots/shown.h"
#include "common/core/executor.h"
#include "common/session/replay/playback.h"

namespace orrery::client {

// The result of a comparison. A pose is wrong in these cases:
// - It is of a body that did not exist at the tick of its state.
// - It has quality exact, and differs from the log in any bit.
// - It is farther from the state before it, or turned more, than the motion of the body in the log
//   allows.
struct ShownReport {
  std::uint64_t compared = 0;
  std::uint64_t exact = 0;         // poses of quality exact, which were compared bit for bit
  std::uint64_t extrapolated = 0;  // shown after the newest state, and not wrong
  std::uint64_t unlogged = 0;      // not compared: the log lacks a tick around the pose
  std::uint64_t wrong = 0;
  std::string first_wrong;  // empty if none is
  // Largest distance of a pose between two states from the log, in units of the scene. Between two
  // ticks of the log, its position is interpolated. Wrong poses do not count.
  double error_max = 0;
  double error_squares = 0;    // sum
  std::uint64_t measured = 0;  // number of poses in that sum

  // Returns the root mean square of these distances; 0 if there are none.
  double error_rms() const;
};

// Compares the poses with the log, in one pass over its ticks. The log may still be written: poses
// after its last tick count as unlogged. Calls `progress` after each tick. Returns an Error if the
// log cannot be replayed.
Result<ShownReport> compare_shown(
    std::vector<Shown> shown, session::Playback& log, Executor& executor,
    const std::function<void()>& progress = [] {});

}  // namespace orrery::client
