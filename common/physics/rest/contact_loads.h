// Finds the contacts that need help to carry what is stacked on them.
#pragma once

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
class ContactLoads {
 public:
  explicit ContactLoads(std::uint32_t capacity) : lowest_(capacity), stacks_(capacity) {
    ORRERY_ASSERT(capacity > 0);
    islands_.reset(capacity);
  }

  // Keeps the bits of BlockFooter::loaded in stacks that could buckle, and sets
  // ManifoldBlock::soft_mass of these lanes. Returns a mask of their colours. If no bit is set, it
  // returns 0 and does nothing else.
  // REQUIRES: the `start` pass of this tick has run, with the same settings.
  std::uint64_t mark(ContactLanes& lanes, const BodyRows& rows, const PassSettings& settings);

 private:
  struct Stack {
    double mass = 0;
    double heaviest = 0;  // mass of the heaviest body
    double lowest = 0;    // number of bodies that press on a fixed body
  };

  void find_stacks(const ContactLanes& lanes, const BodyRows& rows);
  void mark_block(ManifoldBlock& block, const ManifoldColdBlock& extra, const BodyRows& rows,
                  const PassSettings& settings);

  Islands islands_;                   // of slots
  std::vector<std::uint8_t> lowest_;  // for each slot: 1 if the body presses on a fixed body
  std::vector<Stack> stacks_;         // for the lowest slot of each stack
};

}  // namespace orrery::physics
