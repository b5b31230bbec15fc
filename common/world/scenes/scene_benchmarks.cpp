// The benchmark scenes `free` and `tethers`: spinning boxes, without and with springs.
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

constexpr Vec3 kHalfExtents{0.5, 0.3, 0.1};
constexpr double kMass = 120;       // kg: a density of 1000 kg/m^3
constexpr double kGridSpacing = 4;  // m, between neighbours of the grid
constexpr double kSpeed = 3;        // maximum of each component of velocity (m/s) and spin (rad/s)
constexpr double kTetherRate = 20;  // stiffness divided by mass

// Returns the number of boxes along an edge of the smallest cubic grid for `count` boxes.
std::int64_t grid_side(std::uint32_t count) {
  std::int64_t side = 1;
  while (side * side * side < count) ++side;
  return side;
}

Vec3 grid_position(std::int64_t i, std::int64_t side) {
  return {kGridSpacing * static_cast<double>(i % side - side / 2),
          kGridSpacing * static_cast<double>(i / side % side),
          kGridSpacing * static_cast<double>(i / side / side - side / 2)};
}

}  // namespace

Scene make_free(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  Scene scene;
  scene.name = "free";
  scene.gravity = {0, -kEarthGravity, 0};
  scene.bodies.reserve(count);
  SceneRandom draw;
  const std::int64_t side = grid_side(count);
  for (std::int64_t i = 0; i < count; ++i) {
    BodyDef body = solid_box(kMass, kHalfExtents, grid_position(i, side));
    body.velocity = draw_vector(draw, kSpeed);
    body.angular_velocity = draw_vector(draw, kSpeed);
    scene.bodies.push_back(body);
  }
  return scene;
}

Scene make_tethers(std::uint32_t count) {
  Scene scene = make_free(count);
  scene.name = "tethers";
  scene.integrator = Integrator::kinematic;  // exact for gravity and one tether per body
  scene.tethers.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    TetherDef tether;
    tether.body = i;
    tether.anchor = scene.bodies[i].position;
    tether.stiffness = kTetherRate * kMass;
    scene.tethers.push_back(tether);
  }
  return scene;
}

}  // namespace orrery
