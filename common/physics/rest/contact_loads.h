// Finds the contacts that need help to carry what is stacked on them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/body/islands.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_lanes.h"

namespace orrery::physics {

// Finds the contacts under load (contact_settings.h) of a tick. A stack is a set of bodies that
// press on each other. Fixed bodies belong to no stack. The result depends on masses and on which
// contacts press, so a stack that bounces does not flicker between soft and stiff.
//
// A slender stack is a column: its bodies hardly touch more than two others.
class ContactLoads {
 public:
  // Masks of colours with contacts that have the mark of this name (BlockFooter).
  struct Colours {
    std::uint64_t loaded = 0;
    std::uint64_t slender = 0;
  };

  explicit ContactLoads(std::uint32_t capacity)
      : lowest_(capacity), presses_(capacity), stacks_(capacity) {
    ORRERY_ASSERT(capacity > 0);
    islands_.reset(capacity);
  }

  // Marks the contacts under load in BlockFooter, and sets ManifoldBlock::soft_mass of these lanes.
  // Does nothing if the `start` pass marked none.
  // REQUIRES: the `start` pass of this tick has run, with the same settings.
  Colours mark(ContactLanes& lanes, const BodyRows& rows, const PassSettings& settings);

 private:
  struct Stack {
    // Return how many bodies of a mass the lowest ones carry each, themselves included; and how
    // many bodies.
    double weight(double inverse_mass) const;
    double height() const { return bodies / std::max(lowest, 1.0); }
    bool is_column() const;

    double mass = 0;
    double heaviest = 0;     // mass of the heaviest body
    double bodies = 0;       // number of bodies
    double lowest = 0;       // number of bodies that press on a fixed body
    double presses = 0;      // contacts that press, counted at each of the bodies
    double presses_max = 0;  // of one body
    bool loaded = false;     // a contact bears more than the least load
    bool slender = false;
  };

  void find_stacks(const ContactLanes& lanes, const BodyRows& rows);
  void find_slender(std::uint32_t slots);
  void mark_block(ManifoldBlock& block, const ManifoldColdBlock& extra, const BodyRows& rows,
                  const PassSettings& settings);

  Islands islands_;                     // of slots
  std::vector<std::uint8_t> lowest_;    // for each slot: 1 if the body presses on a fixed body
  std::vector<std::uint32_t> presses_;  // for each slot: contacts that press
  std::vector<Stack> stacks_;           // for the lowest slot of each stack
};

}  // namespace orrery::physics
