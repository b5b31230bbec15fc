// Owns how the lane of one contact is filled: from bodies, materials and manifolds.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>

#include "common/core/limits.h"
#include "common/physics/body/bodies.h"
#include "common/physics/narrow/narrow_phase.h"
#include "common/physics/shape/shape.h"
#include "common/physics/solve/contact_lanes.h"

namespace orrery::physics {

// What contacts ask of the body in a slot.
struct ContactBody {
  std::uint32_t shape = kNoShape;
  bool moves = false;         // impulses change it
  bool turns_evenly = false;  // about every axis as easily
};

inline ContactBody contact_body(const Bodies& bodies, std::uint32_t slot, std::uint32_t shape) {
  const Vec3 i = bodies.inverse_inertia(slot);
  return {shape, bodies.inverse_mass(slot) > 0, i.x == i.y && i.x == i.z};
}

// One side of a contact.
struct ContactSide {
  std::uint32_t slot;
  const Part* part;
  bool moves;         // impulses change it
  bool centred_ball;  // about the centre of mass, and as easy to turn about every axis
};

struct ContactSides {
  ContactSide a;
  ContactSide b;
};

inline ContactSide contact_side(std::uint32_t slot, std::uint32_t part, const ContactBody& body,
                                const ShapeSet& shapes) {
  const Part& p = shapes.parts(body.shape)[part];
  const bool ball = p.kind == ShapeKind::sphere && p.position == Vec3{} && body.turns_evenly;
  return {slot, &p, body.moves, ball};
}

ContactSides contact_sides(ContactKey key, const Bodies& bodies, const ShapeSet& shapes,
                           std::span<const std::uint32_t> shape_of);

// The same, of bodies by slot.
inline ContactSides contact_sides(ContactKey key, std::span<const ContactBody> bodies,
                                  const ShapeSet& shapes) {
  const std::uint32_t a = key.slot_a(), b = key.slot_b();
  return {contact_side(a, key.part_a(), bodies[a], shapes),
          contact_side(b, key.part_b(), bodies[b], shapes)};
}

inline ContactKind kind_of(const ContactSides& s) {
  if (s.a.part->filter.sensor || s.b.part->filter.sensor) return ContactKind::sensor;
  const bool round = (s.a.centred_ball || !s.a.moves) && (s.b.centred_ball || !s.b.moves);
  return round ? ContactKind::round : ContactKind::general;
}

// Two balls, whose geometry the refresh of all lanes finds.
inline bool both_balls(const ContactSides& s) { return s.a.centred_ball && s.b.centred_ball; }

// True if nothing is worth reusing: the narrow phase is asked in every tick.
bool asks_always(const ContactSides& sides);

static_assert(kContactPointsMax == std::size(Manifold{}.points));
static_assert(kContactPartsMax >= limits::kPartsMax && kSurfaceManifoldsMax <= 4);

// The pose of the body in a slot.
inline Pose pose_of(const Bodies& bodies, std::uint32_t slot) {
  return {bodies.position(slot), bodies.orientation(slot)};
}

// What stays for the life of a contact, whose lane is new: bodies and materials.
void set_constants(ContactLanes& lanes, std::uint32_t id, const ContactSides& sides);

// What the narrow phase has found at the present poses. Points that there were before, by feature,
// keep their impulses.
void set_geometry(ContactLanes& lanes, std::uint32_t id, const ContactSides& sides,
                  const Manifold& manifold, const Bodies& bodies);

// A hash of the geometry of a general contact, as it was made.
std::uint64_t hash_geometry(const GeneralExtra& extra, std::uint32_t lane);

}  // namespace orrery::physics
