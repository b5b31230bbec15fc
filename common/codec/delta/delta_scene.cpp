// Derives the numbers of predictions from a scene.
#include "common/codec/delta/delta_scene.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/core/limits.h"

namespace orrery::codec {

static_assert(kOrientationBitsMin == 6 && kOrientationBitsMax == 15);  // validate(Scene) has these

namespace {

double smallest(const Vec3& v) { return std::min({v.x, v.y, v.z}); }
double magnitude(double x) { return x < 0 ? -x : x; }
double on_the_grid(double x) {
  return std::clamp(x, -double{kGridPositionMax}, double{kGridPositionMax});
}

// Returns the largest power of two that is at most x. REQUIRES: x is positive and finite.
double power_of_two_below(double x) {
  double power = 1;
  while (power > x) power *= 0.5;
  while (2 * power <= x) power *= 2;
  return power;
}

Grid grid_of(const Scene& scene) {
  if (scene.snapshot_position_step != 0) {
    return {.position_step = scene.snapshot_position_step,
            .orientation_bits = scene.snapshot_orientation_bits};
  }
  double extent = limits::kLengthMax;
  double farthest = 0;
  for (const BodyDef& body : scene.bodies) {
    const Vec3& p = body.position;
    farthest = std::max({farthest, magnitude(p.x), magnitude(p.y), magnitude(p.z)});
    if (body.kind != BodyKind::anchor) extent = std::min(extent, smallest(body.half_extents));
  }
  if (extent == limits::kLengthMax) extent = 1;
  // Leave room for motion to eight times as far as the initial positions.
  const double wanted = std::max(extent, limits::kExtentMin) / 64;
  return {.position_step =
              power_of_two_below(std::max(wanted, 8 * farthest / double{kGridPositionMax})),
          .orientation_bits = scene.snapshot_orientation_bits};
}

}  // namespace

DeltaScene delta_scene_of(const Scene& scene) {
  DeltaScene out{.grid = grid_of(scene),
                 .gravity = {},
                 .slots = static_cast<std::uint32_t>(scene.bodies.size()) + scene.spare_bodies,
                 .prototypes = static_cast<std::uint32_t>(scene.bodies.size())};
  const double time = tick_time(scene);
  const Vec3 gravity = (time * time / out.grid.position_step) * scene.gravity;
  out.gravity = {on_the_grid(gravity.x), on_the_grid(gravity.y), on_the_grid(gravity.z)};
  ORRERY_ASSERT(out.slots <= limits::kBodiesMax);
  return out;
}

double radius_of(const BodyDef& body, const Grid& grid) {
  return std::clamp(smallest(body.half_extents) / grid.position_step, 1.0, 0x1p31);
}

std::vector<double> radii_of(const Scene& scene, const Grid& grid) {
  std::vector<double> radii;
  for (const BodyDef& body : scene.bodies) radii.push_back(radius_of(body, grid));
  return radii;
}

}  // namespace orrery::codec
