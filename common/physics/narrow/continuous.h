// Owns continuous collision: what is fast stops at what it would pass through.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/body_index.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// The core of a part is a ball about its centre, of kCoreShare of the ball that fits into each part
// of the shape. A body is fast if a core has moved by more than half of that ball in a tick. Where
// a core of a fast body meets a part of another body on its way, the body is put back to there, and
// turns on as far as that moves no core by more than half of that ball; it keeps its velocity and
// angular momentum. It overlaps what it has met, with the centres of its parts on the near side,
// and in the next tick their contact stops it.
//
// Cores are what is swept, not parts, so that a body that slides or rolls does not stop at what it
// touches. Only the fast body is moved, and by what all others have done before any is put back, so
// the order does not matter. Two bodies that are both fast may miss each other.
//
// What one body may look at is bounded (limits.h). A body that needs more goes on by half the ball
// that fits into its parts: as far as one may go that is not fast, so that it passes through
// nothing either.
inline constexpr double kCoreShare = 0.75;

class ContinuousCollision {
 public:
  // For slots below `capacity`; allocates for these.
  explicit ContinuousCollision(std::uint32_t capacity);

  // Remembers where the bodies are at the start of a tick.
  void begin(const Bodies& bodies);

  // Puts back what was fast since. `index` knows the bodies as they were at the start; `separate`,
  // ascending, are those that do not touch each other.
  void finish(Bodies& bodies, const ShapeSet& shapes, std::span<const std::uint32_t> shape_of,
              const BodyIndex& index, std::span<const Pair> separate, Executor& executor);

 private:
  struct Stop {
    double fraction = 1;  // of its way
    double turn = 1;      // fraction of its turn
  };
  struct Fast {
    std::uint32_t slot;
    double way;  // of that part of it which goes farthest; length
    Stop stop;
  };
  struct Input;
  class Sweep;

  Motion motion_of(const Bodies& bodies, std::uint32_t slot) const;
  double find_fast(const Input& input, Executor& executor);
  Stop stop_of(const Input& input, const Fast& fast) const;
  void put_back(Bodies& bodies, const Fast& fast) const;

  std::vector<double> start_[7];  // of each slot: position and orientation at the start
  std::vector<Fast> fast_;        // ascending in slot
  std::vector<double> ways_;      // of the moving bodies
};

}  // namespace orrery::physics
