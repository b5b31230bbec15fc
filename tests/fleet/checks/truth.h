// Owns the states that the server had: what clients see is one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/world/world.h"

namespace orrery::fleet {

// As the server is asked to send them.
inline constexpr std::uint32_t kSnapshotsPerSecond = 20;

// Remembers as many states as anybody may be behind. Those of ticks that a crash has undone, and
// that were made again, stay: whoever had heard of them had heard the truth.
class Truth {
 public:
  // The state that a server starts with; and each that it comes to.
  void remember(const World& world);

  // As the session has the tick now; nothing if that is too long ago.
  std::optional<std::uint64_t> hash(Tick tick) const;
  // Whether the tick had this hash.
  bool had(Tick tick, std::uint64_t hash) const;
  // Whether a snapshot says what was: all of the state of its tick, or, if it is not whole, each
  // body in a state that it had by then.
  bool had(const client::Snapshot& snapshot) const;
  // Whether it names just those bodies that there were at its tick.
  bool had_bodies(const client::Snapshot& snapshot) const;

 private:
  struct State {
    Tick tick;
    std::uint64_t hash = 0;
    std::vector<codec::BodyState> bodies;  // as snapshots have them, if there are any of the tick
  };

  bool had(const codec::BodyState& body) const;
  // The newest state of the tick that is as asked for, or nullptr.
  template <class Predicate>
  const State* find(Tick tick, Predicate is_it) const;

  std::vector<State> states_;  // a ring
  std::uint64_t count_ = 0;    // remembered so far
};

}  // namespace orrery::fleet
