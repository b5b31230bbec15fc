// Computes how far apart two surfaces may be and still make a contact.
#pragma once

#include <span>

#include "common/math/vec3.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

// A margin is kMarginFalls times g T^2, with g uniform gravity and T the length of a tick. On Earth
// this is 2 cm at 60 Hz. But it is at least kMarginShareMin times the inner radius of the smaller
// part, and at most kMarginShareMax times its reach. Where gravity is weak or absent, the size of
// the parts counts.
inline constexpr double kMarginFalls = 7.34;
inline constexpr double kMarginShareMin = 0.04;
inline constexpr double kMarginShareMax = 2.5;

// The size of a part, or bounds on the sizes of several parts.
struct PartSize {
  double inner_radius = 0;
  double reach = 0;
};

// Return the size of a part, the least of two sizes in each respect, and the largest. Planes and
// surfaces have no inner radius, so it does not count for the least.
PartSize size_of(const Part& part);
PartSize least_size(const PartSize& a, const PartSize& b);
PartSize largest_size(const PartSize& a, const PartSize& b);

// Returns the largest size of some parts.
// REQUIRES: parts is not empty.
PartSize largest_size(std::span<const Part> parts);

// The speculative margin: the largest distance between surfaces at which they make a contact. A
// contact with a gap pushes only if the gap would close within the substep.
struct ContactMargin {
  double fall = 0;  // the margin where the size of the parts does not limit it, length

  // Return the margin of two parts of which `size` is the least size. It grows with the size.
  double of(const PartSize& size) const;
  double of(const Part& a, const Part& b) const;
};

// Returns the margins for a tick of length `tick`.
// REQUIRES: tick > 0.
ContactMargin contact_margin(const Vec3& gravity, double tick);

}  // namespace orrery::physics
