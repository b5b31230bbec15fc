// Answers spatial queries: ray casts, shape casts and overlaps.
#pragma once

#include <cstdint>
#include <vector>

#include "common/physics/body/body_index.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// The bodies of a query, and the index of their present poses.
struct QueryInput {
  const BodyIndex& index;
  ShapedBodies bodies;
};

// A selection of parts: those that may touch a part with this filter (may_meet()).
struct QueryFilter {
  Filter filter;
  bool sensors = false;        // true: sensors count too
  std::uint32_t except = ~0u;  // slot of a body that does not count
};

// A part that a ray or a moving shape hits.
struct CastHit {
  double fraction = 0;  // of the ray or motion, 0 to 1
  std::uint32_t slot = 0;
  std::uint32_t part = 0;  // index in the body's shape
  Vec3 normal;             // of the part, world axes, unit length; zero: overlap at the start
};

// Replaces `hits` by the parts that the ray from `origin` to origin + `along` (world frame) meets.
// Keeps the `most` nearest, ascending in fraction, then slot, then part.
// REQUIRES: most >= 1.
void cast_ray(const QueryInput& input, const Vec3& origin, const Vec3& along,
              const QueryFilter& filter, std::uint32_t most, std::vector<CastHit>& hits);

// Casts a convex part of a body along a motion, like a ray. The bodies of `input` do not move. The
// fraction of a hit is the fraction of the motion at which the distance of the parts is only
// kCastShare times the inner radius of the cast part. REQUIRES: the part is convex and not a plane,
// and most >= 1.
inline constexpr double kCastShare = 0.002;
void cast_shape(const QueryInput& input, const Part& part, const Motion& way,
                const QueryFilter& filter, std::uint32_t most, std::vector<CastHit>& hits);

// Replaces `slots` by the bodies that touch or overlap a convex part of a body at `pose`. Keeps the
// `most` lowest slots, ascending. REQUIRES: the part is convex and not a plane, and most >= 1.
void find_overlaps(const QueryInput& input, const Part& part, const Pose& pose,
                   const QueryFilter& filter, std::uint32_t most,
                   std::vector<std::uint32_t>& slots);

// Return parts for queries, centred at the origin of their body.
Part ball_part(double radius);
Part box_part(const Vec3& half_extents);

}  // namespace orrery::physics
