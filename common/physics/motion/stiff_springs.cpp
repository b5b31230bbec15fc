// Finds the springs and tethers that are too stiff for an explicit kick.
//
// Let k be the stiffness of a spring and w the inverse effective mass of one of its ends. That end
// turns by the phase angle t = h sqrt(k w) in a step. Scaled by the stiffness, an entry of the
// matrix of all springs is at most the sum of t t' over the bodies that two springs share. So the
// sum of a row, which bounds the eigenvalues, is at most the sum over both ends of t times the sum
// of all t' at that body.
#include "common/physics/motion/stiff_springs.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/math/vec3.h"

namespace orrery::physics {
namespace {

// Calls visit(slot, at) for each end of a spring that is at a body.
template <class Visit>
void for_ends(const Spring& spring, Visit visit) {
  visit(spring.a, spring.at_a);
  visit(spring.b, spring.at_b);
}
template <class Visit>
void for_ends(const Tether& tether, Visit visit) {
  visit(tether.body, tether.at);
}

// Computes phase angles of the ends of springs.
struct Turns {
  ForceSet& forces;
  double h;
  const Looseness& looseness;

  double of(double stiffness, std::uint32_t slot, const Vec3& at) const {
    return h * square_root(stiffness * looseness(slot, at));
  }

  // Calls visit for each spring and tether whose kick is explicit.
  template <class Visit>
  void for_explicit(Visit visit) const {
    for (Spring& spring : forces.springs) {
      if (spring.ahead == 0) visit(spring);
    }
    for (Tether& tether : forces.tethers) {
      if (tether.ahead == 0) visit(tether);
    }
  }

  // Makes the kick of each spring implicit for which sum(turn, slot), added up over its ends,
  // exceeds the bound.
  template <class Sum>
  void bound(Sum sum) const {
    for_explicit([&](auto& spring) {
      double turns = 0;
      for_ends(spring, [&](std::uint32_t slot, const Vec3& at) {
        turns += sum(of(spring.stiffness, slot, at), slot);
      });
      if (turns > kExplicitTurnsMax) spring.ahead = h;
    });
  }
};

}  // namespace

void set_ahead(ForceSet& forces, double h, const Looseness& looseness) {
  ORRERY_ASSERT(h > 0);
  const Turns turns{forces, h, looseness};
  for (Spring& spring : forces.springs) spring.ahead = 0;
  for (Tether& tether : forces.tethers) tether.ahead = 0;
  // First those that are too stiff by themselves: they do not count for their neighbours.
  turns.bound([](double turn, std::uint32_t) { return turn * turn; });
  std::fill(forces.turns.begin(), forces.turns.end(), 0.0);
  turns.for_explicit([&](const auto& spring) {
    for_ends(spring, [&](std::uint32_t slot, const Vec3& at) {
      ORRERY_ASSERT(slot < forces.turns.size());
      forces.turns[slot] += turns.of(spring.stiffness, slot, at);
    });
  });
  turns.bound([&](double turn, std::uint32_t slot) { return turn * forces.turns[slot]; });
}

}  // namespace orrery::physics
