// Integrates exactly the forces whose motion has a closed formula: constant forces together with
// point springs or with linear drag.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/motion/forces.h"
#include "common/physics/wide/aligned_arrays.h"

namespace orrery::physics {

// A coefficient of exact flight. Each has an array with a number for every slot. Let x0 and v0 be
// position and velocity at the start of a step of length h, and g the uniform gravity. With
// f = gravity_scale g + pull - stiffness x0, the acceleration without drag, the step is
//
//   x1 = x0 + travel v0 + lift f
//   v1 = v0 + travel f - loss v0
//
//   spring: travel = sin(w h)/w, lift = (1 - cos(w h))/w^2, loss = 1 - cos(w h), with the angular
//     frequency w
//   drag b: travel = h phi1(-b h), lift = h^2 phi2(-b h), loss = b travel (integrate/phi.h)
//   neither: travel = h, lift = h^2/2, loss = 0
enum class FlightField : std::uint8_t {
  stiffness,  // w^2: sum of the stiffnesses of the body's springs / mass; 0: no spring
  travel,
  lift,
  loss,
  // The x component of the pull: (sum of thrusts + sum of stiffness times anchor over springs) /
  // mass.
  pull_x,
  pull_y,
  pull_z,
};
inline constexpr std::size_t kFlightFields = 7;

// Returns true for a tether that flight solves: at the centre of mass, without damping and rest
// length. `AnyTether` is a tether of a scene or of a ForceSet.
template <class AnyTether>
bool is_point_spring(const AnyTether& tether) {
  return tether.at == Vec3{} && tether.damping == 0 && tether.rest_length == 0;
}

// How a step of length h changes the position. `exact`: by the formula above. `average`: by the
// mean of old and new velocity times h, as if the acceleration were constant.
enum class FlightPosition : std::uint8_t { exact, average };

// The coefficients of exact flight for one step length h. They can be computed from scene, bodies
// and commands, so the state does not contain them. Uniform gravity is not among them and may
// change between steps.
class Flight {
 public:
  // Allocates memory for slots below `capacity`, a multiple of 64. No other function allocates. A
  // capacity of 0 is for worlds in which no body flies exactly. REQUIRES: h > 0.
  Flight(std::uint32_t capacity, double h, FlightPosition position);

  // Return the arguments of the constructor.
  double h() const { return h_; }
  FlightPosition position() const { return position_; }
  // Return the numbers of a field for the 64 bodies of a tile. Use pulls() for pull_x, pull_y and
  // pull_z, and coefficients() for the other fields.
  const double* pulls(FlightField f, std::uint32_t tile) const { return of_tile(f, tile); }
  const double* coefficients(FlightField f, std::uint32_t tile) const {
    return of_tile(f, like_[tile]);
  }

  // Takes everything out of `forces` that flight solves: point springs (summed for each body), and
  // the linear drag of bodies without such springs. Drops the angular drag of bodies that it takes
  // linear drag from and that cannot rotate.
  // REQUIRES: bodies.capacity() is that of the constructor.
  void take_springs_and_drag(const Bodies& bodies, ForceSet& forces);
  // Takes the forces of the thrusters out of `forces`, and leaves their torques. Replaces the
  // forces that the previous call took. A thruster changes each component of the velocity by at
  // most limits::kSpeedMax in a step.
  void take_thrusts(const Bodies& bodies, ForceSet& forces);

 private:
  struct Held {
    std::uint32_t slot;
    Vec3 pull_without;
  };

  const double* field(FlightField f) const { return fields_[static_cast<std::size_t>(f)]; }
  const double* of_tile(FlightField f, std::uint32_t tile) const {
    return field(f) + std::size_t{tile} * limits::kTileBodies;
  }
  void find_like_tiles(std::uint32_t tiles);

  double* field(FlightField f) { return fields_[static_cast<std::size_t>(f)]; }
  Vec3 pull(std::uint32_t slot) const;
  void set_pull(std::uint32_t slot, const Vec3& pull);
  void set_spring(std::uint32_t slot);
  void set_drag(std::uint32_t slot, double drag);

  double h_;
  FlightPosition position_;
  std::uint32_t capacity_;
  AlignedArrays<kFlightFields> fields_;
  // For each tile, the number of a tile with equal coefficients (pulls excepted): coefficients()
  // returns the numbers of that tile instead. If all bodies are alike, all tiles share the numbers
  // of one, which stay in the L1 cache.
  std::vector<std::uint32_t> like_;
  // Slots whose pull (the fields pull_x to pull_z) contains a thrust, each with its pull without
  // the thrust.
  std::vector<Held> held_;
};

// Returns the largest w h of a spring that flight accepts, with w = sqrt(stiffness) and h the step.
// `exact` is limited by the range of our sine, `average` by its stability bound pi.
double flight_angle_max(FlightPosition position);

}  // namespace orrery::physics
