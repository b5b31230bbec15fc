// Keeps, for each body, the colours of its contacts and its row of the solver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/slot_mask.h"
#include "common/physics/body/body_rows.h"
#include "common/physics/contacts/contact_geometry.h"
#include "common/physics/contacts/contact_key.h"

namespace orrery::physics {

// The colours and the number of contacts of each body. Two contacts of a moving body never have the
// same colour, except in the overflow colour. The row of a body is in use (BodyRows::used) while
// the body has a contact or is pinned. Bodies of joints are pinned.
class ContactedBodies {
 public:
  // For slots below `capacity`.
  // REQUIRES: capacity is a positive multiple of limits::kTileBodies.
  explicit ContactedBodies(std::uint32_t capacity);

  // Returns the rows of the bodies.
  const BodyRows& rows() const { return memory_.rows(); }
  // Returns the number of contacts of each slot, without sensors.
  std::span<const std::uint32_t> contacts() const { return contacts_; }
  // Pin a body, so that its row stays in use even without a contact, and unpin all bodies.
  void pin(std::uint32_t slot);
  std::span<const std::uint64_t> pinned() const { return pinned_.words(); }
  void unpin_all();

  // Returns the colour for a new contact:
  //
  // - between two moving bodies the lowest colour that is free on both,
  // - between a moving body and one that does not move the highest that is free on the moving body
  //   (colours are solved in ascending order, and the support of a pile is best solved last),
  // - kOverflowColour if no colour is free.
  //
  // "Moving" means ContactSide::moves.
  // REQUIRES: a side moves.
  std::uint8_t free_colour(const ContactSides& sides) const;

  // Adds a contact.
  // REQUIRES: it is no sensor, and the colour is kOverflowColour or free on the sides that move.
  void add_contact(const ContactSides& sides, std::uint8_t colour);
  // Removes a contact. Takes the key instead of the sides, because the bodies may already be gone.
  // REQUIRES: the contact was added with this colour.
  void remove_contact(ContactKey key, std::uint8_t colour);
  // Removes all contacts. Pinned bodies stay pinned.
  void clear_contacts();

 private:
  BodyRowMemory memory_;
  std::vector<std::uint64_t> colours_;   // per slot that moves: bit i is set if it has a contact of
                                         // colour i, except kOverflowColour
  std::vector<std::uint32_t> contacts_;  // per slot: number of contacts, without sensors
  SlotMask pinned_;
};

}  // namespace orrery::physics
