// The scene `tumble`: the tennis-racket flip, and bodies that do not flip.
#include <algorithm>

#include "common/world/scenes/scene_parts.h"

namespace orrery {
namespace {

// Returns the half extents of the solid box with these principal moments, for drawing. A flat box
// gets a small thickness.
Vec3 box_of(double mass, const Vec3& inertia) {
  ORRERY_ASSERT(mass > 0);
  ORRERY_ASSERT(inertia.x + inertia.y >= inertia.z && inertia.y + inertia.z >= inertia.x &&
                inertia.z + inertia.x >= inertia.y);  // which holds for every solid body
  const auto extent = [mass](double a, double b, double c) {
    return std::max(0.05, square_root(1.5 / mass * (a + b - c)));
  };
  return {extent(inertia.y, inertia.z, inertia.x), extent(inertia.z, inertia.x, inertia.y),
          extent(inertia.x, inertia.y, inertia.z)};
}

BodyDef spinning(const Vec3& inertia, const Vec3& angular_velocity, double x) {
  BodyDef body;
  body.mass = 1;
  body.inertia = inertia;
  body.position = {x, 0, 0};
  body.angular_velocity = angular_velocity;
  body.half_extents = box_of(body.mass, inertia);
  return body;
}

}  // namespace

// A body that turns about its middle axis flips again and again; about the axis of least or
// greatest inertia it does not. With moments 1, 2, 3 and a spin of (0.01, 5, 0.01) it flips every
// 5.026 s. There are no forces except those of clients.
Scene make_tumble(std::uint32_t) {
  Scene scene;
  scene.name = "tumble";
  constexpr Vec3 kFlipping{1, 2, 3};
  add_body(scene, "middle axis", spinning(kFlipping, {0.01, 5, 0.01}, 0));
  add_body(scene, "least axis", spinning(kFlipping, {5, 0.01, 0.01}, -6));
  add_body(scene, "greatest axis", spinning(kFlipping, {0.01, 0.01, 5}, 6));
  add_body(scene, "wing nut", spinning({0.5, 0.6, 1}, {0.01, 8, 0.01}, 12));
  add_body(scene, "top", spinning({1, 1, 0.4}, {0.5, 0, 8}, -12));
  return scene;
}

}  // namespace orrery
