// Tests which springs get an implicit kick.
#include "common/physics/motion/stiff_springs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::physics {
namespace {

constexpr double kH = 0.01;

ForceSet forces_of(std::vector<Spring> springs, std::uint32_t slots) {
  ForceSet forces;
  forces.springs = std::move(springs);
  forces.turns.assign(slots, 0);
  return forces;
}

// Slot 0 is an anchor. Every other body has the mass 1 and the least moment of inertia 0.5.
double looseness(std::uint32_t slot, const Vec3& at) {
  return slot == 0 ? 0 : 1 + dot(at, at) / 0.5;
}

TEST(StiffSprings, OneSpringIsImplicitBeyondTheBound) {
  const double bound = kExplicitTurnsMax / (kH * kH);  // of the stiffness
  for (const double share : {0.1, 0.99, 1.01, 10.0, 1e9}) {
    for (const double arm : {0.0, 1.0}) {  // an arm of 1 makes the end three times as loose
      ForceSet forces =
          forces_of({{0, 1, {}, {arm, 0, 0}, share * bound / (1 + 2 * arm), 0, 1}}, 2);
      set_ahead(forces, kH, looseness);
      EXPECT_EQ(forces.springs[0].ahead, share > 1 ? kH : 0) << share;
    }
    ForceSet pair = forces_of({{1, 2, {}, {}, share * bound / 2, 0, 1}}, 3);
    set_ahead(pair, kH, looseness);
    EXPECT_EQ(pair.springs[0].ahead, share > 1 ? kH : 0) << share;
    ForceSet tethered = forces_of({}, 2);
    tethered.tethers = {{1, {}, {}, share * bound, 0, 0}};
    set_ahead(tethered, kH, looseness);
    EXPECT_EQ(tethered.tethers[0].ahead, share > 1 ? kH : 0) << share;
  }
}

TEST(StiffSprings, SpringsAtOneBodyCountTogether) {
  const double bound = kExplicitTurnsMax / (kH * kH);
  for (const int count : {1, 3, 4, 5}) {
    std::vector<Spring> springs(static_cast<std::size_t>(count),
                                {0, 1, {}, {}, 0.24 * bound, 0, 1});
    ForceSet forces = forces_of(springs, 2);
    set_ahead(forces, kH, looseness);
    for (const Spring& spring : forces.springs)
      EXPECT_EQ(spring.ahead, count > 4 ? kH : 0) << count;
  }
}

TEST(StiffSprings, AStiffSpringLeavesASoftNeighbourExplicit) {
  ForceSet forces = forces_of({{0, 1, {}, {}, 1, 0, 1}, {0, 1, {}, {}, 1e12, 0, 1}}, 2);
  set_ahead(forces, kH, looseness);
  EXPECT_EQ(forces.springs[0].ahead, 0);
  EXPECT_EQ(forces.springs[1].ahead, kH);
}

}  // namespace
}  // namespace orrery::physics
