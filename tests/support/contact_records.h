// Saves, checks and restores the contacts of a set, as an image does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/result.h"
#include "common/physics/contacts/contact_set.h"

namespace orrery::test {

// Returns the records of all contacts.
inline std::vector<physics::ContactRecord> records_of(const physics::ContactSet& contacts) {
  std::vector<physics::ContactRecord> records;
  contacts.for_each_record(
      [&](const physics::ContactRecord& record) { records.push_back(record); });
  return records;
}

// Returns the properties of the bodies in all slots.
inline std::vector<physics::ContactBody> contact_bodies(const physics::ShapedBodies& shaped) {
  std::vector<physics::ContactBody> found(shaped.bodies.slots());
  for (std::uint32_t slot = 0; slot < found.size(); ++slot) {
    if (!shaped.bodies.alive(slot)) continue;
    found[slot] = physics::contact_body(shaped.bodies, slot, shaped.shape_of[slot]);
  }
  return found;
}

// Returns an Error if no contact set of these bodies can contain these records.
inline Status check_records(std::span<const physics::ContactRecord> records,
                            const physics::ShapedBodies& shaped) {
  const std::vector<physics::ContactBody> bodies = contact_bodies(shaped);
  physics::ContactCheck check(bodies, shaped.shapes, shaped.bodies.capacity());
  for (const physics::ContactRecord& record : records) {
    if (Status status = check.next(record); !status) return status;
  }
  return ok_status();
}

// Replaces all contacts by these records.
inline void restore_records(physics::ContactSet& contacts,
                            std::span<const physics::ContactRecord> records,
                            const physics::ShapedBodies& shaped) {
  std::size_t i = 0;
  const auto next = [&] { return i < records.size() ? &records[i++] : nullptr; };
  contacts.restore_each(next, contact_bodies(shaped), shaped.shapes);
}

}  // namespace orrery::test
