// Owns which bodies sleep: islands that have been still for a while, until something wakes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/physics/bodies.h"
#include "common/physics/contact_set.h"
#include "common/physics/islands.h"
#include "common/physics/pair_search.h"
#include "common/physics/shape.h"

namespace orrery {

// A body is still while no point of it is faster than this (length per time unit), and an island
// falls asleep when all of its bodies have been still for this long: the values of Box2D and Box3D
// (E. Catto), made for scenes in metres and seconds.
inline constexpr double kStillSpeed = 0.05;
inline constexpr double kStillTime = 0.5;

// Ticks of length dt that a body is still before it sleeps; at least 1.
std::uint32_t still_ticks_needed(double dt);

// What hangs together sleeps and wakes together. Bodies hang together that are near each other,
// touching or not, or joined: so nothing that is awake is ever near anything that sleeps, and what
// one island does never depends on whether another one sleeps.
//
// A body that sleeps is at rest and has no inverse mass, so that to all else it is a fixed one; its
// contacts are not in the contact set, but here, as they were. Waking gives back both.
class Sleeping {
 public:
  static constexpr std::uint32_t kAwake = ~0u;

  struct Input {
    Bodies& bodies;
    const ShapeSet& shapes;
    std::span<const std::uint32_t> shape_of;  // of every slot, or kNoShape
    ContactSet& contacts;
  };
  // What keeps bodies together or awake, of those that do not sleep.
  struct Links {
    std::span<const Pair> near;           // of the broad phase
    std::span<const Pair> joined;         // by springs or joints, in any order
    std::span<const std::uint32_t> held;  // slots of bodies that something pulls at
  };

  // For slots below `capacity`; allocates for these.
  explicit Sleeping(std::uint32_t capacity);

  bool asleep(std::uint32_t slot) const { return island_of_[slot] != kAwake; }
  std::uint32_t count() const { return asleep_; }

  // Wakes the island of a body. Its contacts come back with wake_near().
  void wake(Bodies& bodies, std::uint32_t slot);
  void wake_all(Bodies& bodies);
  // Another body is in the slot now, or none. It was awake.
  void replace(std::uint32_t slot);

  // Once a tick, with the pairs of the broad phase: wakes what something awake is near, and gives
  // the contacts of all that woke since the last time back. True if anything woke: the pairs are to
  // be found anew.
  bool wake_near(const Input& input, std::span<const Pair> near, Executor& executor);

  // Behind that: counts a tick of length dt at the present speeds, and lets islands fall asleep.
  // True if any did: the pairs are to be found anew.
  bool settle(const Input& input, const Links& links, double dt, Executor& executor);

  // The state, for images and hashes. Of each slot: for how many ticks it has been still, up to
  // what it takes to sleep; the lowest slot of the island that it sleeps with, or kAwake.
  std::span<const std::uint32_t> still_ticks() const { return still_ticks_; }
  std::span<const std::uint32_t> islands() const { return island_of_; }
  // The contacts of the bodies that sleep, ascending, and the sum of their hashes.
  std::span<const ContactRecord> contacts() const { return contacts_; }
  std::uint64_t contacts_hash() const { return contacts_hash_; }

  // Says what is wrong with a state of the first slots that no ticks of length dt lead to.
  static Status check(const Bodies& bodies, std::span<const std::uint32_t> shape_of, double dt,
                      std::span<const std::uint32_t> still_ticks,
                      std::span<const std::uint32_t> islands);
  // Replaces the state by that of the first slots; the others are awake. The state is sound, all
  // bodies have their masses, and all contacts are in the set.
  void restore(const Input& input, std::span<const std::uint32_t> still_ticks,
               std::span<const std::uint32_t> islands, Executor& executor);

 private:
  bool count_still(const Input& input, const Links& links, std::uint32_t ticks_needed);
  void join_islands(const Bodies& bodies, const Links& links);
  void fall_asleep(Bodies& bodies, std::uint32_t slot);
  void take_contacts(const Input& input, Executor& executor);
  void give_contacts(const Input& input, Executor& executor);

  std::vector<std::uint32_t> still_ticks_;
  std::vector<std::uint32_t> island_of_;
  std::uint32_t asleep_ = 0;
  std::vector<std::uint32_t> next_;  // of each that sleeps: the next of its island, or kAwake
  std::vector<std::uint32_t> last_;  // of each island's lowest slot: the last of it
  // Of each that sleeps: inverse mass, three inverse moments, gravity scale.
  std::vector<std::array<double, 5>> constants_;
  std::vector<ContactRecord> contacts_;
  std::uint64_t contacts_hash_ = 0;
  bool any_woke_ = false;                // and has not got its contacts back
  std::vector<std::uint32_t> replaced_;  // slots, since contacts were last given back

  // Scratch, kept for its memory.
  Islands islands_;
  std::vector<std::uint8_t> restless_;  // of each island's lowest slot: a body of it is not still
  std::vector<ContactRecord> records_;
};

}  // namespace orrery
