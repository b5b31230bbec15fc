// Computes the coefficients of exact flight.
#include "common/physics/motion/flight.h"

#include <algorithm>

#include "common/core/limits.h"
#include "common/integrate/phi.h"
#include "common/math/elementary.h"
#include "common/physics/motion/force_points.h"

namespace orrery::physics {

Flight::Flight(std::uint32_t capacity, double h, FlightPosition position)
    : h_(h),
      position_(position),
      capacity_(capacity),
      fields_(capacity),
      like_(capacity / limits::kTileBodies) {
  ORRERY_ASSERT(h > 0);
  if (capacity != 0) held_.reserve(limits::kThrustsMax);
}

Vec3 Flight::pull(std::uint32_t slot) const {
  ORRERY_ASSERT(slot < capacity_);
  return {field(FlightField::pull_x)[slot], field(FlightField::pull_y)[slot],
          field(FlightField::pull_z)[slot]};
}

void Flight::set_pull(std::uint32_t slot, const Vec3& pull) {
  field(FlightField::pull_x)[slot] = pull.x;
  field(FlightField::pull_y)[slot] = pull.y;
  field(FlightField::pull_z)[slot] = pull.z;
}

// Uses 1 - cos(w h) = 2 sin^2(w h / 2), which loses no digits for small w h.
void Flight::set_spring(std::uint32_t slot) {
  // Up to this value of w h, the result differs from free flight by less than the last bit.
  constexpr double kSmall = 1e-8;
  const double stiffness = field(FlightField::stiffness)[slot];
  const double w = square_root(stiffness);
  double travel = h_;
  double lift = h_ * h_ / 2;
  if (w * h_ > kSmall) {
    const double half_sine = elementary::sin(w * h_ / 2);
    travel = elementary::sin(w * h_) / w;
    lift = 2 * half_sine * half_sine / stiffness;
  }
  field(FlightField::travel)[slot] = travel;
  field(FlightField::lift)[slot] = lift;
  field(FlightField::loss)[slot] = stiffness * lift;
}

void Flight::set_drag(std::uint32_t slot, double drag) {
  const double z = -drag * h_;
  field(FlightField::travel)[slot] = h_ * integrate::phi1(z, elementary::exp);
  field(FlightField::lift)[slot] = h_ * h_ * integrate::phi2(z, elementary::exp);
  field(FlightField::loss)[slot] = drag * field(FlightField::travel)[slot];
}

void Flight::find_like_tiles(std::uint32_t tiles) {
  ORRERY_ASSERT(tiles <= like_.size());
  const auto alike = [&](std::uint32_t a, std::uint32_t b) {
    for (const FlightField f :
         {FlightField::stiffness, FlightField::travel, FlightField::lift, FlightField::loss}) {
      if (!std::equal(of_tile(f, a), of_tile(f, a) + limits::kTileBodies, of_tile(f, b)))
        return false;
    }
    return true;
  };
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    like_[tile] = tile > 0 && alike(tile, like_[tile - 1]) ? like_[tile - 1] : tile;
  }
}

void Flight::take_springs_and_drag(const Bodies& bodies, ForceSet& forces) {
  ORRERY_ASSERT(bodies.capacity() == capacity_);
  held_.clear();
  // Empty slots are reset too. Flight moves whole tiles, so an empty slot must not keep the
  // coefficients of its last body.
  const std::uint32_t slots = bodies.tiles() * limits::kTileBodies;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    field(FlightField::stiffness)[slot] = 0;
    set_pull(slot, {});
  }
  for (const Tether& tether : forces.tethers) {
    if (!is_point_spring(tether)) continue;
    // The stiffnesses are added exactly as in the check of the scene (problem_of_flight() in
    // world/scenes/methods.cpp), so that rounding cannot push w h above flight_angle_max().
    const double stiffness = tether.stiffness * bodies.inverse_mass(tether.body);
    field(FlightField::stiffness)[tether.body] += stiffness;
    set_pull(tether.body, pull(tether.body) + stiffness * tether.anchor);
  }
  std::erase_if(forces.tethers, is_point_spring<Tether>);
  for (std::uint32_t slot = 0; slot < slots; ++slot) set_spring(slot);
  for (Dragged& dragged : forces.dragged) {
    if (field(FlightField::stiffness)[dragged.slot] != 0) continue;
    set_drag(dragged.slot, dragged.linear);
    dragged.linear = 0;
    if (bodies.inverse_inertia(dragged.slot) == Vec3{}) dragged.turning = 0;
  }
  find_like_tiles(bodies.tiles());
  std::erase_if(forces.dragged, [](const Dragged& d) {
    return d.linear == 0 && d.quadratic == 0 && d.turning == 0;
  });
}

void Flight::take_thrusts(const Bodies& bodies, ForceSet& forces) {
  ORRERY_ASSERT(bodies.capacity() == capacity_);
  for (const Held& held : held_) set_pull(held.slot, held.pull_without);
  held_.clear();
  for (Thruster& thruster : forces.thrusters) {
    held_.push_back({thruster.slot, pull(thruster.slot)});
    const Vec3 acceleration =
        clamped(bodies.inverse_mass(thruster.slot) * thruster.force, limits::kSpeedMax / h_);
    set_pull(thruster.slot, pull(thruster.slot) + acceleration);
    thruster.force = {};
  }
  std::erase_if(forces.thrusters, [](const Thruster& t) { return t.torque == Vec3{}; });
}

double flight_angle_max(FlightPosition position) {
  return position == FlightPosition::exact ? elementary::kAngleMax : 3.14159;
}

}  // namespace orrery::physics
