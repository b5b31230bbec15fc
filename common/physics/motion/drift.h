// Moves whole tiles of bodies by free flight and free rotation: the drift of a step.
#pragma once

#include <cstdint>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/body_hash.h"
#include "common/physics/motion/flight.h"

namespace orrery::physics {

// A drift over time h: rotation with Cayley factors (integrate/cayley.inl), then flight. With x the
// position, v the velocity, and s the body's gravity scale, the flight is
//
//   x += h v + s gravity_position
//   v += h s gravity
struct Drift {
  double h = 0;
  Vec3 gravity;           // acceleration of uniform gravity
  Vec3 gravity_position;  // displacement by gravity in the time h; exact value: h^2/2 gravity
  // Exact flight (physics/motion/flight.h) for the same h, which replaces the formulas above; may
  // be null.
  const Flight* flight = nullptr;
  bool rotates = true;  // false: the flight only
};

// Drifts the bodies of tiles [begin, end).
// REQUIRES: begin <= end <= bodies.tiles(), and drift.flight is null or was made for drift.h.
void drift_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Drift& drift);

// Drifts like drift_tiles() and returns the sum of the hashes (body_hash.h) of all bodies in these
// tiles. Each tile is hashed right after its drift, while it is still in the L1 cache.
std::uint64_t drift_and_hash_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end,
                                   const Drift& drift);

// Rotates the bodies of tiles [begin, end) freely over time h, without flight.
void rotate_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h);

// Returns the sum of the hashes (body_hash.h) of all bodies in tiles [begin, end). Empty slots add
// nothing.
std::uint64_t hash_tiles(const Bodies& bodies, std::uint32_t begin, std::uint32_t end);

}  // namespace orrery::physics
