// Lists contacts in the order of their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/contacts/contact_key.h"
#include "common/physics/contacts/contact_lanes.h"

namespace orrery::physics {

// The id of a contact, and whether the narrow phase runs for it in every tick.
class ContactEntry {
 public:
  // REQUIRES: id < kContactIdsMax.
  ContactEntry(std::uint32_t id, bool needs_narrow_phase)
      : value_(id | (needs_narrow_phase ? kContactIdsMax : 0)) {
    ORRERY_ASSERT(id < kContactIdsMax);
  }

  // Return the two fields of the entry.
  std::uint32_t id() const { return value_ & ~kContactIdsMax; }
  bool needs_narrow_phase() const { return (value_ & kContactIdsMax) != 0; }

 private:
  std::uint32_t value_;
};

// Contacts, ascending by key. Changes are collected, and merge() applies them all at once: single
// insertions would each move all later contacts.
class ContactList {
 public:
  // Return the keys, and the entries in the same order.
  std::span<const ContactKey> keys() const { return keys_; }
  std::span<const ContactEntry> entries() const { return entries_; }
  // Returns the number of contacts after the next merge().
  std::size_t size_after_merge() const { return keys_.size() + added_.size() - removed_.size(); }
  // Returns the number of contacts for which keys() has memory.
  std::size_t capacity() const { return keys_.capacity(); }
  // Returns true if a change waits for merge().
  bool changed() const { return !removed_.empty() || !added_.empty(); }

  // Add and remove a contact at the next merge(), which applies the removals first.
  // REQUIRES: remove() gets a key of the list. add() gets a key that will not be in the list after
  // the removals.
  void add(ContactKey key, ContactEntry entry) { added_.emplace_back(key, entry); }
  void remove(ContactKey key) { removed_.push_back(key); }
  // Appends a contact at once.
  // REQUIRES: the key is above all others, and no change waits.
  void append(ContactKey key, ContactEntry entry) {
    ORRERY_ASSERT(keys_.empty() || keys_.back() < key);
    keys_.push_back(key);
    entries_.push_back(entry);
  }
  // Applies the changes. Also reserves memory, so that removing all contacts later allocates
  // nothing.
  void merge();
  // Removes all contacts, and forgets changes.
  void clear();

 private:
  void apply_changes();

  std::vector<ContactKey> keys_;
  std::vector<ContactEntry> entries_;
  std::vector<ContactKey> removed_;                         // since the last merge()
  std::vector<std::pair<ContactKey, ContactEntry>> added_;  // since the last merge()
  std::vector<ContactKey> merged_keys_;                     // scratch, kept for its memory
  std::vector<ContactEntry> merged_entries_;
};

}  // namespace orrery::physics
