// Computes how far apart two surfaces may be and still make a contact.
#include "common/physics/body/contact_margin.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::physics {

static_assert(0 < kMarginShareMin && kMarginShareMin < kMarginShareMax && kMarginFalls > 0);

// The margin of scenes without uniform gravity, in their unit of length, where the size of the
// parts does not limit it.
constexpr double kWeightless = 0.02;

double ContactMargin::of(double inner_radius) const {
  ORRERY_ASSERT(inner_radius >= 0 && fall >= 0);
  return std::clamp(fall, kMarginShareMin * inner_radius, kMarginShareMax * inner_radius);
}

double ContactMargin::of(const Part& a, const Part& b) const {
  return of(smaller_inner_radius(a, b));
}

ContactMargin contact_margin(const Vec3& gravity, double tick) {
  ORRERY_ASSERT(tick > 0);
  const double g = length(gravity);
  return {g > 0 ? kMarginFalls * tick * tick * g : kWeightless};
}

double smaller_inner_radius(const Part& a, const Part& b) {
  ORRERY_ASSERT(a.inner_radius >= 0 && b.inner_radius >= 0);
  const double least = std::min(a.inner_radius, b.inner_radius);
  return least > 0 ? least : std::max(a.inner_radius, b.inner_radius);
}

double widest_inner_radius(std::span<const Part> parts) {
  ORRERY_ASSERT(!parts.empty());
  double widest = 0;
  for (const Part& part : parts) widest = std::max(widest, part.inner_radius);
  return widest;
}

}  // namespace orrery::physics
