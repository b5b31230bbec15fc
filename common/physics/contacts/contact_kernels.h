// Declares the kernels that process many contacts at once, compiled once per instruction set.
#pragma once

#include <cstdint>

#include "common/physics/body/body_rows.h"
#include "common/physics/body/contact_margin.h"
#include "common/physics/body/substep.h"
#include "common/physics/contacts/contact_blocks.h"

namespace orrery::physics {

// The blocks [begin, end) of one kind and colour.
struct BlockRange {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t lane = kBlockLanes;  // the only lane to process; kBlockLanes: all lanes
};

// The blocks of one kind and colour, and the rarely used data (`extras`) of each block.
template <class Block, class Extra>
struct BlockView {
  Block* blocks;
  Extra* extras;
};

using RoundView = BlockView<BallBlock, BallColdBlock>;
using GeneralView = BlockView<ManifoldBlock, ManifoldColdBlock>;

// The softness of a constraint with frequency f (w = 2 pi f) and damping ratio z in a substep h.
// The constraint acts like a spring of stiffness m w^2 with a damper of 2 m z w, integrated by
// implicit Euler (E. Catto, Soft Constraints, GDC 2011; Solver2D, 2024). m is the effective mass, u
// the speed and s the separation. With a1 = 2 z + h w and a2 = h w a1, the two fields are
//
//   rate = w / a1, mass = a2 / (1 + a2)
//
// A pass replaces the accumulated impulse P by
//
//   P' = P - mass * m * (u + rate * s) - (1 - mass) * P
struct Softness {
  double rate = 0;  // speed that is added per separation (1/time)
  double mass = 1;  // factor on the effective mass
};

// Returns the softness for a substep h.
// REQUIRES: frequency > 0, damping_ratio >= 0 and h > 0.
Softness softness(double frequency, double damping_ratio, double h);

// The parameters of a pass.
struct PassSettings {
  double inverse_time = 0;  // 1 / h, with h the length of a substep
  Softness moving{};        // for contacts of two bodies with nonzero inverse mass
  Softness fixed{};         // for contacts with a body of inverse mass 0
  double inverse_load = 0;  // 1 / (kLoadMin g h), with g the uniform gravity; 0 without gravity
  double kick = 0;          // speed that gravity gives in a substep
  double buckling = 0;      // kStackShare^3 N^3 per size of a body (contact_settings.h)
  double least_load = 0;    // cube of the least load over kLoadMin, per size; at most 1
};

// The contacts that a pass over impacts looks at. A held contact has restitution and a body of a
// joint that moves.
enum class ImpactLanes : std::uint8_t { all, free, held };

// The parameters of impacts.
struct ImpactSettings {
  double tick = 0;       // length of a tick, time
  double half_time = 0;  // half of a substep
  Vec3 gravity{};        // uniform acceleration
  double speed_min = 0;  // least speed of an impact
  double push_most = 0;  // deepest overlap that counts because of a load (kPushBodies)
  ContactMargin margin;
  ImpactLanes lanes = ImpactLanes::all;
  double grip = 1;     // factor of all friction coefficients
  bool tries = false;  // true: change velocities and BodyRows::struck only
  // with `tries`: change of the velocities by other contacts, between the impulse along the normal
  // and friction
  SolverBody others{};
};

// Returns the parameters for a tick.
// REQUIRES: step.h > 0 and step.tick >= step.h.
ImpactSettings impact_settings(const Substep& step);

// --- contact_refresh.cpp: before the substeps of a tick ---

// Compute geometry and effective masses at the present poses. Set the `worn` bit of a lane if its
// bodies moved too far to reuse its geometry, or if two balls are farther apart than the contact
// margin. The narrow phase must then run for this contact. Two balls that would only pass each
// other in the tick get a plane that separates them all the way. Set the `hits` bit of a lane if
// its bodies hit each other in the tick.
// REQUIRES: range.lane == kBlockLanes.
void refresh_round(const BodyRows& rows, RoundView view, BlockRange range,
                   const ImpactSettings& settings);
void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range,
                     const ImpactSettings& settings);

// --- contact_impacts.cpp: before the first substep ---

// Run a pass over the contacts of bodies that hit each other: impulses with restitution and
// friction change the velocities in `motion`. The first pass is number 1. It processes the lanes
// with a `hits` bit, and each pass the lanes with a body that this pass or the previous one changed
// (BodyRows::struck). Return true if an impulse changed a body.
// REQUIRES: rows.pose holds the present poses, and the contacts of this call and of parallel calls
// share no movable body.
bool strike_round(const BodyRows& rows, RoundView view, BlockRange range, std::uint32_t pass,
                  const ImpactSettings& settings);
bool strike_general(const BodyRows& rows, GeneralView view, BlockRange range, std::uint32_t pass,
                    const ImpactSettings& settings);

// --- contact_turn.cpp: after each drift ---

// Refreshes the contacts of bodies that turn (BodyRows::turns()), at the poses that load_turned()
// loaded. Corrects `pushed` of their bodies: the impulses of the warm start then act along the new
// directions and at the new points.
// The length of a substep and the deepest overlap that counts are in `settings`.
// REQUIRES: the contacts of this call and of parallel calls share no movable body.
void turn_general(const BodyRows& rows, GeneralView view, BlockRange range,
                  const ImpactSettings& settings);

// The effect of the impulses of a contact: the linear impulse on b, and the angular impulses about
// both centres of mass, subtracted on a and added on b.
struct ContactPush {
  Vec3 linear, angular_a, angular_b;
};

// Do the same for one contact that got new geometry by set_geometry(), at the poses in
// BodyRows::pose, also for bodies with joints. Before that, it had the normal or the effect
// `before`.
// REQUIRES: range is one lane of one block.
void follow_round(const BodyRows& rows, RoundView view, BlockRange range,
                  const ImpactSettings& settings, const Vec3& before);
void follow_general(const BodyRows& rows, GeneralView view, BlockRange range,
                    const ImpactSettings& settings, const ContactPush& before);

// --- round_passes.cpp, general_passes.cpp ---

// A pass over contacts.
enum class ContactPass : std::uint8_t {
  // First substep of a tick: applies the last impulses of the previous tick (warm start).
  start,
  // Every substep, before the drift: normal impulses that also resolve overlap.
  solve,
  // Every substep, after the drift: normal impulses that ignore overlap, then rolling resistance
  // and friction.
  relax,
  // First substep of a tick, after `solve`, for the `fresh` lanes (BlockFooter): normal impulses
  // as in `solve`, and friction. Without it, a body could slide until the first `relax`.
  grip,
  // As `solve` and `relax`, for the lanes with this mark only (BlockFooter).
  solve_loaded,
  relax_loaded,
  solve_slender,
  relax_slender,
  solve_jointed,
  relax_jointed,
};

// Run a pass over a range of contacts.
// REQUIRES: the contacts of this call and of parallel calls share no movable body.
void pass_contacts(ContactPass pass, const BodyRows& rows, RoundView view, BlockRange range,
                   const PassSettings& settings);
void pass_contacts(ContactPass pass, const BodyRows& rows, GeneralView view, BlockRange range,
                   const PassSettings& settings);

// --- contact_hash.cpp ---

// Return the sum of the hashes of the contacts in a range. The contacts of this kind and colour
// fill the first `count` lanes of the view.
// REQUIRES: range.lane == kBlockLanes.
std::uint64_t hash_round(RoundView view, std::uint64_t colour, BlockRange range,
                         std::uint32_t count);
std::uint64_t hash_general(GeneralView view, std::uint64_t colour, BlockRange range,
                           std::uint32_t count);

}  // namespace orrery::physics
