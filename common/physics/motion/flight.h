// Owns exact flight: the motion of bodies under what can be solved, a constant force together with
// springs to points of the world or with linear drag.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/motion/forces.h"
#include "common/physics/wide/aligned_arrays.h"

namespace orrery::physics {

// One array each, a number for every slot. With f = gravity_scale g + pull - stiffness x, the
// acceleration of a body at x if nothing slows it, a step h is
//   x1 = x0 + travel v0 + lift f,  v1 = v0 + travel f - loss v0.
// Of a spring (frequency w): travel = sin(w h)/w, lift = (1 - cos(w h))/w^2, loss = 1 - cos(w h).
// Of drag b: travel = h phi1(-b h), lift = h^2 phi2(-b h), loss = b travel (integrate/phi.h).
// Of neither: travel = h, lift = h^2/2, loss = 0.
enum class FlightField : std::uint8_t {
  stiffness,  // w^2: of all springs of the body, divided by its mass; 0: no spring
  travel,
  lift,
  loss,
  pull_x,  // constant acceleration: of thrusts, and of the springs w^2 times their point of rest
  pull_y,
  pull_z,
};
inline constexpr std::size_t kFlightFields = 7;

// True of the tethers that flight solves, of a scene or of forces: at the centre of mass, without
// damping and rest length.
template <class AnyTether>
bool is_point_spring(const AnyTether& tether) {
  return tether.at == Vec3{} && tether.damping == 0 && tether.rest_length == 0;
}

// How far a force takes a body: its exact dx, or dx = h dv / 2 (the average acceleration).
enum class FlightPosition : std::uint8_t { exact, average };

// The coefficients are those of one h; nothing of them is state, they follow from scene, bodies and
// commands. Uniform gravity is not among them and may change from step to step.
class Flight {
 public:
  // For slots below `capacity`, a multiple of 64, or 0 where nothing flies so. Allocates here
  // alone.
  Flight(std::uint32_t capacity, double h, FlightPosition position);

  double h() const { return h_; }
  FlightPosition position() const { return position_; }
  // The numbers of a tile of 64 bodies.
  const double* pulls(FlightField f, std::uint32_t tile) const { return of_tile(f, tile); }
  const double* coefficients(FlightField f, std::uint32_t tile) const {
    return of_tile(f, like_[tile]);
  }

  // Takes out of the forces of the bodies all that flight solves: point springs (all of a body
  // count as one), and the linear drag of bodies without such springs.
  void take_springs_and_drag(const Bodies& bodies, ForceSet& forces);
  // Takes the forces of the thrusters, and leaves their torques; those taken before are gone. Along
  // no axis does one give more than limits::kSpeedMax in a step.
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
  // The tile with the same coefficients, all but the pulls: one tile of them stays in L1 where
  // bodies are alike, and a step of ten thousand stays in L2.
  std::vector<std::uint32_t> like_;
  std::vector<Held> held_;  // what take_thrusts() has added to
};

// The largest w h of a spring that flight takes: the exact one by what the sine can tell, that of
// the average acceleration by its stability, pi.
double flight_angle_max(FlightPosition position);

}  // namespace orrery::physics
