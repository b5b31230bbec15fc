// Fills the lane of a contact from bodies, materials and manifolds.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>

#include "common/core/limits.h"
#include "common/physics/body/shaped_bodies.h"
#include "common/physics/contacts/contact_lanes.h"
#include "common/physics/narrow/narrow_phase.h"
#include "common/physics/shape/shape.h"

namespace orrery::physics {

// The properties of a body that its contacts use.
struct ContactBody {
  std::uint32_t shape = kNoShape;
  bool moves = false;              // impulses change its velocity
  bool isotropic_inertia = false;  // equal inertia about every axis
  bool driven = false;             // kinematic: it may rotate, although impulses do not change it
};

// A category and mask of all parts of a body, in place of its shape's (ContactCheck).
struct OtherFilter {
  std::uint32_t slot;
  std::uint32_t category;
  std::uint32_t mask;
};

// Returns the properties of the body in a slot. `shape` is the index of its shape.
inline ContactBody contact_body(const Bodies& bodies, std::uint32_t slot, std::uint32_t shape) {
  const Vec3 i = bodies.inverse_inertia(slot);
  const bool moves = bodies.inverse_mass(slot) > 0;
  return {shape, moves, i.x == i.y && i.x == i.z, !moves && i.x > 0};
}

// One side of a contact.
struct ContactSide {
  std::uint32_t slot;
  const Part* part;
  bool moves;         // impulses change the velocity of the body
  bool centred_ball;  // a ball about the centre of mass of a body with isotropic inertia
  bool driven;        // the body is kinematic
};

// Both sides of a contact.
struct ContactSides {
  ContactSide a;
  ContactSide b;
};

// Returns the side of a contact for a part of a body.
inline ContactSide contact_side(std::uint32_t slot, std::uint32_t part, const ContactBody& body,
                                const ShapeSet& shapes) {
  const Part& p = shapes.parts(body.shape)[part];
  const bool ball = p.kind == ShapeKind::sphere && p.position == Vec3{} && body.isotropic_inertia;
  return {slot, &p, body.moves, ball, body.driven};
}

// Returns both sides of a contact.
// REQUIRES: the key names parts of bodies that exist.
ContactSides contact_sides(ContactKey key, const ShapedBodies& bodies);

// Returns both sides of a contact, for bodies indexed by slot.
inline ContactSides contact_sides(ContactKey key, std::span<const ContactBody> bodies,
                                  const ShapeSet& shapes) {
  const std::uint32_t a = key.slot_a(), b = key.slot_b();
  return {contact_side(a, key.part_a(), bodies[a], shapes),
          contact_side(b, key.part_b(), bodies[b], shapes)};
}

// Returns the kind of a contact between two sides. Round contacts take the surface of a body that
// is no ball as still, so a kinematic body needs a general contact.
inline ContactKind kind_of(const ContactSides& s) {
  if (s.a.part->filter.sensor || s.b.part->filter.sensor) return ContactKind::sensor;
  const auto fits = [](const ContactSide& side) {
    return side.centred_ball || (!side.moves && !side.driven);
  };
  return fits(s.a) && fits(s.b) ? ContactKind::round : ContactKind::general;
}

// Returns true for two centred balls. The refresh kernel computes their geometry.
inline bool both_balls(const ContactSides& s) { return s.a.centred_ball && s.b.centred_ball; }

// Returns true if the narrow phase runs for a contact in every tick, because its geometry is not
// worth reusing.
bool needs_narrow_phase(const ContactSides& sides);

static_assert(kContactPointsMax == std::size(Manifold{}.points));
static_assert(kContactPartsMax >= limits::kPartsMax && kSurfaceManifoldsMax <= 4);

// Writes the data of a contact that no tick changes (bodies, materials, radii) into its new lane.
void set_constants(ContactLanes& lanes, std::uint32_t id, const ContactSides& sides);

// Writes the geometry that the narrow phase found at the present poses. Points with a feature id
// that the contact already had keep their impulses for the warm start. Each other point takes the
// impulse of the nearest old point that is left, if it is near. The only point of a round contact
// always keeps its impulse. REQUIRES: the manifold has 1 to kContactPointsMax points.
void set_geometry(ContactLanes& lanes, std::uint32_t id, const ContactSides& sides,
                  const Manifold& manifold, const Bodies& bodies);

// Computes normal_b and the hash from the rest of the geometry of a general contact.
void complete_geometry(ManifoldColdBlock& extra, std::uint32_t lane);
// Returns a hash of the geometry of a general contact as the narrow phase last computed it.
std::uint64_t hash_geometry(const ManifoldColdBlock& extra, std::uint32_t lane);

}  // namespace orrery::physics
