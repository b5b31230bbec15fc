// Owns the built-in scene `tumble`: the tennis-racket flip, beside bodies that do not flip.
#include <algorithm>

#include "common/world/scene_parts.h"

namespace orrery {
namespace {

// Half extents of the solid box with these principal moments, to draw it; never quite flat.
Vec3 box_of(double mass, const Vec3& inertia) {
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

// A body that turns about its middle axis flips over and over; about the axis of the least or the
// greatest inertia it does not. With moments 1, 2, 3 and a spin of (0.01, 5, 0.01) a flip comes
// every 5.026 s. Nothing acts on these bodies but clients.
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
