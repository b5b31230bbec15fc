// Owns the bodies of a world: a structure of arrays, in tiles of 64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/core/assert.h"
#include "common/core/limits.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/physics/wide/aligned_arrays.h"

namespace orrery::physics {

// One array of binary64 numbers each. The first kStateFields are the state that a tick changes:
// they are hashed and saved, in this order. The others are constants of a body.
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
  inverse_mass,       // 0: an anchor, which nothing pushes
  inverse_inertia_x,  // principal axes; 0: does not rotate; of a kinematic anchor all are 1
  inverse_inertia_y,
  inverse_inertia_z,
  gravity_scale,   // share of the uniform gravity that acts; 0 for anchors
  linear_drag,     // drag force per speed, divided by the mass: 1/time
  quadratic_drag,  // drag force per speed squared, divided by the mass: 1/length
};

inline constexpr std::size_t kStateFields = 13;
inline constexpr std::size_t kBodyFields = 20;

// Fields are named as stored, for reports: "position.x".
std::string_view field_name(BodyField field);

// Tiles that are worth a thread (parallel_ranges()): a pass over one takes about a microsecond.
inline constexpr std::uint32_t kTilesLeast = 2;

// Slots 0 to capacity-1, of which some hold a body. A slot without a body holds a harmless one
// (unit orientation, all else 0), so that every tile may be stepped whole.
class Bodies {
 public:
  // Room for at least `capacity` bodies, rounded up to whole tiles; allocates here and never again.
  explicit Bodies(std::uint32_t capacity);

  std::uint32_t capacity() const { return capacity_; }
  // Slots that were ever occupied: all others are beyond.
  std::uint32_t slots() const { return slots_; }
  std::uint32_t tiles() const { return (slots_ + limits::kTileBodies - 1) / limits::kTileBodies; }

  // The array of a field: capacity() numbers, 64-byte aligned.
  double* field(BodyField f) { return fields_[static_cast<std::size_t>(f)]; }
  const double* field(BodyField f) const { return fields_[static_cast<std::size_t>(f)]; }

  // Bit i is set if slot 64 tile + i holds a body.
  std::uint64_t alive_mask(std::uint32_t tile) const { return alive_[tile]; }
  bool alive(std::uint32_t slot) const {
    return slot < slots_ && (alive_[slot / limits::kTileBodies] >> slot % limits::kTileBodies & 1);
  }
  std::uint32_t count() const;

  // The lowest slot without a body, or capacity() if there is none.
  std::uint32_t lowest_free_slot() const;
  // Puts a harmless body into a free slot.
  void occupy(std::uint32_t slot);
  // Empties an occupied slot.
  void vacate(std::uint32_t slot);
  // Empties all slots but those of `alive` (one word a tile, of `slots` slots in all), whose fields
  // are left to the caller.
  void set_occupation(std::uint32_t slots, const std::vector<std::uint64_t>& alive);

  Vec3 position(std::uint32_t slot) const { return vec3(BodyField::position_x, slot); }
  Vec3 velocity(std::uint32_t slot) const { return vec3(BodyField::velocity_x, slot); }
  Vec3 angular_momentum(std::uint32_t slot) const {
    return vec3(BodyField::angular_momentum_x, slot);
  }
  Vec3 inverse_inertia(std::uint32_t slot) const {
    return vec3(BodyField::inverse_inertia_x, slot);
  }
  double inverse_mass(std::uint32_t slot) const { return at(BodyField::inverse_mass, slot); }
  Quat orientation(std::uint32_t slot) const {
    const Vec3 v = vec3(BodyField::orientation_x, slot);
    return {v.x, v.y, v.z, field(BodyField::orientation_w)[slot]};
  }
  // World frame, rad per time unit: q (L / I) q*.
  Vec3 angular_velocity(std::uint32_t slot) const {
    return rotate(orientation(slot), scaled(inverse_inertia(slot), angular_momentum(slot)));
  }

  void set_position(std::uint32_t slot, const Vec3& v) { set(BodyField::position_x, slot, v); }
  void set_velocity(std::uint32_t slot, const Vec3& v) { set(BodyField::velocity_x, slot, v); }
  void set_angular_momentum(std::uint32_t slot, const Vec3& v) {
    set(BodyField::angular_momentum_x, slot, v);
  }
  void set_orientation(std::uint32_t slot, const Quat& q);

  double at(BodyField f, std::uint32_t slot) const {
    ORRERY_ASSERT(slot < capacity_);
    return field(f)[slot];
  }
  void set(BodyField f, std::uint32_t slot, double value) {
    ORRERY_ASSERT(slot < capacity_);
    field(f)[slot] = value;
  }
  // Three fields that follow one another.
  Vec3 vec3(BodyField first, std::uint32_t slot) const {
    const auto f = static_cast<std::size_t>(first);
    ORRERY_ASSERT(slot < capacity_ && f + 2 < kBodyFields);
    return {fields_[f][slot], fields_[f + 1][slot], fields_[f + 2][slot]};
  }
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
  std::vector<std::uint64_t> alive_;  // one word a tile
};

}  // namespace orrery::physics
