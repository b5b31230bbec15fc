// Assigns colours to contacts, and counts the contacts of each body.
#include "common/physics/contacts/contacted_bodies.h"

#include <algorithm>
#include <bit>

namespace orrery::physics {

ContactedBodies::ContactedBodies(std::uint32_t capacity)
    : memory_(capacity), colours_(capacity, 0), contacts_(capacity, 0), pinned_(capacity) {
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
}

void ContactedBodies::pin(std::uint32_t slot) {
  ORRERY_ASSERT(slot < contacts_.size());
  pinned_.set(slot);
  memory_.used().set(slot);
}

void ContactedBodies::unpin_all() {
  for (std::uint32_t slot = 0; slot < contacts_.size(); ++slot) {
    if (contacts_[slot] == 0) memory_.used().reset(slot);
  }
  pinned_.clear();
}

std::uint8_t ContactedBodies::free_colour(const ContactSides& sides) const {
  constexpr std::uint64_t kOverflowBit = std::uint64_t{1} << kOverflowColour;
  ORRERY_ASSERT(sides.a.moves || sides.b.moves);
  const std::uint64_t taken = (sides.a.moves ? colours_[sides.a.slot] : 0) |
                              (sides.b.moves ? colours_[sides.b.slot] : 0) | kOverflowBit;
  if (~taken == 0) return kOverflowColour;
  const bool both_move = sides.a.moves && sides.b.moves;
  const int colour = both_move ? std::countr_one(taken) : 63 - std::countl_one(taken);
  return static_cast<std::uint8_t>(colour);
}

void ContactedBodies::add_contact(const ContactSides& sides, std::uint8_t colour) {
  ORRERY_ASSERT(sides.a.slot != sides.b.slot);
  ORRERY_ASSERT(colour < kColours);
  for (const ContactSide* side : {&sides.a, &sides.b}) {
    if (contacts_[side->slot]++ == 0) memory_.used().set(side->slot);
    if (side->moves && colour != kOverflowColour) {
      ORRERY_ASSERT((colours_[side->slot] >> colour & 1) == 0);
      colours_[side->slot] |= std::uint64_t{1} << colour;
    }
  }
}

void ContactedBodies::remove_contact(ContactKey key, std::uint8_t colour) {
  ORRERY_ASSERT(colour < kColours);
  ORRERY_ASSERT(key.slot_b() < contacts_.size());
  for (const std::uint32_t slot : {key.slot_a(), key.slot_b()}) {
    ORRERY_ASSERT(contacts_[slot] > 0);
    if (--contacts_[slot] == 0 && !pinned_.test(slot)) memory_.used().reset(slot);
    if (colour != kOverflowColour) colours_[slot] &= ~(std::uint64_t{1} << colour);
  }
}

void ContactedBodies::clear_contacts() {
  std::fill(colours_.begin(), colours_.end(), 0);
  std::fill(contacts_.begin(), contacts_.end(), 0);
  memory_.used().assign(pinned_.words());
}

}  // namespace orrery::physics
