// Records the states of the server, to check the states that clients show.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/world/world.h"

namespace orrery::fleet {

// Rate of snapshots that the server is configured with.
inline constexpr std::uint32_t kSnapshotsPerSecond = 20;

// The latest states of the server, enough for the slowest client. States that a crash has undone
// are kept too: clients may have received them.
class Truth {
 public:
  // Records the initial state, or the state after a tick.
  void remember(const World& world);

  // Returns the hash of the newest state of a tick, or nothing if it is too old.
  std::optional<std::uint64_t> hash(Tick tick) const;
  // Returns true if a state of the tick had this hash.
  bool had(Tick tick, std::uint64_t hash) const;
  // Returns true if the snapshot agrees with a state of its tick. In a snapshot of some bodies,
  // each body must agree with a state at or before that tick. In a rounded snapshot (mode delta),
  // only poses are compared, and they must be the rounded ones: its velocities are estimates.
  bool had(const client::Snapshot& snapshot) const;
  // Returns true if the snapshot names exactly the bodies that existed at its tick.
  bool had_bodies(const client::Snapshot& snapshot) const;

 private:
  struct State {
    Tick tick;
    std::uint64_t hash = 0;
    // Rounded as in plain snapshots, and as in mode delta. Empty if the tick has no snapshot.
    std::vector<codec::BodyState> bodies;
    std::vector<codec::BodyState> on_grid;
  };

  bool had(codec::BodyState body, bool rounded) const;
  // Returns the tick of the oldest kept state that has bodies, or 0.
  Tick oldest_with_bodies() const;
  // Returns the newest state of the tick that satisfies the predicate, or nullptr.
  template <class Predicate>
  const State* find(Tick tick, Predicate is_it) const;

  std::vector<State> states_;  // ring buffer
  std::uint64_t count_ = 0;    // states recorded so far
};

}  // namespace orrery::fleet
