// Keeps, for each body, the colours of its contacts and its row of the solver.
#pragma once

#include <cstdint>
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
  // Keep the row of a body in use even if it has no contact, and end that for all bodies.
  void pin(std::uint32_t slot);
  void unpin_all();

  // Returns the colour for a new contact. Between moving bodies it is the lowest that is free on
  // both. If one body does not move, it is the highest: these contacts are solved last, so that the
  // support of a pile is satisfied best. Returns kOverflowColour if no colour is free.
  // REQUIRES: a side moves.
  std::uint8_t free_colour(const ContactSides& sides) const;

  // Add and remove a contact that pushes.
  // REQUIRES: the colour is free on the sides that move, or is kOverflowColour.
  void add_contact(const ContactSides& sides, std::uint8_t colour);
  // Removes a contact that pushes. It takes the key, because the bodies may already be gone.
  // REQUIRES: the contact was added with this colour.
  void remove_contact(ContactKey key, std::uint8_t colour);
  // Removes all contacts. Pinned bodies stay pinned.
  void clear_contacts();

 private:
  BodyRowMemory memory_;
  std::vector<std::uint64_t> colours_;   // of each slot: bit i is set if a contact has colour i
  std::vector<std::uint32_t> contacts_;  // of each slot: number of contacts that push
  SlotMask pinned_;
};

}  // namespace orrery::physics
