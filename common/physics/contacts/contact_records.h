// Converts contacts to records, as images store them, and back.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/physics/contacts/contact_geometry.h"
#include "common/physics/contacts/contact_key.h"
#include "common/physics/contacts/contact_lanes.h"

namespace orrery::physics {

// A point of a contact record.
struct ContactPointRecord {
  // "When made" is the tick in which the narrow phase last computed the geometry.
  Vec3 at_a;                  // anchor of body a (ManifoldColdBlock)
  Vec3 at_b;                  // anchor of body b
  double separation = 0;      // when made
  double impulse = 0;         // along the normal, of the last substep
  std::uint32_t feature = 0;  // feature id of the narrow phase
};

// The exact state of a contact that a tick can change and the next tick needs. The geometry of a
// round contact is computed in every tick, so its record uses no other number of a point than
// points[0].impulse.
struct ContactRecord {
  ContactKey key;
  ContactKind kind = ContactKind::round;
  std::uint8_t colour = 0;
  std::uint8_t count = 0;  // number of points; 0: a sensor
  bool face_of_b = false;  // general contact: the normal turns with body b, not a
  Vec3 normal;             // general contact: normal when made, from a to b, axes of a
  Quat turn;               // general contact: orientation of b in the axes of a when made
  std::array<ContactPointRecord, kContactPointsMax> points;
  Vec3 friction_impulse;     // world axes, on b
  double twist_impulse = 0;  // on b, about the normal
  Vec3 rolling_impulse;      // world axes, on b
};

// Reads the contact with this key and id from its lane into `record`, which may hold another
// contact.
void read_record(const ContactLanes& lanes, ContactKey key, std::uint32_t id,
                 ContactRecord& record);
// Writes the state of a record to the lane of a contact.
// REQUIRES: the contact has the kind and colour of the record.
void write_record(ContactLanes& lanes, std::uint32_t id, const ContactRecord& record);

// Returns the hash of a contact. ContactSet::hash() is the sum of these hashes over the contacts of
// the set.
std::uint64_t hash_contact(const ContactRecord& record);

// Returns the maximum number of contacts of a world with `capacity` slots.
// REQUIRES: capacity <= limits::kBodiesMax.
std::uint32_t contacts_max(std::uint32_t capacity);

// A validator for the records of a set, one after another.
class ContactCheck {
 public:
  // `capacity` is the number of slots of the world. `others` ascend by slot.
  ContactCheck(std::span<const ContactBody> bodies, const ShapeSet& shapes, std::uint32_t capacity,
               std::span<const OtherFilter> others = {});
  // Checks the next record, in ascending order of keys. Returns an error if no set of these bodies
  // can contain it.
  Status next(const ContactRecord& record);

 private:
  Status check_parts(const ContactRecord& record, const ContactSides& sides) const;
  Status take_colour(const ContactRecord& record, const ContactSides& sides);

  Filter filter_of(const ContactSide& side) const;

  std::span<const ContactBody> bodies_;  // indexed by slot
  std::span<const OtherFilter> others_;
  const ShapeSet& shapes_;
  std::uint32_t left_;  // how many records may still follow
  // For each slot that moves: bit i is set if the body has a contact of colour i, except
  // kOverflowColour.
  std::vector<std::uint64_t> colours_;
  std::optional<ContactKey> last_;
};

}  // namespace orrery::physics
