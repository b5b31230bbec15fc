// Tests whether a segment meets a box.
#include "common/physics/shape/aabb.h"

#include <algorithm>
#include <cmath>

namespace orrery::physics {
namespace {

// The part of a line that is in a box: the points origin + t * along with begin <= t <= end.
struct Stretch {
  double begin;
  double end;
};

// Clips the stretch to the points with a coordinate from `lower` to `upper` on one axis. `origin`
// and `along` are the components of the line on this axis. Widens the stretch by more than the
// rounding error of the three operations that compute an end, so that rounding never causes a miss.
void narrow(Stretch& stretch, double origin, double along, double lower, double upper) {
  constexpr double kSlack = 0x1p-50;
  if (along == 0) {
    if (origin < lower || origin > upper) stretch.end = -1;
    return;
  }
  const double a = (lower - origin) / along;
  const double b = (upper - origin) / along;
  const double first = std::min(a, b);
  const double last = std::max(a, b);
  stretch.begin = std::max(stretch.begin, first - kSlack * std::abs(first));
  stretch.end = std::min(stretch.end, last + kSlack * std::abs(last));
}

}  // namespace

bool meets(const Aabb& box, const Vec3& origin, const Vec3& along, double end) {
  Stretch stretch{0, end};
  narrow(stretch, origin.x, along.x, box.lower.x, box.upper.x);
  narrow(stretch, origin.y, along.y, box.lower.y, box.upper.y);
  narrow(stretch, origin.z, along.z, box.lower.z, box.upper.z);
  return stretch.begin <= stretch.end;
}

}  // namespace orrery::physics
