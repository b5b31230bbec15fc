// Manages the memory of the bodies and the occupation of the slots.
#include "common/physics/body/bodies.h"

#include <algorithm>
#include <bit>

namespace orrery::physics {
namespace {

// Returns true if there are three fields from `first` to `last`, as a vector has.
constexpr bool is_vector(BodyField first, BodyField last) {
  return static_cast<int>(last) == static_cast<int>(first) + 2;
}
static_assert(is_vector(BodyField::position_x, BodyField::position_z));
static_assert(is_vector(BodyField::velocity_x, BodyField::velocity_z));
static_assert(is_vector(BodyField::angular_momentum_x, BodyField::angular_momentum_z));
static_assert(is_vector(BodyField::orientation_x, BodyField::orientation_z));
static_assert(is_vector(BodyField::inverse_inertia_x, BodyField::inverse_inertia_z));
static_assert(static_cast<std::size_t>(BodyField::orientation_w) == kStateFields - 1);
static_assert(static_cast<std::size_t>(BodyField::quadratic_drag) == kBodyFields - 1);

}  // namespace

std::string_view field_name(BodyField field) {
  static constexpr std::array<std::string_view, kBodyFields> kNames = {
      "position.x",         "position.y",    "position.z",         "velocity.x",
      "velocity.y",         "velocity.z",    "angular_momentum.x", "angular_momentum.y",
      "angular_momentum.z", "orientation.x", "orientation.y",      "orientation.z",
      "orientation.w",      "inverse_mass",  "inverse_inertia.x",  "inverse_inertia.y",
      "inverse_inertia.z",  "gravity_scale", "linear_drag",        "quadratic_drag"};
  const auto index = static_cast<std::size_t>(field);
  ORRERY_ASSERT(index < kNames.size());
  return kNames[index];
}

Bodies::Bodies(std::uint32_t capacity)
    : capacity_(tiles_for(capacity) * limits::kTileBodies), fields_(capacity_), alive_(capacity_) {
  ORRERY_ASSERT(capacity >= 1);
  ORRERY_ASSERT(capacity_ <= limits::kBodiesMax);
  std::fill_n(field(BodyField::orientation_w), capacity_, 1.0);
}

std::uint32_t Bodies::count() const {
  std::uint32_t total = 0;
  for (const std::uint64_t word : alive_.words()) {
    total += static_cast<std::uint32_t>(std::popcount(word));
  }
  return total;
}

std::uint32_t Bodies::lowest_free_slot() const {
  const std::span<const std::uint64_t> words = alive_.words();
  for (std::uint32_t tile = 0; tile < words.size(); ++tile) {
    if (~words[tile] == 0) continue;
    return tile * limits::kTileBodies + static_cast<std::uint32_t>(std::countr_one(words[tile]));
  }
  return capacity_;
}

void Bodies::occupy(std::uint32_t slot) {
  ORRERY_ASSERT(slot < capacity_);
  ORRERY_ASSERT(!alive(slot));
  alive_.set(slot);
  slots_ = std::max(slots_, slot + 1);
}

void Bodies::vacate(std::uint32_t slot) {
  ORRERY_ASSERT(alive(slot));
  alive_.reset(slot);
  for (std::size_t f = 0; f < kBodyFields; ++f) fields_[f][slot] = 0;
  set(BodyField::orientation_w, slot, 1);
}

void Bodies::set_occupation(std::uint32_t slots, std::span<const std::uint64_t> alive) {
  ORRERY_ASSERT(slots <= capacity_);
  ORRERY_ASSERT(alive.size() == tiles_for(slots));
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const bool stays = slot < slots && has_slot(alive, slot);
    if (!stays && this->alive(slot)) vacate(slot);
  }
  alive_.assign(alive);
  slots_ = slots;
}

void Bodies::set_orientation(std::uint32_t slot, const Quat& q) {
  set(BodyField::orientation_x, slot, Vec3{q.x, q.y, q.z});
  set(BodyField::orientation_w, slot, q.w);
}

}  // namespace orrery::physics
