// Stores the bodies of a world as a structure of arrays, in tiles of 64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/core/slot_mask.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/physics/wide/aligned_arrays.h"

namespace orrery::physics {

// A field of a body. Each field is one array of binary64 numbers. The first kStateFields fields are
// the state: a tick changes them, and they are hashed and saved. The other fields are constants of
// a body. Some of these constants are 0 while the body sleeps.
enum class BodyField : std::uint8_t {
  position_x,  // world frame, the scene's length unit
  position_y,
  position_z,
  velocity_x,  // world frame
  velocity_y,
  velocity_z,
  angular_momentum_x,  // body frame
  angular_momentum_y,
  angular_momentum_z,
  orientation_x,  // unit quaternion, body to world
  orientation_y,
  orientation_z,
  orientation_w,
  inverse_mass,  // 0: an anchor, a kinematic or a sleeping body; no force moves it
  // 1 / principal moments. 0: nothing rotates the body. All are 1 for a kinematic body, so that its
  // angular momentum in the state is its angular velocity; impulses do not rotate it either.
  inverse_inertia_x,
  inverse_inertia_y,
  inverse_inertia_z,
  gravity_scale,   // factor on uniform gravity; 0 for anchors, kinematic and sleeping bodies
  linear_drag,     // drag force / (speed * mass), in 1/time
  quadratic_drag,  // drag force / (speed squared * mass), in 1/length
};

inline constexpr std::size_t kStateFields = 13;
inline constexpr std::size_t kBodyFields = 20;

// Returns the name of a field as reports print it, such as "position.x".
std::string_view field_name(BodyField field);

// Least number of tiles that parallel_ranges() hands to a thread. A pass over one tile is shorter
// than the time to hand it over.
inline constexpr std::uint32_t kTilesLeast = 2;

// The bodies of a world, in slots 0 to capacity-1. An empty slot holds a harmless body (unit
// orientation, all other fields 0), so that every tile can be stepped whole.
class Bodies {
 public:
  // Allocates room for at least `capacity` bodies, rounded up to whole tiles, and never allocates
  // again.
  // REQUIRES: capacity >= 1, and at most limits::kBodiesMax after rounding.
  explicit Bodies(std::uint32_t capacity);

  // Returns the number of slots, occupied or not.
  std::uint32_t capacity() const { return capacity_; }
  // Returns the number of slots that a pass has to visit. All slots from slots() on are empty. A
  // lower slot may be empty too.
  std::uint32_t slots() const { return slots_; }
  // Returns the number of tiles that contain these slots.
  std::uint32_t tiles() const { return tiles_for(slots_); }

  // Returns the array of a field: capacity() numbers, 64-byte aligned.
  double* field(BodyField f) { return fields_[static_cast<std::size_t>(f)]; }
  const double* field(BodyField f) const { return fields_[static_cast<std::size_t>(f)]; }

  // Returns one bit per slot of a tile: bit i is set if slot 64 * tile + i holds a body.
  std::uint64_t alive_mask(std::uint32_t tile) const { return alive_.words()[tile]; }
  bool alive(std::uint32_t slot) const { return slot < slots_ && alive_.test(slot); }
  // Returns the number of bodies.
  std::uint32_t count() const;

  // Returns the lowest slot without a body, or capacity() if all are occupied.
  std::uint32_t lowest_free_slot() const;
  // Puts a harmless body into a slot.
  // REQUIRES: the slot is empty.
  void occupy(std::uint32_t slot);
  // Removes the body of a slot and clears its fields.
  // REQUIRES: the slot is occupied.
  void vacate(std::uint32_t slot);
  // Occupies exactly the slots that have a set bit in `alive`, and clears the slots that become
  // empty. `alive` has one word for each tile of the first `slots` slots. The caller sets the
  // fields of the occupied slots.
  // REQUIRES: slots <= capacity(), and no bit is set for a slot from `slots` on.
  void set_occupation(std::uint32_t slots, std::span<const std::uint64_t> alive);

  // Return the state and inverse masses of a body. Position, velocity and orientation are in the
  // world frame. Angular momentum and inverse inertia are along the body's principal axes.
  // REQUIRES: slot < capacity().
  Vec3 position(std::uint32_t slot) const { return vec3(BodyField::position_x, slot); }
  Vec3 velocity(std::uint32_t slot) const { return vec3(BodyField::velocity_x, slot); }
  Vec3 angular_momentum(std::uint32_t slot) const {
    return vec3(BodyField::angular_momentum_x, slot);
  }
  // Inverses of the principal moments, as in BodyField.
  Vec3 inverse_inertia(std::uint32_t slot) const {
    return vec3(BodyField::inverse_inertia_x, slot);
  }
  // Inverse mass. It is 0 if no force or impulse moves the body: an anchor, a kinematic or a
  // sleeping body.
  double inverse_mass(std::uint32_t slot) const { return at(BodyField::inverse_mass, slot); }
  // Unit quaternion, body to world.
  Quat orientation(std::uint32_t slot) const {
    const Vec3 v = vec3(BodyField::orientation_x, slot);
    return {v.x, v.y, v.z, field(BodyField::orientation_w)[slot]};
  }
  // Returns the angular velocity in the world frame, in rad per time unit: q (L / I) q*, where q is
  // the orientation, L the angular momentum and I the principal moments.
  Vec3 angular_velocity(std::uint32_t slot) const {
    return rotate(orientation(slot), scaled(inverse_inertia(slot), angular_momentum(slot)));
  }

  // Set the state of a body. The frames are those of position(), velocity(), angular_momentum() and
  // orientation().
  // REQUIRES: slot < capacity().
  void set_position(std::uint32_t slot, const Vec3& v) { set(BodyField::position_x, slot, v); }
  void set_velocity(std::uint32_t slot, const Vec3& v) { set(BodyField::velocity_x, slot, v); }
  void set_angular_momentum(std::uint32_t slot, const Vec3& v) {
    set(BodyField::angular_momentum_x, slot, v);
  }
  // REQUIRES: q has length 1.
  void set_orientation(std::uint32_t slot, const Quat& q);

  // Returns one field of a body.
  // REQUIRES: slot < capacity().
  double at(BodyField f, std::uint32_t slot) const {
    ORRERY_ASSERT(slot < capacity_);
    return field(f)[slot];
  }
  // Sets one field of a body.
  // REQUIRES: slot < capacity().
  void set(BodyField f, std::uint32_t slot, double value) {
    ORRERY_ASSERT(slot < capacity_);
    field(f)[slot] = value;
  }
  // Returns three consecutive fields of a body, from `first` onward.
  Vec3 vec3(BodyField first, std::uint32_t slot) const {
    const auto f = static_cast<std::size_t>(first);
    ORRERY_ASSERT(slot < capacity_ && f + 2 < kBodyFields);
    return {fields_[f][slot], fields_[f + 1][slot], fields_[f + 2][slot]};
  }
  // Sets three consecutive fields of a body, from `first` onward.
  void set(BodyField first, std::uint32_t slot, const Vec3& v) {
    const auto f = static_cast<std::size_t>(first);
    ORRERY_ASSERT(slot < capacity_ && f + 2 < kBodyFields);
    fields_[f][slot] = v.x;
    fields_[f + 1][slot] = v.y;
    fields_[f + 2][slot] = v.z;
  }

 private:
  std::uint32_t capacity_;
  std::uint32_t slots_ = 0;
  AlignedArrays<kBodyFields> fields_;
  SlotMask alive_;  // the occupied slots
};

}  // namespace orrery::physics
