// Owns the questions about where bodies are: what a ray meets, what a shape meets on its way, what
// overlaps a shape.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/physics/body/body_index.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// The bodies that are asked about, and the index of where they are now.
struct QueryInput {
  const BodyIndex& index;
  const Bodies& bodies;
  const ShapeSet& shapes;
  std::span<const std::uint32_t> shape_of;  // of every slot, or kNoShape
};

// Which parts count: those that may meet one of this filter.
struct QueryFilter {
  Filter filter;
  bool sensors = false;        // sensors count too
  std::uint32_t except = ~0u;  // the body in this slot does not
};

struct CastHit {
  double fraction = 0;  // of the way, 0 to 1
  std::uint32_t slot = 0;
  std::uint32_t part = 0;  // of the body's shape
  Vec3 normal;             // of the part, world axes, unit length; zero: they overlap at the start
};

// Replaces `hits` by the parts that the ray from `origin` to origin + `along` (world frame) meets:
// the `most` nearest of them, ascending in fraction, then slot, then part.
void cast_ray(const QueryInput& input, const Vec3& origin, const Vec3& along,
              const QueryFilter& filter, std::uint32_t most, std::vector<CastHit>& hits);

// The same for a convex part of a body on its way; it stops kCastDistance short of what it meets.
inline constexpr double kCastDistance = 1e-3;
void cast_shape(const QueryInput& input, const Part& part, const Motion& way,
                const QueryFilter& filter, std::uint32_t most, std::vector<CastHit>& hits);

// Replaces `slots` by the bodies that touch or overlap a convex part of a body at `pose`: those of
// the `most` lowest slots, ascending.
void find_overlaps(const QueryInput& input, const Part& part, const Pose& pose,
                   const QueryFilter& filter, std::uint32_t most,
                   std::vector<std::uint32_t>& slots);

// Parts to ask with, about the origin of their body.
Part ball_part(double radius);
Part box_part(const Vec3& half_extents);

}  // namespace orrery::physics
