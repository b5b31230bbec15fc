// Lays out contacts in memory for the solver: eight to a block, one per lane.
#pragma once

#include <cstdint>

namespace orrery::physics {

// Most points of a contact.
inline constexpr std::uint32_t kContactPointsMax = 4;

// Contacts per block. A kernel processes as many lanes at once as a SIMD vector holds doubles, at
// most eight. Lanes never mix, so the bits of a contact depend neither on the width of the vector
// nor on the lane.
inline constexpr std::uint32_t kBlockLanes = 8;

// Graph colouring: contacts of one colour share no movable body, so they can be solved side by
// side. The last colour is the exception. It holds the contacts that found no free colour, and they
// are solved one by one.
inline constexpr std::uint32_t kColours = 64;
inline constexpr std::uint32_t kOverflowColour = kColours - 1;

static_assert(kColours == 64);  // a 64-bit word has a bit for each colour of a body

// A number for each contact of a block.
using Lanes = double[kBlockLanes];

// A vector for each contact of a block.
struct Lanes3 {
  Lanes x;
  Lanes y;
  Lanes z;
};

// A float for each contact of a block. Seven digits are enough for j and k (PointRow), and memory
// bandwidth limits the speed of a pass over many contacts.
using HalfLanes = float[kBlockLanes];

// A vector of floats for each contact of a block.
struct HalfLanes3 {
  HalfLanes x;
  HalfLanes y;
  HalfLanes z;
};

// The bodies of each lane. Both kinds of block begin with this header.
struct alignas(64) BlockHeader {
  std::uint32_t row_a[kBlockLanes];  // index of the body's row (BodyRows); unused lane: null_row
  std::uint32_t row_b[kBlockLanes];
};

static_assert(sizeof(BlockHeader) == 64);

// Bit masks of the lanes in which impulses change body a (`writes_a`) and body b (`writes_b`), and
// a summary of all lanes.
struct alignas(64) BlockFooter {
  std::uint8_t writes_a = 0;
  std::uint8_t writes_b = 0;
  std::uint8_t points = 0;              // largest number of points in a lane
  std::uint8_t loaded = 0;              // bit mask of the lanes under load (ContactLoads)
  std::uint8_t slender = 0;             // bit mask of those in a slender stack (ContactLoads)
  std::uint8_t tall = 0;                // bit mask of the lanes of tall bodies that press
  std::uint8_t presses = 0;             // bit mask of the lanes with a normal impulse at the start
  std::uint8_t jointed = 0;             // bit mask of the lanes with a body of a joint that moves
  std::uint8_t fresh = 0;               // bit mask of the lanes to grip (ContactPass::grip)
  bool has_rolling_resistance = false;  // a lane has rolling resistance
};

static_assert(sizeof(BlockFooter) == 64);

// Contacts of a centred ball (ContactSide) with another one, or with a body that impulses do not
// change. The normal force causes no rotation, and a single number is enough for the tangential
// effective mass.
struct BallBlock {
  BlockHeader bodies;
  Lanes3 normal;            // world frame, from a to b
  Lanes separation;         // at the start of the tick
  Lanes gap;                // separation after the last drift
  Lanes arm_a;              // distance from the centre of ball a to the contact point
  Lanes arm_b;              // distance from the centre of ball b to the contact point
  Lanes normal_mass;        // effective mass; 0: no contact in the lane
  Lanes tangent_mass;       // effective mass
  Lanes friction;           // coefficient
  Lanes impulse;            // along the normal, on b
  Lanes3 friction_impulse;  // on b
  BlockFooter footer;
};

static_assert(sizeof(BallBlock) == 16 * 64);  // 128 bytes a contact

// Data of a round block that the passes seldom need.
struct BallColdBlock {
  Lanes radius_a;  // radius of a if it is a centred ball, else 0
  Lanes radius_b;
  Lanes restitution;
  Lanes rolling_resistance;  // length
  Lanes rolling_mass;        // effective mass
  Lanes3 rolling_impulse;    // on b
  std::uint64_t key[kBlockLanes];
  std::uint32_t id[kBlockLanes];
  std::uint8_t balls = 0;   // bit mask of lanes with two centred balls
  std::uint8_t worn = 0;    // bit mask of lanes whose balls the last refresh found too far apart
  std::uint8_t hits = 0;    // bit mask of lanes with bodies that hit each other in this tick
  std::uint8_t struck = 0;  // bit mask of lanes that got an impulse of an impact in this tick
};

// One point of the contacts of a general block. r is the vector from a centre of mass to the point,
// n the contact normal, w the angular velocity and I the inertia of the body.
//
//   j = r x n    angular Jacobian: the normal speed from rotation is n . (w x r) = j . w
//   k = I^-1 j   the change of angular velocity per normal impulse (subtracted on a, added on b)
struct PointRow {
  HalfLanes3 j_a;
  HalfLanes3 k_a;
  HalfLanes3 j_b;
  HalfLanes3 k_b;
  // at the start of the tick; if a body turns: less the motion since then along the present j and n
  Lanes separation;
  Lanes gap;      // separation after the last drift
  Lanes mass;     // effective mass; 0: no point
  Lanes impulse;  // along the normal, on b
};

static_assert(sizeof(PointRow) == 10 * sizeof(Lanes));

// Contacts of up to four points. Friction acts at a weighted mean of the points, the centre of
// friction.
struct ManifoldBlock {
  BlockHeader bodies;
  Lanes3 normal;  // world frame, from a to b
  PointRow points[kContactPointsMax];
  Lanes lever[kContactPointsMax];  // distance of each point from the centre of friction
  Lanes3 arm_a;                    // from the centres of mass to the centre of friction
  Lanes3 arm_b;
  Lanes tangent_mass;       // least effective mass of all tangents
  Lanes twist_mass;         // effective mass of twist, the rotation about the normal
  Lanes friction;           // coefficient
  Lanes soft_mass;          // Softness::mass in this tick
  Lanes3 friction_impulse;  // on b
  Lanes twist_impulse;      // on b, about the normal
  BlockFooter footer;
};

static_assert(sizeof(ManifoldBlock) == 63 * 64);

// Data of a general block that the passes seldom need: restitution, rolling resistance, and the
// geometry that contact_refresh.cpp moves to the present poses in each tick. "When made" means: in
// the tick in which the narrow phase last computed the geometry.
//
// An anchor is the vector from the centre of a body to a point of the contact when made, in the
// axes of the body. The point itself lies half way between the surfaces. A ball or capsule has its
// anchors at its core, on its centre or axis: the point is at the anchor plus the radius along the
// normal. It therefore stays under the core while the part rolls.
struct ManifoldColdBlock {
  Lanes count;                     // number of points
  Lanes3 normal_a;                 // normal when made, in the axes of body a
  Lanes3 normal_b;                 // the same in the axes of body b
  Lanes face_of_b;                 // 1: the normal turns with b; 0: with a
  Lanes3 at_a[kContactPointsMax];  // anchors of a
  Lanes3 at_b[kContactPointsMax];  // anchors of b
  Lanes made[kContactPointsMax];   // separations when made
  Lanes3 turn;                     // orientation of b in the axes of a when made: x, y, z
  Lanes turn_w;
  Lanes radius_a;  // radius of a if it is a ball or capsule, else 0
  Lanes radius_b;
  Lanes share;         // where points act between their places on a (0) and on b (1)
  Lanes extent;        // length: the surfaces move about this far per radian of relative rotation
  Lanes reuse;         // largest motion of the surfaces since made
  Lanes inner_radius;  // of the smaller part
  Lanes restitution;
  Lanes rolling_resistance;   // length
  Lanes3 rolling_mass;        // symmetric 3 x 3 matrix of effective masses: xx, yy, zz,
  Lanes3 rolling_mass_mixed;  // xy, xz, yz
  Lanes3 rolling_impulse;     // on b
  std::uint64_t key[kBlockLanes];
  std::uint64_t geometry_hash[kBlockLanes];  // of the geometry when made
  std::uint32_t feature[kContactPointsMax][kBlockLanes];
  std::uint32_t id[kBlockLanes];
  std::uint8_t worn = 0;    // bit mask of lanes whose bodies moved too far to reuse the geometry
  std::uint8_t hits = 0;    // bit mask of lanes with bodies that hit each other in this tick
  std::uint8_t struck = 0;  // bit mask of lanes that got an impulse of an impact in this tick
};

}  // namespace orrery::physics
