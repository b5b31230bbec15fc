// Owns the list of what is done to many contacts at a time, compiled once for each instruction set.
#pragma once

#include <cstdint>

#include "common/physics/solve/body_rows.h"
#include "common/physics/solve/contact_blocks.h"

namespace orrery::physics {

// Blocks begin to end-1 of a colour; of these all lanes, or one.
struct BlockRange {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t lane = kBlockLanes;  // kBlockLanes: all, side by side
};

template <class Block, class Extra>
struct BlockView {
  Block* blocks;
  Extra* extras;
};

using RoundView = BlockView<RoundBlock, RoundExtra>;
using GeneralView = BlockView<GeneralBlock, GeneralExtra>;

// A row of frequency f (w = 2 pi f) and damping ratio z in a substep h, as an implicit spring:
// with a1 = 2 z + h w and a2 = h w a1, rate = w / a1, mass = a2 / (1 + a2), and the impulse that is
// there counts by 1 - mass (E. Catto, Soft Constraints, GDC 2011; Solver2D, 2024).
struct Softness {
  double rate = 0;  // of the error, per time
  double mass = 1;  // share of the effective mass
};

Softness softness(double frequency, double damping_ratio, double h);

struct PassSettings {
  double inverse_time = 0;      // 1 / h
  Softness moving{};            // between bodies that move
  Softness fixed{};             // with something that does not
  double push_speed_max = 0;    // at which overlap is taken out
  double bounce_speed_min = 0;  // approach of what bounces
};

// --- once a tick: contact_refresh.cpp ---

// Geometry, effective masses and approach speeds at the present poses; sets `failed` of lanes whose
// geometry was made too long ago, and must be made anew.
void refresh_round(const BodyRows& rows, RoundView view, BlockRange range);
void refresh_general(const BodyRows& rows, GeneralView view, BlockRange range);

// --- round_passes.cpp, general_passes.cpp ---

enum class ContactPass : std::uint8_t {
  // In the first substep of a tick: the impulses of the substep before.
  start,
  // In each substep: normal impulses that also take out overlap.
  solve,
  // In each substep, behind the drift: normal impulses that do not; then friction.
  relax,
  // Once a tick: restitution of what came near fast and was pushed.
  bounce,
};

void pass_contacts(ContactPass pass, const BodyRows& rows, RoundView view, BlockRange range,
                   const PassSettings& settings);
void pass_contacts(ContactPass pass, const BodyRows& rows, GeneralView view, BlockRange range,
                   const PassSettings& settings);

// --- contact_hash.cpp ---

// The sum of the hashes of the contacts of some blocks, of which the first `count` lanes of all
// blocks are contacts.
std::uint64_t hash_round(RoundView view, std::uint64_t colour, BlockRange range,
                         std::uint32_t count);
std::uint64_t hash_general(GeneralView view, std::uint64_t colour, BlockRange range,
                           std::uint32_t count);

}  // namespace orrery::physics
