// Owns which bodies sleep: islands that have been still for a while, until something wakes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/physics/body/bodies.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/rest/islands.h"
#include "common/physics/shape/shape.h"
#include "common/physics/solve/contact_set.h"

namespace orrery::physics {

// A body is still while no point of it is faster than this (length per time unit), and an island
// falls asleep when all of its bodies have been still for this long; made for scenes in metres and
// seconds. The time is that of Box2D and Box3D (E. Catto), which call 0.05 still: a stack that
// sways at that speed stands millimetres off when it is woken, one at 0.005 less than 0.1 mm.
inline constexpr double kStillSpeed = 0.005;
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
  // What keeps bodies together or awake.
  struct Links {
    std::span<const Pair> near;           // of the broad phase
    std::span<const Pair> joined;         // by springs or joints, in any order
    std::span<const std::uint32_t> held;  // slots of bodies that something pulls at
    std::span<const Pair> unpushed = {};  // of the broad phase
  };

  // For slots below `capacity`; allocates for these.
  explicit Sleeping(std::uint32_t capacity);

  bool asleep(std::uint32_t slot) const { return island_of_[slot] != kAwake; }
  std::uint32_t count() const { return asleep_; }

  // To be called when something is done to a body, or what it hangs on goes: wakes its island,
  // whose contacts come back with wake_near(). What is awake is still from now on at the earliest.
  void wake(Bodies& bodies, std::uint32_t slot);
  void wake_all(Bodies& bodies);
  // Another body is in the slot now, or none. It was awake, or is fixed and then all are to wake.
  void replace(std::uint32_t slot);

  // Once a tick, with the pairs of the broad phase: wakes what something that moves is near or
  // joined to, and gives the contacts of all that woke since the last time back. True if anything
  // woke: the pairs are to be found anew, and this is to be called again.
  bool wake_near(const Input& input, const Links& links);

  // Behind that: counts a tick of length dt at the present speeds, and lets islands fall asleep.
  // What has touched a body that has gone since (ContactSet::forget) is not still. True if any fell
  // asleep: the pairs are to be found anew.
  bool settle(const Input& input, const Links& links, double dt);

  // The state, for images and hashes. Of each slot: for how many ticks it has been still, up to
  // what it takes to sleep; the lowest slot of the island that it sleeps with, or kAwake.
  std::span<const std::uint32_t> still_ticks() const { return still_ticks_; }
  std::span<const std::uint32_t> islands() const { return island_of_; }
  // The contacts of the bodies that sleep, ascending, and the sum of their hashes.
  std::span<const ContactRecord> contacts() const { return contacts_; }
  std::uint64_t contacts_hash() const { return contacts_hash_; }
  // Of the first slots: the sum of a hash of each that is not both awake and moving.
  std::uint64_t hash(std::uint32_t slots) const;

  // Says what is wrong with a state of the first slots that no ticks of length dt lead to; what
  // sleeps is at rest.
  static Status check(std::span<const ContactBody> bodies, double dt,
                      std::span<const std::uint32_t> still_ticks,
                      std::span<const std::uint32_t> islands);
  // True if the contact is between two bodies that move, of which one sleeps without the other:
  // such a state has none.
  static bool parts(std::span<const ContactBody> bodies, std::span<const std::uint32_t> islands,
                    ContactKey contact);
  // Replaces the state by that of the first slots; the others are awake, and nothing is taken out.
  // REQUIRES: The state is sound, and all bodies have their masses.
  void restore(Bodies& bodies, std::span<const std::uint32_t> still_ticks,
               std::span<const std::uint32_t> islands);
  // Keeps a contact that would be taken out of the set: a contact of a sleeping body.
  // REQUIRES: The contacts come in ascending order, right after restore().
  void restore_contact(const ContactRecord& record);

 private:
  void wake_beside_moving(Bodies& bodies, std::span<const Pair> pairs);
  bool count_still(const Input& input, const Links& links, std::uint32_t ticks_needed);
  void disturb(const Input& input, const Links& links, bool any_driven);
  void join_islands(const Input& input, const Links& links);
  void fall_asleep(Bodies& bodies, std::uint32_t slot);
  void take_contacts(const Input& input);
  void give_contacts(const Input& input);

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
  std::vector<std::uint32_t> replaced_;  // slots, since the last wake_near()

  // Scratch, kept for its memory.
  Islands islands_;
  std::vector<std::uint8_t> restless_;  // of each island's lowest slot: a body of it is not still
  std::vector<ContactRecord> records_;
};

}  // namespace orrery::physics
