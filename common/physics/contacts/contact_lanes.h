// Assigns contacts to the lanes of blocks, by kind and colour.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/contacts/contact_blocks.h"
#include "common/physics/contacts/contact_kernels.h"
#include "common/physics/contacts/contact_key.h"

namespace orrery::physics {

// The kind of a contact. It selects the block layout and the kernels.
enum class ContactKind : std::uint8_t {
  round,    // two centred balls (ContactSide), or one ball and a body that impulses do not change
  general,  // up to four points
  sensor,   // only reported; has no lane
};

// The place of a contact: lane `index` % 8 of block `index` / 8, among the blocks of its kind and
// colour.
struct LaneIndex {
  ContactKind kind = ContactKind::sensor;
  std::uint8_t colour = 0;
  std::uint32_t index = 0;
};

// The lanes of one kind and colour, without gaps: lane i is in use if i < count.
template <class Block, class Extra>
struct LaneArray {
  std::vector<Block> blocks;
  std::vector<Extra> extras;
  std::uint32_t count = 0;

  // Return the blocks, and their number.
  BlockView<Block, Extra> view() { return {blocks.data(), extras.data()}; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks.size()); }
};

// The contacts of one colour.
struct ContactColour {
  LaneArray<BallBlock, BallColdBlock> round;
  LaneArray<ManifoldBlock, ManifoldColdBlock> general;
};

// A range of blocks of one kind and colour.
struct BlockSpan {
  ContactKind kind;
  std::uint8_t colour;
  std::uint32_t begin;
  std::uint32_t end;

  friend constexpr auto operator<=>(const BlockSpan&, const BlockSpan&) = default;
};

// Ids of contacts are below this.
inline constexpr std::uint32_t kContactIdsMax = 1u << 31;

// The lanes of all contacts. A contact keeps its id for as long as it exists; ids imply no order.
class ContactLanes {
 public:
  // `null_row` is the row of unused lanes (BodyRows::null_row).
  explicit ContactLanes(std::uint32_t null_row) : null_row_(null_row) {}

  // Assigns an id to a contact and returns it. Also assigns a lane, unless the contact is a sensor.
  // The lane is empty, except for the key and the id.
  std::uint32_t insert(ContactKind kind, std::uint8_t colour, ContactKey key);
  // Frees the id and lane of a contact. The last lane of its kind and colour moves into the gap.
  void remove(std::uint32_t id);
  // Removes all contacts.
  void clear();

  // Returns the place of a contact.
  // REQUIRES: the id is valid.
  const LaneIndex& place(std::uint32_t id) const {
    ORRERY_ASSERT(id < places_.size());
    return places_[id];
  }
  // Access the contacts of a colour.
  ContactColour& colour(std::uint32_t i) { return colours_[i]; }
  const ContactColour& colour(std::uint32_t i) const { return colours_[i]; }

  // Recomputes the summary in the footer of the block that holds a contact. Call it after the
  // contact's lane has changed.
  void lane_changed(std::uint32_t id);

  // Returns all blocks, split into short ranges: the units of work for threads. The result is valid
  // until the next call.
  std::span<const BlockSpan> pieces();

 private:
  std::uint32_t null_row_;
  std::array<ContactColour, kColours> colours_;
  std::vector<LaneIndex> places_;    // indexed by id
  std::vector<std::uint32_t> free_;  // unused ids
  std::vector<BlockSpan> pieces_;
};

}  // namespace orrery::physics
