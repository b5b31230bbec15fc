// Adds contacts to the set, removes them, and hashes all of them.
#include "common/physics/contacts/contact_set.h"

#include <atomic>

namespace orrery::physics {

ContactSet::ContactSet(std::uint32_t capacity)
    : capacity_(capacity), bodies_(capacity), lanes_(capacity), ending_(capacity) {
  ORRERY_ASSERT(capacity > 0);
}

std::uint32_t ContactSet::points() const {
  ORRERY_ASSERT(!list_.changed());
  std::uint32_t total = 0;
  for (std::uint32_t i = 0; i < kColours; ++i) {
    const ContactColour& colour = lanes_.colour(i);
    total += colour.round.count;
    for (const ManifoldColdBlock& extra : colour.general.extras) {
      for (const double count : extra.count) total += static_cast<std::uint32_t>(count);
    }
  }
  return total;
}

std::uint64_t ContactSet::hash(Executor& executor) {
  ORRERY_ASSERT(!list_.changed());
  const std::span<const BlockSpan> pieces = lanes_.pieces();
  std::atomic<std::uint64_t> sum{0};  // integers: the order of the additions does not matter
  parallel_ranges(
      executor, static_cast<std::uint32_t>(pieces.size()), 1,
      [&](std::uint32_t begin, std::uint32_t end) {
        std::uint64_t part = 0;
        for (const BlockSpan& p : pieces.subspan(begin, end - begin)) {
          ContactColour& colour = lanes_.colour(p.colour);
          const BlockRange range{p.begin, p.end};
          part += p.kind == ContactKind::round
                      ? hash_round(colour.round.view(), p.colour, range, colour.round.count)
                      : hash_general(colour.general.view(), p.colour, range, colour.general.count);
        }
        sum += part;
      });
  return sum;
}

void ContactSet::end_contacts_of(std::uint32_t slot) {
  ORRERY_ASSERT(slot < capacity_);
  ending_.set(slot);
}

// --- adding and removing ---

std::uint32_t ContactSet::insert(ContactKey key, const ContactSides& sides, std::uint8_t colour) {
  ORRERY_ASSERT(key.slot_a() == sides.a.slot && key.slot_b() == sides.b.slot);
  const ContactKind kind = kind_of(sides);
  const std::uint32_t id = lanes_.insert(kind, colour, key);
  set_constants(lanes_, id, sides);
  if (kind == ContactKind::sensor) return id;
  bodies_.add_contact(sides, colour);
  if (colour == kOverflowColour) overflow_.add(key, {id, needs_narrow_phase(sides)});
  return id;
}

std::uint32_t ContactSet::begin(ContactKey key, const ContactSides& sides) {
  ORRERY_ASSERT(size_after_merge() < contacts_max(capacity_));
  const bool sensor = kind_of(sides) == ContactKind::sensor;
  const std::uint32_t id = insert(key, sides, sensor ? 0 : bodies_.free_colour(sides));
  list_.add(key, {id, needs_narrow_phase(sides)});
  return id;
}

void ContactSet::remove(ContactKey key, std::uint32_t id) {
  const LaneIndex& place = lanes_.place(id);
  list_.remove(key);
  if (place.kind != ContactKind::sensor) {
    bodies_.remove_contact(key, place.colour);
    if (place.colour == kOverflowColour) overflow_.remove(key);
  }
  lanes_.remove(id);
}

void ContactSet::merge_changes() {
  overflow_.merge();
  list_.merge();
  ORRERY_ASSERT(overflow_.keys().size() <= list_.keys().size());
  events_.reserve(list_.capacity());
}

void ContactSet::clear() {
  bodies_.clear_contacts();
  lanes_.clear();
  list_.clear();
  overflow_.clear();
  ending_.clear();
  events_.clear();
}

// --- records into the set ---

void ContactSet::append(const ContactRecord& record, const ContactSides& sides) {
  ORRERY_ASSERT(size() < contacts_max(capacity_));
  const std::uint32_t id = insert(record.key, sides, record.colour);
  write_record(lanes_, id, record);
  list_.append(record.key, {id, needs_narrow_phase(sides)});
}

void ContactSet::reinsert(std::span<const ContactRecord> records, const ShapedBodies& bodies) {
  ORRERY_ASSERT(!list_.changed());
  ORRERY_ASSERT(size() + records.size() <= contacts_max(capacity_));
  for (const ContactRecord& record : records) {
    const ContactSides sides = contact_sides(record.key, bodies);
    const std::uint32_t id = insert(record.key, sides, record.colour);
    write_record(lanes_, id, record);
    list_.add(record.key, {id, needs_narrow_phase(sides)});
  }
  merge_changes();
}

}  // namespace orrery::physics
