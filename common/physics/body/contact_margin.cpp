// Computes how far apart two surfaces may be and still make a contact.
#include "common/physics/body/contact_margin.h"

#include <algorithm>

#include "common/core/assert.h"

namespace orrery::physics {

static_assert(0 < kMarginShareMin && kMarginShareMin < kMarginShareMax && kMarginFalls > 0);

// The margin of scenes without uniform gravity, in their unit of length, where the size of the
// parts does not limit it.
constexpr double kWeightless = 0.02;

PartSize size_of(const Part& part) {
  ORRERY_ASSERT(part.inner_radius >= 0 && part.reach >= 0);
  return {part.inner_radius, part.reach};
}

PartSize least_size(const PartSize& a, const PartSize& b) {
  const double least = std::min(a.inner_radius, b.inner_radius);
  return {least > 0 ? least : std::max(a.inner_radius, b.inner_radius), std::min(a.reach, b.reach)};
}

PartSize largest_size(const PartSize& a, const PartSize& b) {
  return {std::max(a.inner_radius, b.inner_radius), std::max(a.reach, b.reach)};
}

PartSize largest_size(std::span<const Part> parts) {
  ORRERY_ASSERT(!parts.empty());
  PartSize largest;
  for (const Part& part : parts) largest = largest_size(largest, size_of(part));
  return largest;
}

double ContactMargin::of(const PartSize& size) const {
  ORRERY_ASSERT(size.inner_radius >= 0 && fall >= 0);
  const double least = kMarginShareMin * size.inner_radius;
  return std::clamp(fall, least, std::max(least, kMarginShareMax * size.reach));
}

double ContactMargin::of(const Part& a, const Part& b) const {
  return of(least_size(size_of(a), size_of(b)));
}

ContactMargin contact_margin(const Vec3& gravity, double tick) {
  ORRERY_ASSERT(tick > 0);
  const double g = length(gravity);
  return {g > 0 ? kMarginFalls * tick * tick * g : kWeightless};
}

}  // namespace orrery::physics
