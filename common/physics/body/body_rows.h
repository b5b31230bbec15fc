// Stores bodies in the solver's layout: each row has eight numbers of one body. Vectors are in
// world axes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/physics/body/bodies.h"

namespace orrery::physics {

// Number of numbers in a row. A kernel loads at most eight rows at once, and transposes them so
// that each vector holds one number of every row.
inline constexpr std::uint32_t kRowNumbers = 8;

// The numbers of a body in one of the arrays of BodyRows: one cache line.
struct alignas(64) SolverBody {
  double at[kRowNumbers];

  // Returns the inverse mass of the body.
  // REQUIRES: a row of `motion`.
  double inverse_mass() const { return at[6]; }
};
static_assert(sizeof(SolverBody) == 64);

// The rows of all bodies. Row i belongs to slot i. The last row is the nobody row: its inverse mass
// and its velocities are 0.
struct BodyRows {
  // velocity, angular velocity, inverse mass, inverse inertia about body axis x
  SolverBody* motion;
  SolverBody* moved;  // since the start of the tick: displacement, and integral of angular velocity
  SolverBody* pose;   // position, orientation; then the gravity scale
  SolverBody* inertia;  // inverse inertia: xx, yy, zz, xy, xz, yz
  // changes of velocity and angular velocity by all impulses of the last substep
  SolverBody* pushed;
  SolverBody* start;       // velocity and angular velocity before the present pass and warm start
  std::uint32_t null_row;  // index of the nobody row
  // one word per tile: bit i is 1 if row i of the tile is in use; other rows are outdated
  const std::uint64_t* used;
  std::uint64_t* turning;  // one word per tile: bit i is 1 if body i turns (find_turning())
  // for each row: the last pass over impacts of this tick that changed the body; 0: none
  std::uint8_t* struck;

  // Returns true if a body turns.
  bool turns(std::uint32_t row) const {
    return (turning[row / limits::kTileBodies] >> row % limits::kTileBodies & 1) != 0;
  }
};

// The memory of the rows of `capacity` bodies and of the nobody row.
class BodyRowMemory {
 public:
  // REQUIRES: capacity is a positive multiple of limits::kTileBodies.
  explicit BodyRowMemory(std::uint32_t capacity);
  // Return the rows, and the set of the rows in use (of bodies with contacts or joints).
  const BodyRows& rows() const { return rows_; }
  SlotMask& used() { return used_; }

 private:
  std::vector<SolverBody> memory_;
  std::vector<std::uint64_t> turning_;
  std::vector<std::uint8_t> struck_;
  SlotMask used_;
  BodyRows rows_;
};

// Each function below processes the used rows of tiles [begin, end).

// Loads poses, world inertia and velocities at the start of a tick; clears `moved` and `pushed`.
void load_poses(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end);
// Marks the bodies that turn (BodyRows::turning): those that rotate faster than `most` (rad/time),
// and kinematic bodies that rotate at all.
void find_turning(const Bodies& bodies, const BodyRows& rows, double most, std::uint32_t begin,
                  std::uint32_t end);
// Loads the present poses. Also loads the world inertia of the bodies that turn. Their `pushed`
// keeps its angular momentum: the angular velocity changes with the inertia. Overwrites `start`.
void load_turned(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                 std::uint32_t end);
// Loads velocities before the solve pass, and warm starts them: adds the changes that the impulses
// of the previous substep caused.
void load_and_push(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                   std::uint32_t end);
// Stores velocities after the solve pass. Sets `pushed` to their change by the warm start and the
// pass together. Adds to `moved` the motion of the next drift, which takes the time h.
void store_pushed(Bodies& bodies, const BodyRows& rows, double h, std::uint32_t begin,
                  std::uint32_t end);
// Load and store velocities around a relax pass. store_velocities() adds their change to `pushed`.
void load_velocities(const Bodies& bodies, const BodyRows& rows, std::uint32_t begin,
                     std::uint32_t end);
void store_velocities(Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end);
// Stores the velocities that impacts changed since load_poses() (BodyRows::struck).
void store_struck(Bodies& bodies, const BodyRows& rows, std::uint32_t begin, std::uint32_t end);

}  // namespace orrery::physics
