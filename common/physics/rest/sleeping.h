// Puts islands to sleep that have been still for a while, and wakes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/islands.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/contacts/contact_set.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

// Thresholds for sleep. A body is still while no point of it is faster than still_speed(). A body
// without a shape is never still. An island falls asleep when all of its bodies have been still for
// kStillTime time units.
//
// The speed follows from gravity, so it has no unit: 5 mm/s on Earth. A body that slides, swings or
// flies passes the speed within a thousandth of kStillTime, or a few of them on a gentle slope. It
// therefore stays awake where gravity is weak, too. Box2D and Box3D (E. Catto) have the same time,
// but a speed of 0.05 m/s. A stack that sways at this speed would fall asleep visibly out of place.
inline constexpr double kStillShare = 0.001;
inline constexpr double kStillTime = 0.5;

// Returns kStillShare of the speed that uniform gravity gives a body in kStillTime. Without gravity
// it is 0: only bodies at rest are still.
double still_speed(const Vec3& gravity);

// Returns for how many ticks of length dt a body must be still before it sleeps; at least 2.
std::uint32_t still_ticks_needed(double dt);

// The sleeping bodies of a world. An island sleeps and wakes as a whole. Bodies are in one island
// if they are near each other (touching or not), or joined. An awake body that can be pushed is
// therefore never near a sleeping one, and an island behaves the same whether or not another island
// sleeps.
//
// A sleeping body is at rest and has no inverse mass, so all other code sees a fixed body. Its
// contacts move unchanged from the contact set to this class. Waking restores the inverse mass and
// the contacts.
class Sleeping {
 public:
  // Value of a body in islands() if the body is awake.
  static constexpr std::uint32_t kAwake = ~0u;

  // The data of a world that sleep uses. Sleep changes `bodies` and `contacts`.
  struct Input {
    Bodies& bodies;
    const ShapeSet& shapes;
    std::span<const std::uint32_t> shape_of;  // index of each slot's shape, or kNoShape
    ContactSet& contacts;
    Vec3 gravity{};  // uniform acceleration

    // Returns the view of the bodies with their shapes.
    ShapedBodies shaped() const { return {bodies, shapes, shape_of}; }
  };
  // The pairs that connect bodies to islands or wake them, and the bodies that stay awake.
  struct Links {
    std::span<const Pair> near;           // pairs of the broad phase
    std::span<const Pair> joined;         // pairs joined by springs or joints, in any order
    std::span<const std::uint32_t> held;  // slots that a thrust, grab, pull or motor keeps awake
    std::span<const Pair> unpushed = {};  // BroadPhase::unpushed_pairs()
  };

  // Allocates for slots below `capacity`.
  explicit Sleeping(std::uint32_t capacity);

  // Return whether a body sleeps, and how many bodies do.
  bool asleep(std::uint32_t slot) const { return island_of_[slot] != kAwake; }
  std::uint32_t count() const { return asleep_; }

  // Wakes the island of a body, or all islands. Call it when something acts on a body, or when a
  // body or joint connected to it is removed. The next wake_near() puts the contacts of the woken
  // bodies back into the contact set. An awake body starts to count its still ticks at 0 again.
  void wake(Bodies& bodies, std::uint32_t slot);
  void wake_all(Bodies& bodies);
  // Resets a slot after its body was removed or replaced.
  // REQUIRES: the body was awake. If it was fixed or kinematic, the caller also wakes all bodies.
  void replace(std::uint32_t slot);

  // Wakes the islands of bodies near an awake body that can be pushed, or near a kinematic body in
  // motion. Wakes the islands of bodies joined to such a body too. Puts the contacts of all bodies
  // that woke since the last call back into the contact set. Returns true if a body woke since the
  // last call. Call it in every tick after the broad phase. While it returns true, run the broad
  // phase and call it again.
  bool wake_near(const Input& input, const Links& links);

  // Counts a still tick for each body whose present speed counts as still, and puts islands to
  // sleep. dt is the length of a tick. These bodies do not count as still: those of Links::held,
  // those in contact with a removed body (ContactSet::ending), and those near or joined to a
  // kinematic body in motion. Call it after wake_near(). Returns true if a body fell asleep: then
  // run the broad phase again.
  bool settle(const Input& input, const Links& links, double dt);

  // Return the state of each slot, for images and hashes. still_ticks() counts the ticks that a
  // body has been still, up to the number needed for sleep. islands() holds the lowest slot of the
  // sleeping island of a body, or kAwake.
  std::span<const std::uint32_t> still_ticks() const { return still_ticks_; }
  std::span<const std::uint32_t> islands() const { return island_of_; }
  // Return the contacts of the sleeping bodies, ascending, and the sum of their hashes.
  std::span<const ContactRecord> contacts() const { return contacts_; }
  std::uint64_t contacts_hash() const { return contacts_hash_; }
  // Returns the sum of the hashes of still_ticks() and islands() of the first `slots` slots. A slot
  // with 0 still ticks adds 0.
  std::uint64_t hash(std::uint32_t slots) const;

  // Returns an error if ticks of length dt cannot lead to this state of the slots 0, 1, ... The
  // spans have one element for each slot.
  // REQUIRES: sleeping bodies are at rest.
  static Status check(std::span<const ContactBody> bodies, double dt,
                      std::span<const std::uint32_t> still_ticks,
                      std::span<const std::uint32_t> islands);
  // Returns true if a contact of two bodies that can be pushed is between an awake and a sleeping
  // body, or between two sleeping islands. No valid state has such a contact.
  static bool parts(std::span<const ContactBody> bodies, std::span<const std::uint32_t> islands,
                    ContactKey contact);
  // Replaces the state of the first slots. The other slots are awake, and there are no contacts
  // yet.
  // REQUIRES: check() accepts the state, and all bodies have the inverse masses of awake bodies.
  void restore(Bodies& bodies, std::span<const std::uint32_t> still_ticks,
               std::span<const std::uint32_t> islands);
  // Adds a contact of a sleeping body.
  // REQUIRES: contacts come in ascending order, right after restore().
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
  // For each sleeping body, the next slot of its island; kAwake if there is none.
  std::vector<std::uint32_t> next_;
  // Highest slot of each sleeping island. The index is the lowest slot of the island.
  std::vector<std::uint32_t> last_;
  // Constants of each sleeping body: inverse mass, three inverse moments, gravity scale.
  std::vector<std::array<double, 5>> constants_;
  std::vector<ContactRecord> contacts_;
  std::uint64_t contacts_hash_ = 0;
  bool any_woke_ = false;                // contacts of woken bodies are not yet put back
  std::vector<std::uint32_t> replaced_;  // slots given to replace() since the last wake_near()

  // Scratch, kept for its memory.
  Islands islands_;
  // index: lowest slot of an island; 1: the island must stay awake
  std::vector<std::uint8_t> restless_;
  std::vector<ContactRecord> records_;
};

}  // namespace orrery::physics
