// Finds the contacts that need help to carry what is stacked on them.
#include "common/physics/rest/contact_loads.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/core/assert.h"
#include "common/physics/contacts/contact_settings.h"

namespace orrery::physics {
namespace {

// Calls take(i) for each bit i of a mask, ascending.
template <class Mask, class Take>
void for_bits(Mask mask, Take take) {
  for (; mask != 0; mask &= mask - 1) take(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// Clears the marks of lanes without a contact: in the overflow colour they may be of an older one.
void clear_unused(ContactLanes& lanes) {
  for (std::uint32_t i = 0; i < kColours; ++i) {
    auto& general = lanes.colour(i).general;
    const std::uint32_t used = general.count % kBlockLanes;
    if (used == 0 || general.size() == 0) continue;
    BlockFooter& last = general.blocks[general.size() - 1].footer;
    const auto all = static_cast<std::uint8_t>((1u << used) - 1);
    last.loaded &= all;
    last.presses &= all;
  }
}

bool any_loaded(const ContactLanes& lanes) {
  for (std::uint32_t i = 0; i < kColours; ++i) {
    for (const ManifoldBlock& block : lanes.colour(i).general.blocks) {
      if (block.footer.loaded != 0) return true;
    }
  }
  return false;
}

}  // namespace

void ContactLoads::find_stacks(const ContactLanes& lanes, const BodyRows& rows) {
  ORRERY_ASSERT(rows.null_row == stacks_.size());
  islands_.reset(rows.null_row);
  std::fill(lowest_.begin(), lowest_.end(), std::uint8_t{0});
  for (std::uint32_t i = 0; i < kColours; ++i) {
    for (const ManifoldBlock& block : lanes.colour(i).general.blocks) {
      const BlockHeader& bodies = block.bodies;
      const unsigned moves_a = block.footer.writes_a, moves_b = block.footer.writes_b;
      for_bits(block.footer.presses & moves_a & moves_b,
               [&](std::uint32_t lane) { islands_.join(bodies.row_a[lane], bodies.row_b[lane]); });
      for_bits(block.footer.presses & (moves_a ^ moves_b), [&](std::uint32_t lane) {
        lowest_[moves_a >> lane & 1 ? bodies.row_a[lane] : bodies.row_b[lane]] = 1;
      });
    }
  }
  std::fill(stacks_.begin(), stacks_.end(), Stack{});
  for (std::uint32_t tile = 0; tile < rows.null_row / limits::kTileBodies; ++tile) {
    for_bits(rows.used[tile], [&](std::uint32_t i) {
      const std::uint32_t slot = tile * limits::kTileBodies + i;
      const double inverse = rows.motion[slot].inverse_mass();
      if (inverse == 0) return;
      Stack& stack = stacks_[islands_.find(slot)];
      stack.mass += 1 / inverse;
      stack.heaviest = std::max(stack.heaviest, 1 / inverse);
      stack.lowest += lowest_[slot];
    });
  }
}

void ContactLoads::mark_block(ManifoldBlock& block, const ManifoldColdBlock& extra,
                              const BodyRows& rows, const PassSettings& settings) {
  unsigned kept = 0;
  for_bits(unsigned{block.footer.loaded}, [&](std::uint32_t lane) {
    const std::uint32_t row_a = block.bodies.row_a[lane], row_b = block.bodies.row_b[lane];
    const bool moves_a = (block.footer.writes_a >> lane & 1) != 0;
    const Stack& stack = stacks_[islands_.find(moves_a ? row_a : row_b)];
    const double inverse_a = rows.motion[row_a].inverse_mass();
    const double inverse_b = rows.motion[row_b].inverse_mass();
    const double inverse = std::max(inverse_a, inverse_b);
    double impulse = 0, masses = 0;
    for (std::uint32_t i = 0; i < block.footer.points; ++i) {
      impulse += block.points[i].impulse[lane];
      masses += block.points[i].mass[lane];
    }
    const double weight = std::max(stack.mass / std::max(stack.lowest, 1.0), stack.heaviest);
    const double bodies = std::floor(weight * inverse + 0.5);
    const double side = 2 * extra.inner_radius[lane];
    const double most = settings.buckling * side;  // 0 without gravity: nothing buckles
    const bool buckles = most > 0 && bodies * bodies * bodies > most;
    const double points = extra.count[lane];
    const bool tall = points >= 3 && masses * (inverse_a + inverse_b) > kTallShare * points;
    if (!buckles && !tall) return;
    kept |= 1u << lane;
    if (!buckles) return;
    const double load = impulse * inverse * settings.inverse_load;
    const double more = load * load * load / std::min(settings.least_load * side, 1.0);
    const double stiffness = std::clamp(more, 1.0, kStiffnessMax);
    block.soft_mass[lane] = stiffness / (stiffness + (1 / block.soft_mass[lane] - 1));
  });
  block.footer.loaded = static_cast<std::uint8_t>(kept);
}

std::uint64_t ContactLoads::mark(ContactLanes& lanes, const BodyRows& rows,
                                 const PassSettings& settings) {
  ORRERY_ASSERT(rows.null_row == lowest_.size());
  ORRERY_ASSERT(settings.inverse_load >= 0 && settings.buckling >= 0);
  clear_unused(lanes);
  if (!any_loaded(lanes)) return 0;
  find_stacks(lanes, rows);
  std::uint64_t colours = 0;
  for (std::uint32_t i = 0; i < kColours; ++i) {
    auto& general = lanes.colour(i).general;
    for (std::uint32_t k = 0; k < general.size(); ++k) {
      mark_block(general.blocks[k], general.extras[k], rows, settings);
      if (general.blocks[k].footer.loaded != 0) colours |= std::uint64_t{1} << i;
    }
  }
  return colours;
}

}  // namespace orrery::physics
