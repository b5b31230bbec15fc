// Lists the contacts that began and ended in a tick.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/math/vec3.h"
#include "common/physics/contacts/contact_key.h"

namespace orrery::physics {

// Whether a contact ended or began.
enum class ContactChange : std::uint8_t { end, begin };

// The begin or end of a contact.
struct ContactEvent {
  ContactKey key;
  ContactChange change = ContactChange::begin;
  bool sensor = false;
  // Only for a begin:
  double approach_speed = 0;  // speed at which the surfaces approach at the deepest point
  Vec3 at;                    // the deepest point, world frame
  Vec3 normal;                // from a to b, world frame, unit length
};

// The events of the last update of the contacts.
class ContactEvents {
 public:
  // Returns the events, ascending by key. If a contact ends and another one with its key begins,
  // the end comes first.
  std::span<const ContactEvent> list() const { return events_; }

  // Announces the end of a contact that ContactSet::extract() took out of the set. The next update
  // reports the end.
  void end_in_next_update(ContactKey key, bool sensor) {
    ended_outside_.push_back(end(key, sensor));
  }

  // Starts the list of an update with the ends that end_in_next_update() announced.
  void start_update() {
    events_.swap(ended_outside_);
    ended_outside_.clear();
  }
  // Add the begin and the end of a contact.
  void add_begin(const ContactEvent& event) { events_.push_back(event); }
  void add_end(ContactKey key, bool sensor) { events_.push_back(end(key, sensor)); }
  // Sorts the events of an update.
  void finish_update() {
    std::sort(events_.begin(), events_.end(), [](const ContactEvent& x, const ContactEvent& y) {
      return x.key != y.key ? x.key < y.key : x.change < y.change;
    });
  }

  // Allocates memory for `count` events.
  void reserve(std::size_t count) { events_.reserve(count); }
  // Removes all events, announced ones included.
  void clear() {
    events_.clear();
    ended_outside_.clear();
  }

 private:
  static ContactEvent end(ContactKey key, bool sensor) {
    return {key, ContactChange::end, sensor, 0, {}, {}};
  }

  std::vector<ContactEvent> events_;
  std::vector<ContactEvent> ended_outside_;  // announced since the last update
};

}  // namespace orrery::physics
