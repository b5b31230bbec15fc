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
    last.tall &= all;
    last.presses &= all;
  }
}

// Returns the row of a body of a contact that impulses change.
std::uint32_t movable_row(const ManifoldBlock& block, std::uint32_t lane) {
  const bool moves_a = (block.footer.writes_a >> lane & 1) != 0;
  return moves_a ? block.bodies.row_a[lane] : block.bodies.row_b[lane];
}

bool any_loaded(const ContactLanes& lanes) {
  for (std::uint32_t i = 0; i < kColours; ++i) {
    for (const ManifoldBlock& block : lanes.colour(i).general.blocks) {
      if ((block.footer.loaded | block.footer.tall) != 0) return true;
    }
  }
  return false;
}

}  // namespace

double ContactLoads::Stack::weight(double inverse_mass) const {
  ORRERY_ASSERT(inverse_mass > 0);
  return std::floor(std::max(mass / std::max(lowest, 1.0), heaviest) * inverse_mass + 0.5);
}

bool ContactLoads::Stack::is_column() const {
  return presses <= kSlenderPresses * bodies && presses_max <= kSlenderPressesMax;
}

void ContactLoads::find_stacks(const ContactLanes& lanes, const BodyRows& rows) {
  ORRERY_ASSERT(rows.null_row == stacks_.size());
  islands_.reset(rows.null_row);
  std::fill(lowest_.begin(), lowest_.end(), std::uint8_t{0});
  std::fill(presses_.begin(), presses_.end(), 0u);
  const auto for_blocks = [&](auto visit) {
    for (std::uint32_t i = 0; i < kColours; ++i) {
      for (const ManifoldBlock& block : lanes.colour(i).general.blocks) visit(block);
    }
  };
  for_blocks([&](const ManifoldBlock& block) {
    const BlockHeader& bodies = block.bodies;
    const unsigned moves_a = block.footer.writes_a, moves_b = block.footer.writes_b;
    const unsigned presses = block.footer.presses;
    for_bits(presses & moves_a & moves_b,
             [&](std::uint32_t lane) { islands_.join(bodies.row_a[lane], bodies.row_b[lane]); });
    for_bits(presses & (moves_a ^ moves_b), [&](std::uint32_t lane) {
      lowest_[moves_a >> lane & 1 ? bodies.row_a[lane] : bodies.row_b[lane]] = 1;
    });
    for_bits(presses & moves_a, [&](std::uint32_t lane) { ++presses_[bodies.row_a[lane]]; });
    for_bits(presses & moves_b, [&](std::uint32_t lane) { ++presses_[bodies.row_b[lane]]; });
  });
  std::fill(stacks_.begin(), stacks_.end(), Stack{});
  for (std::uint32_t tile = 0; tile < rows.null_row / limits::kTileBodies; ++tile) {
    for_bits(rows.used[tile], [&](std::uint32_t i) {
      const std::uint32_t slot = tile * limits::kTileBodies + i;
      const double inverse = rows.motion[slot].inverse_mass();
      if (inverse == 0) return;
      Stack& stack = stacks_[islands_.find(slot)];
      stack.mass += 1 / inverse;
      stack.heaviest = std::max(stack.heaviest, 1 / inverse);
      stack.bodies += 1;
      stack.lowest += lowest_[slot];
      stack.presses += presses_[slot];
      stack.presses_max = std::max(stack.presses_max, static_cast<double>(presses_[slot]));
    });
  }
  for_blocks([&](const ManifoldBlock& block) {
    for_bits(unsigned{block.footer.loaded}, [&](std::uint32_t lane) {
      stacks_[islands_.find(movable_row(block, lane))].loaded = true;
    });
  });
  find_slender(rows.null_row);
}

// Marks columns under load, the lowest slots first, up to a bound on their contacts.
void ContactLoads::find_slender(std::uint32_t slots) {
  ORRERY_ASSERT(slots == stacks_.size());
  double contacts = 0;
  for (Stack& stack : stacks_) {
    if (!stack.loaded || !stack.is_column()) continue;
    contacts += stack.presses;
    stack.slender = contacts <= kSlenderContactsMax;
  }
}

void ContactLoads::mark_block(ManifoldBlock& block, const ManifoldColdBlock& extra,
                              const BodyRows& rows, const PassSettings& settings) {
  unsigned loaded = block.footer.tall, slender = 0;
  for_bits(unsigned{block.footer.presses}, [&](std::uint32_t lane) {
    const Stack& stack = stacks_[islands_.find(movable_row(block, lane))];
    if (!stack.loaded) return;
    const double inverse = std::max(rows.motion[block.bodies.row_a[lane]].inverse_mass(),
                                    rows.motion[block.bodies.row_b[lane]].inverse_mass());
    const double bodies = stack.weight(inverse);
    const double side = 2 * extra.inner_radius[lane];
    const double most = settings.buckling * side;  // 0 without gravity: nothing buckles
    if (!(most > 0 && bodies * bodies * bodies > most)) return;
    loaded |= 1u << lane;
    double stiffest = kStiffnessMax;
    const double solved = kSlenderMasses / (stack.heaviest * inverse * stack.height());
    if (stack.slender && solved > 1) {
      slender |= 1u << lane;
      const double needed = kSlenderStiffness * (bodies * bodies * bodies) / most;
      stiffest = std::max(stiffest, std::min({needed, solved, kSlenderStiffnessMax}));
    }
    double impulse = 0;
    for (std::uint32_t i = 0; i < block.footer.points; ++i)
      impulse += block.points[i].impulse[lane];
    const double load = impulse * inverse * settings.inverse_load;
    const double more = load * load * load / std::min(settings.least_load * side, 1.0);
    const double stiffness = std::clamp(more, 1.0, stiffest);
    block.soft_mass[lane] = stiffness / (stiffness + (1 / block.soft_mass[lane] - 1));
  });
  block.footer.loaded = static_cast<std::uint8_t>(loaded);
  block.footer.slender = static_cast<std::uint8_t>(slender);
}

ContactLoads::Colours ContactLoads::mark(ContactLanes& lanes, const BodyRows& rows,
                                         const PassSettings& settings) {
  ORRERY_ASSERT(rows.null_row == lowest_.size());
  ORRERY_ASSERT(settings.inverse_load >= 0 && settings.buckling >= 0);
  clear_unused(lanes);
  Colours colours;
  if (!any_loaded(lanes)) return colours;
  find_stacks(lanes, rows);
  for (std::uint32_t i = 0; i < kColours; ++i) {
    auto& general = lanes.colour(i).general;
    for (std::uint32_t k = 0; k < general.size(); ++k) {
      mark_block(general.blocks[k], general.extras[k], rows, settings);
      const BlockFooter& footer = general.blocks[k].footer;
      colours.loaded |= std::uint64_t{footer.loaded != 0} << i;
      colours.slender |= std::uint64_t{footer.slender != 0} << i;
    }
  }
  return colours;
}

}  // namespace orrery::physics
