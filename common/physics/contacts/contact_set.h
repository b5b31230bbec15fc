// Keeps the contacts of a world from tick to tick: touching parts, geometry and impulses.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/core/executor.h"
#include "common/core/slot_mask.h"
#include "common/physics/contacts/contact_events.h"
#include "common/physics/contacts/contact_list.h"
#include "common/physics/contacts/contact_records.h"
#include "common/physics/contacts/contacted_bodies.h"

namespace orrery::physics {

// The contacts of a world. A contact keeps its colour and its impulses (for the warm start) for as
// long as its parts touch. Results depend on the colours, but never on lanes or blocks. New
// contacts get their colours in the order of keys. ContactUpdater adds and removes contacts once a
// tick.
class ContactSet {
 public:
  // Makes an empty set for bodies in slots below `capacity`.
  // REQUIRES: capacity is a positive multiple of limits::kTileBodies.
  explicit ContactSet(std::uint32_t capacity);

  // Return the keys of all contacts, ascending, their entries in the same order, and their number.
  // All three include sensors.
  std::span<const ContactKey> keys() const { return list_.keys(); }
  std::span<const ContactEntry> entries() const { return list_.entries(); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(list_.keys().size()); }
  // Returns the number of points of all contacts, without sensors.
  std::uint32_t points() const;
  // Returns the sum of hash_contact() over all contacts. The sum does not depend on the order of
  // contacts, the instruction set or the executor.
  std::uint64_t hash(Executor& executor);
  // Returns what began and ended in the last update.
  ContactEvents& events() { return events_; }
  const ContactEvents& events() const { return events_; }

  // Ends the contacts of a body at the next update. Call it when the body is removed or replaced.
  void end_contacts_of(std::uint32_t slot);
  // Returns the slots that end_contacts_of() was called for since the last update.
  SlotMask& ending() { return ending_; }
  const SlotMask& ending() const { return ending_; }

  // Calls take(record) for every contact, ascending by key. The records are the exact state between
  // two ticks: a set restored from them continues with equal bits.
  template <class Take>
  void for_each_record(Take take) const {
    ContactRecord record;
    for (std::size_t i = 0; i < keys().size(); ++i) {
      read_record(lanes_, keys()[i], entries()[i].id(), record);
      take(std::as_const(record));
    }
  }
  // Replaces all contacts by the records that next() points to, until it returns nullptr.
  // REQUIRES: the records pass ContactCheck.
  template <class Next>
  void restore_each(Next next, std::span<const ContactBody> bodies, const ShapeSet& shapes) {
    clear();
    while (const ContactRecord* const record = next()) {
      append(*record, contact_sides(record->key, bodies, shapes));
    }
    merge_changes();
  }
  // Moves the contacts of sleeping bodies out of the set: all contacts for which sleeps(slot) is
  // true for one of their slots or both. Appends their records, impulses included, to `records`,
  // ascending. Makes no events.
  template <class Sleeps>
  void extract(const Sleeps& sleeps, std::vector<ContactRecord>& records) {
    ORRERY_ASSERT(!list_.changed());
    for (std::size_t i = 0; i < keys().size(); ++i) {
      const ContactKey key = keys()[i];
      if (!sleeps(key.slot_a()) && !sleeps(key.slot_b())) continue;
      read_record(lanes_, key, entries()[i].id(), records.emplace_back());
      remove(key, entries()[i].id());
    }
    merge_changes();
  }
  // Puts extracted contacts back.
  // REQUIRES: the records ascend by key.
  void reinsert(std::span<const ContactRecord> records, const ShapedBodies& bodies);

  // --- for ContactUpdater ---

  // Begins a contact between two sides and returns its id. Call set_geometry() next.
  std::uint32_t begin(ContactKey key, const ContactSides& sides);
  // Removes a contact. Makes no event.
  void remove(ContactKey key, std::uint32_t id);
  // Applies begin() and remove() to keys() and overflow(). Also reserves memory, so that ending all
  // contacts in a later tick allocates nothing.
  void merge_changes();
  // Returns the number of contacts after merge_changes().
  std::size_t size_after_merge() const { return list_.size_after_merge(); }

  // --- for the solver ---

  // Return the lanes, the bodies, and the contacts of the overflow colour. The latter ascend by key
  // and are solved one by one in this order.
  ContactLanes& lanes() { return lanes_; }
  ContactedBodies& bodies() { return bodies_; }
  const ContactedBodies& bodies() const { return bodies_; }
  std::span<const ContactEntry> overflow() const { return overflow_.entries(); }

 private:
  // Adds a contact to the lanes, to its bodies and to the overflow colour, but not to the list of
  // all contacts.
  std::uint32_t insert(ContactKey key, const ContactSides& sides, std::uint8_t colour);
  void append(const ContactRecord& record, const ContactSides& sides);
  void clear();

  std::uint32_t capacity_;
  ContactedBodies bodies_;
  ContactLanes lanes_;
  ContactList list_;      // all contacts
  ContactList overflow_;  // those of the overflow colour
  SlotMask ending_;
  ContactEvents events_;
};

}  // namespace orrery::physics
