// Owns the drift: free flight and free rotation of whole tiles of bodies.
#pragma once

#include <cstdint>

#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/body/body_hash.h"
#include "common/physics/motion/flight.h"

namespace orrery::physics {

// The free rotation by h with Cayley factors (integrate/cayley.inl), unless `rotates` is false, and
// the flight: x += h v + gravity_position s, v += h gravity s (s: the body's gravity scale), or
// what `flight` (physics/motion/flight.h, of the same h) makes of it.
struct Drift {
  double h = 0;
  Vec3 gravity;           // acceleration
  Vec3 gravity_position;  // what gravity adds to the position: gravity h^2/2 is exact
  const Flight* flight = nullptr;
  bool rotates = true;
};

// Drifts the tiles [begin, end).
void drift_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, const Drift& drift);

// The same, and returns the sum of the hashes of their living bodies, taken while a tile is in L1.
std::uint64_t drift_and_hash_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end,
                                   const Drift& drift);

// Their free rotation by h alone.
void rotate_tiles(Bodies& bodies, std::uint32_t begin, std::uint32_t end, double h);

// The sum of the hashes (body_hash.h) of the living bodies of the tiles [begin, end).
std::uint64_t hash_tiles(const Bodies& bodies, std::uint32_t begin, std::uint32_t end);

}  // namespace orrery::physics
