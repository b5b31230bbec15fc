// Owns how contacts lie in memory while they are solved: eight to a block, a lane each.
#pragma once

#include <cstdint>

namespace orrery::physics {

// Points of a contact.
inline constexpr std::uint32_t kContactPointsMax = 4;

// Contacts of a block. Kernels take as many lanes at a time as the instruction set has; no lane
// ever meets another, so that bits depend neither on that nor on which lane a contact is in.
inline constexpr std::uint32_t kBlockLanes = 8;

// No body that moves has two contacts of one colour, so that all of these can be solved side by
// side. The last colour is for what found none: it is solved contact by contact.
inline constexpr std::uint32_t kColours = 64;
inline constexpr std::uint32_t kOverflowColour = kColours - 1;

static_assert(kColours == 64);  // a bit of a word for each

using Lanes = double[kBlockLanes];

struct Lanes3 {
  Lanes x;
  Lanes y;
  Lanes z;
};

// Numbers of which seven digits do: a pass over many contacts takes as long as reading them does.
using HalfLanes = float[kBlockLanes];

struct HalfLanes3 {
  HalfLanes x;
  HalfLanes y;
  HalfLanes z;
};

// What both kinds of block begin with.
struct alignas(64) BlockHeader {
  std::uint32_t row_a[kBlockLanes];  // rows of the bodies (body_rows.h); the last one: nobody
  std::uint32_t row_b[kBlockLanes];
};

static_assert(sizeof(BlockHeader) == 64);

// Which lanes change their bodies: those of bodies that move. And what the block's lanes need.
struct alignas(64) BlockFooter {
  std::uint8_t writes_a = 0;
  std::uint8_t writes_b = 0;
  std::uint8_t points = 0;     // of the lane with most
  bool bounces = false;        // some lane has restitution
  bool rolls_heavily = false;  // some lane has rolling resistance
};

static_assert(sizeof(BlockFooter) == 64);

// A ball about its centre of mass against another, or against something that does not move: the
// normal force turns nothing, and the tangential effective mass is one number.
struct RoundBlock {
  BlockHeader bodies;
  Lanes3 normal;            // world, from a to b
  Lanes separation;         // at the start of the tick
  Lanes gap;                // the same after the last drift
  Lanes arm_a;              // from the centre of a along the normal to the point of contact
  Lanes arm_b;              // from the centre of b against the normal
  Lanes normal_mass;        // effective; 0: no contact in the lane
  Lanes tangent_mass;       // effective
  Lanes friction;           // coefficient
  Lanes impulse;            // along the normal, on b
  Lanes3 friction_impulse;  // on b
  BlockFooter footer;
};

static_assert(sizeof(RoundBlock) == 16 * 64);  // 128 bytes a contact: all that a pass reads

// What the passes over a round block seldom need.
struct RoundExtra {
  Lanes radius_a;  // of a ball; of what is none: 0
  Lanes radius_b;
  Lanes restitution;
  Lanes approach;  // normal speed at the start of the tick; negative: they come nearer
  Lanes total;     // sum of the impulses after each substep
  Lanes rolling_resistance;
  Lanes rolling_mass;      // effective
  Lanes3 rolling_impulse;  // on b
  std::uint64_t key[kBlockLanes];
  std::uint32_t id[kBlockLanes];
  std::uint8_t balls = 0;   // lanes of two balls: the kernel finds their geometry
  std::uint8_t failed = 0;  // lanes whose contact the last refresh found worn out
};

// One point of the contacts of a general block. j = r x n is how the point's normal speed feels a
// body's spin, k = (inverse inertia) j how the spin feels a normal impulse.
struct PointRow {
  HalfLanes3 j_a;
  HalfLanes3 k_a;
  HalfLanes3 j_b;
  HalfLanes3 k_b;
  Lanes separation;  // at the start of the tick
  Lanes gap;         // the same after the last drift
  Lanes mass;        // effective; 0: no point
  Lanes impulse;     // along the normal, on b
};

static_assert(sizeof(PointRow) == 10 * sizeof(Lanes));

// Up to four points, and friction at their centre.
struct GeneralBlock {
  BlockHeader bodies;
  Lanes3 normal;  // world, from a to b
  PointRow points[kContactPointsMax];
  Lanes lever[kContactPointsMax];  // distance of the points from the centre of friction
  Lanes3 tangent;                  // world; the other one is normal x tangent
  Lanes3 arm_a;                    // from the centres of mass to the centre of friction
  Lanes3 arm_b;
  Lanes3 tangent_mass;      // xx, yy, xy of the inverse of the 2 x 2 matrix of the tangents
  Lanes twist_mass;         // effective
  Lanes friction;           // coefficient
  Lanes3 friction_impulse;  // on b
  Lanes twist_impulse;      // on b, about the normal
  BlockFooter footer;
};

static_assert(sizeof(GeneralBlock) == 67 * 64);

// What the passes over a general block seldom need: the geometry, from which each tick begins, and
// rarer forces.
struct GeneralExtra {
  Lanes count;                     // of points
  Lanes3 normal_a;                 // when made, axes of body a
  Lanes3 at_a[kContactPointsMax];  // when made, axes of body a
  Lanes3 at_b[kContactPointsMax];  // when made, axes of body b
  Lanes made[kContactPointsMax];   // separations when made
  Lanes3 turn;                     // orientation of b in the axes of a when made: x, y, z
  Lanes turn_w;
  Lanes extent;  // how far a surface moves per angle that the bodies turn against each other
  Lanes restitution;
  Lanes approach[kContactPointsMax];
  Lanes total[kContactPointsMax];
  Lanes rolling_resistance;
  Lanes3 rolling_mass;        // the symmetric 3 x 3 matrix: xx, yy, zz,
  Lanes3 rolling_mass_mixed;  // xy, xz, yz
  Lanes3 rolling_impulse;     // on b
  std::uint64_t key[kBlockLanes];
  std::uint64_t geometry_hash[kBlockLanes];  // of what was made
  std::uint32_t feature[kContactPointsMax][kBlockLanes];
  std::uint32_t id[kBlockLanes];
  std::uint8_t failed = 0;
};

}  // namespace orrery::physics
