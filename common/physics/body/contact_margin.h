// Computes how far apart two surfaces may be and still make a contact.
#pragma once

#include <span>

#include "common/math/vec3.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

// A margin is kMarginFalls times g T^2, with g uniform gravity and T the length of a tick. On Earth
// this is 2 cm at 60 Hz. But it is at least kMarginShareMin, and at most kMarginShareMax times the
// inner radius of the smaller part. Where gravity is weak or absent, the size of the parts counts.
inline constexpr double kMarginFalls = 7.34;
inline constexpr double kMarginShareMin = 0.04;
inline constexpr double kMarginShareMax = 4;

// The speculative margin: the largest distance between surfaces at which they make a contact. A
// contact with a gap pushes only if the gap would close within the substep.
struct ContactMargin {
  double fall = 0;  // the margin where the size of the parts does not limit it, length

  // Return the margin of two parts. `inner_radius` is the one of the smaller part. The margin grows
  // with it.
  double of(double inner_radius) const;
  double of(const Part& a, const Part& b) const;
};

// Returns the margins for a tick of length `tick`.
// REQUIRES: tick > 0.
ContactMargin contact_margin(const Vec3& gravity, double tick);

// Returns the inner radius of the smaller part. Planes and surfaces, which have none, do not count.
double smaller_inner_radius(const Part& a, const Part& b);

// Returns the largest inner radius of some parts.
double widest_inner_radius(std::span<const Part> parts);

}  // namespace orrery::physics
