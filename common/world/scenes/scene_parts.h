// Makers of the built-in scenes, and the parts that they share.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "common/core/rng.h"
#include "common/world/scenes/scene.h"

namespace orrery {

// Each function makes one of the scenes that world/scenes/scenes.cpp lists. `count` is the N of
// that list, or 0 for scenes of fixed size.
Scene make_playground(std::uint32_t count);
Scene make_solar(std::uint32_t count);
Scene make_springs(std::uint32_t count);
Scene make_tumble(std::uint32_t count);
Scene make_lander(std::uint32_t count);
Scene make_free(std::uint32_t count);
Scene make_tethers(std::uint32_t count);
Scene make_spheres(std::uint32_t count);
Scene make_pyramid(std::uint32_t count);
Scene make_boxes(std::uint32_t count);
Scene make_crates(std::uint32_t count);
Scene make_domino(std::uint32_t count);
Scene make_bullet(std::uint32_t count);
Scene make_mesh(std::uint32_t count);
Scene make_jumble(std::uint32_t count);
Scene make_cubes(std::uint32_t count);
Scene make_chain(std::uint32_t count);
Scene make_ragdolls(std::uint32_t count);
Scene make_dice(std::uint32_t count);
Scene make_pencils(std::uint32_t count);
Scene make_cradle(std::uint32_t count);
Scene make_pinball(std::uint32_t count);

inline constexpr double kEarthGravity = 9.81;
inline constexpr double kMoonGravity = 1.62;

// Returns the principal moments of a solid box about its centre.
constexpr Vec3 solid_box_inertia(double mass, const Vec3& half_extents) {
  const Vec3 square = scaled(half_extents, half_extents);
  return {mass / 3 * (square.y + square.z), mass / 3 * (square.z + square.x),
          mass / 3 * (square.x + square.y)};
}

// Returns a solid box at rest.
inline BodyDef solid_box(double mass, const Vec3& half_extents, const Vec3& position) {
  ORRERY_ASSERT(mass > 0);
  ORRERY_ASSERT(half_extents.x > 0 && half_extents.y > 0 && half_extents.z > 0);
  BodyDef body;
  body.mass = mass;
  body.inertia = solid_box_inertia(mass, half_extents);
  body.position = position;
  body.half_extents = half_extents;
  return body;
}

// Returns a point body at rest, which never rotates. It is drawn as a ball.
inline BodyDef point_mass(double mass, double radius, const Vec3& position) {
  ORRERY_ASSERT(mass > 0 && radius > 0);
  BodyDef body;
  body.kind = BodyKind::point;
  body.mass = mass;
  body.position = position;
  body.half_extents = {radius, radius, radius};
  return body;
}

// Adds a named body and returns its id.
inline std::uint32_t add_body(Scene& scene, std::string name, const BodyDef& body) {
  // Either all bodies have names, or none has.
  ORRERY_ASSERT(scene.names.size() == scene.bodies.size());
  scene.bodies.push_back(body);
  scene.names.push_back(std::move(name));
  return static_cast<std::uint32_t>(scene.bodies.size() - 1);
}

// Returns a random vector with components from -most to most. Each draw is its own statement,
// because C++ does not define the order in which arguments of one call are computed.
inline Vec3 draw_vector(SceneRandom& draw, double most) {
  ORRERY_ASSERT(most > 0);
  Vec3 v;
  v.x = most * draw.next();
  v.y = most * draw.next();
  v.z = most * draw.next();
  return v;
}

// Applies the settings of scenes with contacts: Earth gravity, and semi-implicit Euler in substeps.
inline void use_contacts(Scene& scene) {
  scene.gravity = {0, -kEarthGravity, 0};
  scene.integrator = Integrator::semi_implicit_euler;
  scene.substeps = kContactSubsteps;
}

physics::PartDef capsule_part(double radius, double half_length);  // along y

// Adds a shape of one part and returns its index.
std::uint32_t add_shape(Scene& scene, physics::PartDef part);
std::uint32_t add_ball_shape(Scene& scene, double radius);
std::uint32_t add_box_shape(Scene& scene, const Vec3& half_extents);
std::uint32_t add_capsule_shape(Scene& scene, double radius, double half_length);

// Returns a body at rest with a shape of the scene. Its mass follows from the density of the shape.
BodyDef shaped_body(const Scene& scene, std::uint32_t shape, const Vec3& position);

// Adds a fixed box. No command moves it. Only an admin may remove it.
void add_block(Scene& scene, const Vec3& half_extents, const Vec3& position);

// Adds a floor with its top at y = 0, and walls 20 m apart and 50 m high.
void add_tray(Scene& scene);

}  // namespace orrery
