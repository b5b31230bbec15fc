// Declares the small scenes of the field suite, and the parts that they are made of.
#pragma once

#include <cstdint>
#include <span>

#include "common/world/scenes/scene.h"
#include "common/world/scenes/scene_parts.h"

namespace orrery::field {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kG = 9.81;

// Return a scene without bodies, with the solver of contacts: without weight, or with the weight of
// the Earth along -y.
Scene weightless();
Scene earthly();

// Return parts of a shape. `cylinder` is the hull of a prism of `sides` corners along y.
physics::PartDef ball(double radius);
physics::PartDef box(const Vec3& half_extents);
physics::PartDef cube(double half_extent);
physics::PartDef capsule(double radius, double half_length);  // along y
physics::PartDef hull(std::span<const Vec3> points);
physics::PartDef box_hull(const Vec3& half_extents);
physics::PartDef cylinder(double radius, double half_length, int sides);
physics::PartDef plane();  // the half space y <= 0
// A flat mesh at y = 0, of 2 x n x m triangles over -x..x, -z..z.
physics::PartDef sheet(double x, double z, int n, int m);

// Returns the part with a friction and a restitution.
physics::PartDef with(physics::PartDef part, double friction, double restitution = 0);

// Add a body of one part and return its id. Its mass follows from the density of the part.
std::uint32_t add(Scene& scene, const physics::PartDef& part, const Vec3& position,
                  BodyKind kind = BodyKind::rigid);
std::uint32_t add_fixed(Scene& scene, const physics::PartDef& part, const Vec3& position);
// Adds a fixed body without a shape.
std::uint32_t add_anchor(Scene& scene, const Vec3& position);
// Adds a solid box without a shape: it touches nothing.
std::uint32_t add_ghost(Scene& scene, double mass, const Vec3& half_extents, const Vec3& position);

// Returns a floor with its top at y = 0: a box of 200 m.
std::uint32_t add_floor(Scene& scene, double friction = 0.5, double restitution = 0);

// Returns a turn by `angle` about an axis of unit length.
Quat turn(const Vec3& axis, double angle);

// Returns a joint between two bodies, about or along z.
JointDef& join(Scene& scene, physics::JointKind kind, std::uint32_t a, std::uint32_t b,
               const Vec3& at_a, const Vec3& at_b, const Vec3& axis = {0, 0, 1});

}  // namespace orrery::field
