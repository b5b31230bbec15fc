// Computes contacts on curved ground again after each drift.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/narrow/narrow_phase.h"
#include "common/physics/update/contact_update.h"

namespace orrery::physics {

// Follows contacts with normals that change along the way of a body: of round parts on the faces of
// a mesh or height field, and with each other. A normal that is held for a tick lets a body move on
// along a tangent, into the ground. The push out of the ground then lifts it, so it gains energy.
// The object has no state between ticks.
class ContactFollower {
 public:
  // Lists such contacts of bodies that move along each other in the coming tick.
  void begin(const ContactInput& input, const ContactSet& contacts);

  // Returns true if begin() listed a contact.
  bool any() const { return !followed_.empty(); }

  // Asks the narrow phase about the listed contacts that press, at the poses of `bodies`. Those
  // with another normal get their new geometry. BodyRows::pushed of their bodies then has the
  // impulses of the warm start along the new directions. The result is equal for every executor.
  // REQUIRES: BodyRows::pose holds the poses of `bodies`, and no contact has begun or ended since
  // begin().
  void follow(const ShapedBodies& bodies, ContactSet& contacts, const ImpactSettings& settings,
              Executor& executor);

 private:
  struct Followed {
    ContactKey key;
    std::uint32_t id;
    bool changed = false;      // the narrow phase found another normal
    std::uint32_t number = 0;  // of the manifold that it found
    Manifold manifold{};
  };

  void ask(const ShapedBodies& bodies, ContactLanes& lanes, const ContactMargin& margin,
           std::span<Followed> contacts) const;

  std::vector<Followed> followed_;  // ascending by key
};

}  // namespace orrery::physics
