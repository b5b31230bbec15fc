// The scene `springs`: a wave runs through a square lattice of masses.
#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

constexpr double kPointMass = 1;
constexpr double kSpringLength = 1;
constexpr double kDiagonal = 1.4142135623730951;
// The highest frequency of the lattice is sqrt(8 stiffness / mass) = 49 rad/s. Leapfrog at 60 Hz is
// stable up to 120 rad/s.
constexpr double kStiffness = 300;
static_assert(8 * kStiffness / kPointMass < 120 * 120);
static_assert(kDiagonal * kDiagonal > 1.999999 && kDiagonal * kDiagonal < 2.000001);

}  // namespace

// Springs join every mass to its eight neighbours, so the lattice resists shear. The corners are
// anchors. The middle mass starts with a velocity and sends out a wave, both in the plane and at
// right angles to it. Without gravity and damping the wave keeps its energy.
Scene make_springs(std::uint32_t count) {
  ORRERY_ASSERT(count > 0);
  Scene scene;
  scene.name = "springs";
  scene.integrator = Integrator::leapfrog_dkd;
  std::uint32_t side = 1;
  while (std::uint64_t{side} * side < count) ++side;
  const std::uint32_t last_row = (count - 1) / side * side;
  const std::uint32_t corners[] = {0, side - 1, last_row, count - 1};
  ORRERY_ASSERT(side - 1 < count && last_row < count);
  scene.bodies.reserve(count);
  scene.springs.reserve(std::size_t{4} * count);
  const auto join = [&scene](std::uint32_t a, std::uint32_t b, double distance) {
    SpringDef spring;
    spring.a = a;
    spring.b = b;
    spring.stiffness = kStiffness;
    spring.rest_length = distance;
    scene.springs.push_back(spring);
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t column = i % side;
    const std::uint32_t row = i / side;
    scene.bodies.push_back(
        point_mass(kPointMass, 0.2, {kSpringLength * column, 0, kSpringLength * row}));
    if (column > 0) join(i - 1, i, kSpringLength);
    if (row > 0) join(i - side, i, kSpringLength);
    if (row > 0 && column > 0) join(i - side - 1, i, kDiagonal * kSpringLength);
    if (row > 0 && column + 1 < side) join(i - side + 1, i, kDiagonal * kSpringLength);
  }
  const std::uint32_t middle = last_row / 2 / side * side + side / 2;
  ORRERY_ASSERT(middle < count);
  scene.bodies[middle].velocity = {3, 5, 2};
  for (const std::uint32_t corner : corners) scene.bodies[corner].kind = BodyKind::anchor;
  return scene;
}

}  // namespace orrery
