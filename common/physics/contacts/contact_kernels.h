// Declares the kernels that process many contacts at once, compiled once per instruction set.
#pragma once

#include <cstdint>

#include "common/physics/body/body_rows.h"
#include "common/physics/contacts/contact_blocks.h"

namespace orrery::physics {

// The blocks [begin, end) of a colour.
struct BlockRange {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t lane = kBlockLanes;  // a single lane, or kBlockLanes for all
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
// With m the effective mass, u the speed and s the separation, it is implicit Euler on a spring and
// damper of stiffness m w^2 and damping 2 m z w (E. Catto, Soft Constraints, GDC 2011; Solver2D,
// 2024). With a1 = 2 z + h w and a2 = h w a1,
//
//   rate = w / a1, mass = a2 / (1 + a2)
//
// A pass replaces the accumulated impulse P by
//
//   P' = P - mass m (u + rate s) - (1 - mass) P
struct Softness {
  double rate = 0;  // speed that is added per separation (1/time)
  double mass = 1;  // factor on the effective mass
};

// Returns the softness for a substep h.
// REQUIRES: frequency > 0, damping_ratio >= 0 and h > 0.
Softness softness(double frequency, double damping_ratio, double h);

// The parameters of a pass.
struct PassSettings {
  double inverse_time = 0;      // 1 / h
  Softness moving{};            // between bodies that move
  Softness fixed{};             // with a body that does not move
  double push_speed_max = 0;    // largest speed at which overlap is resolved
  double bounce_speed_min = 0;  // least approach speed that bounces
};

// --- once a tick: contact_refresh.cpp ---

// Compute geometry, effective masses and approach speeds at the present poses. Set the `worn` bit
// of a lane if its bodies moved too far: the narrow phase must then compute its geometry anew.
// REQUIRES: range.lane == kBlockLanes.
void refresh_round(const BodyRows& rows, RoundView view, BlockRange range);
void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range);

// --- round_passes.cpp, general_passes.cpp ---

// A pass over contacts.
enum class ContactPass : std::uint8_t {
  // First substep of a tick: applies the last impulses of the previous tick (warm start).
  start,
  // Every substep: normal impulses that also resolve overlap.
  solve,
  // Every substep, after the drift: normal impulses that ignore overlap, then friction.
  relax,
  // Once a tick: restitution of contacts that approached fast and were pushed.
  bounce,
};

// Run a pass over a range of contacts.
// REQUIRES: contacts that run at the same time share no movable body.
void pass_contacts(ContactPass pass, const BodyRows& rows, RoundView view, BlockRange range,
                   const PassSettings& settings);
void pass_contacts(ContactPass pass, const BodyRows& rows, GeneralView view, BlockRange range,
                   const PassSettings& settings);

// --- contact_hash.cpp ---

// Return the sum of the hashes of the contacts in a range of blocks. Lanes are numbered through all
// blocks of the view, and the first `count` of them hold contacts.
std::uint64_t hash_round(RoundView view, std::uint64_t colour, BlockRange range,
                         std::uint32_t count);
std::uint64_t hash_general(GeneralView view, std::uint64_t colour, BlockRange range,
                           std::uint32_t count);

}  // namespace orrery::physics
