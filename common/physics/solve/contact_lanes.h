// Owns the blocks of all colours, and which lane a contact has.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/assert.h"
#include "common/physics/solve/contact_blocks.h"
#include "common/physics/solve/contact_kernels.h"
#include "common/physics/solve/contact_key.h"

namespace orrery::physics {

enum class ContactKind : std::uint8_t {
  round,    // of two balls about centres of mass, or one and something that does not move
  general,  // up to four points
  sensor,   // only reported: has no lane
};

// Where a contact is: lane i % 8 of block i / 8 of its kind and colour.
struct ContactPlace {
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

  BlockView<Block, Extra> view() { return {blocks.data(), extras.data()}; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(blocks.size()); }
};

struct ContactColour {
  LaneArray<RoundBlock, RoundExtra> round;
  LaneArray<GeneralBlock, GeneralExtra> general;
};

// Some blocks of one kind and colour.
struct BlockSpan {
  ContactKind kind;
  std::uint8_t colour;
  std::uint32_t begin;
  std::uint32_t end;

  friend constexpr auto operator<=>(const BlockSpan&, const BlockSpan&) = default;
};

// Ids are smaller than this.
inline constexpr std::uint32_t kContactIdsMax = 1u << 31;

// Contacts have an id for as long as they live, which says nothing about their order.
class ContactLanes {
 public:
  // `nobody`: the row of lanes that are not in use.
  explicit ContactLanes(std::uint32_t nobody) : nobody_(nobody) {}

  // Gives a contact a lane, all zeros but for its key; returns its id.
  std::uint32_t insert(ContactKind kind, std::uint8_t colour, ContactKey key);
  // The last lane of the same kind and colour moves into its place.
  void remove(std::uint32_t id);
  void clear();

  const ContactPlace& place(std::uint32_t id) const {
    ORRERY_ASSERT(id < places_.size());
    return places_[id];
  }
  ContactColour& colour(std::uint32_t i) { return colours_[i]; }
  const ContactColour& colour(std::uint32_t i) const { return colours_[i]; }

  double restitution(std::uint32_t id) const;

  // What a block does for its lanes follows from what these are: to be called when one has changed.
  void lane_changed(std::uint32_t id);

  // All blocks, in pieces of a few: work that can be done side by side.
  std::span<const BlockSpan> pieces();

 private:
  std::uint32_t nobody_;
  std::array<ContactColour, kColours> colours_;
  std::vector<ContactPlace> places_;  // of every id
  std::vector<std::uint32_t> free_;   // ids
  std::vector<BlockSpan> pieces_;
};

}  // namespace orrery::physics
