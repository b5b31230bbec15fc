// Assigns lanes to contacts and frees them.
#include "common/physics/contacts/contact_lanes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace orrery::physics {
namespace {

// Blocks in a unit of work for a thread. With fewer blocks, the work would be too short to pay for
// handing the unit over.
constexpr std::uint32_t kPieceBlocks = 8;

// Copies one lane of the arrays between offsets `begin` and `end` of a block.
// REQUIRES: this region consists of arrays of kBlockLanes Numbers.
template <class Number>
void copy_region(void* to, std::uint32_t to_lane, const void* from, std::uint32_t from_lane,
                 std::size_t begin, std::size_t end) {
  constexpr std::size_t kStride = kBlockLanes * sizeof(Number);
  ORRERY_ASSERT(begin < end && (end - begin) % kStride == 0);
  auto* const target = static_cast<std::byte*>(to) + to_lane * sizeof(Number);
  const auto* const source = static_cast<const std::byte*>(from) + from_lane * sizeof(Number);
  for (std::size_t at = begin; at < end; at += kStride) {
    std::memcpy(target + at, source + at, sizeof(Number));
  }
}

// Checks that the regions that copy_numbers() copies consist of whole arrays of lanes.
static_assert((offsetof(BallBlock, footer) - offsetof(BallBlock, normal)) % sizeof(Lanes) == 0);
static_assert(offsetof(BallColdBlock, key) % sizeof(Lanes) == 0);
static_assert((offsetof(ManifoldBlock, points) - offsetof(ManifoldBlock, normal)) % sizeof(Lanes) ==
              0);
static_assert((offsetof(ManifoldBlock, footer) - offsetof(ManifoldBlock, lever)) % sizeof(Lanes) ==
              0);
static_assert(offsetof(PointRow, separation) == 4 * sizeof(HalfLanes3));
static_assert(offsetof(ManifoldColdBlock, key) % sizeof(Lanes) == 0);

void copy_numbers(BallBlock& to, std::uint32_t to_lane, const BallBlock& from,
                  std::uint32_t from_lane) {
  copy_region<double>(&to, to_lane, &from, from_lane, offsetof(BallBlock, normal),
                      offsetof(BallBlock, footer));
}

void copy_numbers(BallColdBlock& to, std::uint32_t to_lane, const BallColdBlock& from,
                  std::uint32_t from_lane) {
  copy_region<double>(&to, to_lane, &from, from_lane, 0, offsetof(BallColdBlock, key));
}

void copy_numbers(ManifoldBlock& to, std::uint32_t to_lane, const ManifoldBlock& from,
                  std::uint32_t from_lane) {
  copy_region<double>(&to, to_lane, &from, from_lane, offsetof(ManifoldBlock, normal),
                      offsetof(ManifoldBlock, points));
  for (std::uint32_t i = 0; i < kContactPointsMax; ++i) {
    copy_region<float>(&to.points[i], to_lane, &from.points[i], from_lane, 0,
                       offsetof(PointRow, separation));
    copy_region<double>(&to.points[i], to_lane, &from.points[i], from_lane,
                        offsetof(PointRow, separation), sizeof(PointRow));
  }
  copy_region<double>(&to, to_lane, &from, from_lane, offsetof(ManifoldBlock, lever),
                      offsetof(ManifoldBlock, footer));
}

void copy_numbers(ManifoldColdBlock& to, std::uint32_t to_lane, const ManifoldColdBlock& from,
                  std::uint32_t from_lane) {
  copy_region<double>(&to, to_lane, &from, from_lane, 0, offsetof(ManifoldColdBlock, key));
}

constexpr std::uint8_t with_bit(std::uint8_t bits, std::uint32_t lane, bool value) {
  const auto bit = static_cast<std::uint8_t>(1u << lane);
  return static_cast<std::uint8_t>(value ? bits | bit : bits & ~bit);
}
static_assert(with_bit(0b0001, 3, true) == 0b1001 && with_bit(0b1001, 0, false) == 0b1000);
static_assert(kBlockLanes == 8);  // masks of lanes have eight bits

void copy_names(BallColdBlock& to, std::uint32_t to_lane, const BallColdBlock& from,
                std::uint32_t from_lane) {
  to.key[to_lane] = from.key[from_lane];
  to.id[to_lane] = from.id[from_lane];
  to.balls = with_bit(to.balls, to_lane, from.balls >> from_lane & 1);
  to.worn = with_bit(to.worn, to_lane, from.worn >> from_lane & 1);
  to.hits = with_bit(to.hits, to_lane, from.hits >> from_lane & 1);
}

void copy_names(ManifoldColdBlock& to, std::uint32_t to_lane, const ManifoldColdBlock& from,
                std::uint32_t from_lane) {
  to.key[to_lane] = from.key[from_lane];
  to.id[to_lane] = from.id[from_lane];
  to.geometry_hash[to_lane] = from.geometry_hash[from_lane];
  for (auto& feature : to.feature) {
    feature[to_lane] = from.feature[static_cast<std::size_t>(&feature - to.feature)][from_lane];
  }
  to.worn = with_bit(to.worn, to_lane, from.worn >> from_lane & 1);
  to.hits = with_bit(to.hits, to_lane, from.hits >> from_lane & 1);
}

template <class Block, class Extra>
void copy_lane(LaneArray<Block, Extra>& lanes, std::uint32_t to, const Block& from,
               const Extra& from_extra, std::uint32_t from_lane) {
  ORRERY_ASSERT(to / kBlockLanes < lanes.size());
  Block& block = lanes.blocks[to / kBlockLanes];
  const std::uint32_t lane = to % kBlockLanes;
  block.bodies.row_a[lane] = from.bodies.row_a[from_lane];
  block.bodies.row_b[lane] = from.bodies.row_b[from_lane];
  copy_numbers(block, lane, from, from_lane);
  BlockFooter& footer = block.footer;
  footer.writes_a = with_bit(footer.writes_a, lane, from.footer.writes_a >> from_lane & 1);
  footer.writes_b = with_bit(footer.writes_b, lane, from.footer.writes_b >> from_lane & 1);
  copy_numbers(lanes.extras[to / kBlockLanes], lane, from_extra, from_lane);
  copy_names(lanes.extras[to / kBlockLanes], lane, from_extra, from_lane);
}

// Marks all lanes of a block as unused.
void set_nobody(BlockHeader& bodies, std::uint32_t null_row) {
  std::fill_n(bodies.row_a, kBlockLanes, null_row);
  std::fill_n(bodies.row_b, kBlockLanes, null_row);
}

template <class Block, class Extra>
std::uint32_t append(LaneArray<Block, Extra>& lanes, std::uint32_t null_row) {
  if (lanes.count % kBlockLanes == 0) {
    set_nobody(lanes.blocks.emplace_back().bodies, null_row);
    lanes.extras.emplace_back();
  }
  ORRERY_ASSERT(lanes.blocks.size() == lanes.extras.size());
  return lanes.count++;
}

// Moves the last lane into a gap. Returns the id of the contact that was in the last lane.
template <class Block, class Extra>
std::uint32_t fill_gap(LaneArray<Block, Extra>& lanes, std::uint32_t gap, std::uint32_t null_row) {
  ORRERY_ASSERT(gap < lanes.count);
  const std::uint32_t last = --lanes.count;
  const Extra& source = lanes.extras[last / kBlockLanes];
  const std::uint32_t moved = source.id[last % kBlockLanes];
  if (gap != last) {
    copy_lane(lanes, gap, lanes.blocks[last / kBlockLanes], source, last % kBlockLanes);
  }
  if (last % kBlockLanes == 0) {
    lanes.blocks.pop_back();
    lanes.extras.pop_back();
  } else {
    Block empty{};
    set_nobody(empty.bodies, null_row);
    copy_lane(lanes, last, empty, Extra{}, 0);
  }
  return moved;
}

void summarise(BallBlock& block, const BallColdBlock& extra) {
  block.footer.points = 1;
  block.footer.has_rolling_resistance = false;
  for (std::uint32_t lane = 0; lane < kBlockLanes; ++lane) {
    block.footer.has_rolling_resistance |= extra.rolling_resistance[lane] > 0;
  }
}

void summarise(ManifoldBlock& block, const ManifoldColdBlock& extra) {
  block.footer.points = 0;
  block.footer.has_rolling_resistance = false;
  for (std::uint32_t lane = 0; lane < kBlockLanes; ++lane) {
    const auto points = static_cast<std::uint8_t>(extra.count[lane]);
    block.footer.points = std::max(block.footer.points, points);
    block.footer.has_rolling_resistance |= extra.rolling_resistance[lane] > 0;
  }
}

template <class Block, class Extra>
void add_pieces(const LaneArray<Block, Extra>& lanes, ContactKind kind, std::uint32_t colour,
                std::vector<BlockSpan>& pieces) {
  for (std::uint32_t begin = 0; begin < lanes.size(); begin += kPieceBlocks) {
    const std::uint32_t end = std::min(begin + kPieceBlocks, lanes.size());
    pieces.push_back({kind, static_cast<std::uint8_t>(colour), begin, end});
  }
}

}  // namespace

std::uint32_t ContactLanes::insert(ContactKind kind, std::uint8_t colour, ContactKey key) {
  ORRERY_ASSERT(colour < kColours);
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
    free_.reserve(places_.capacity());  // all ids may become free at once
  }
  const std::uint32_t id = free_.back();
  free_.pop_back();
  ORRERY_ASSERT(id < kContactIdsMax);
  LaneIndex& place = places_[id] = {kind, colour, 0};
  const auto take = [&](auto& lanes) {
    place.index = append(lanes, null_row_);
    auto& extra = lanes.extras[place.index / kBlockLanes];
    extra.key[place.index % kBlockLanes] = key.value;
    extra.id[place.index % kBlockLanes] = id;
  };
  if (kind == ContactKind::round) take(colours_[colour].round);
  if (kind == ContactKind::general) take(colours_[colour].general);
  return id;
}

void ContactLanes::remove(std::uint32_t id) {
  ORRERY_ASSERT(id < places_.size());
  const LaneIndex place = places_[id];
  ORRERY_ASSERT(place.colour < kColours);
  const auto give_back = [&](auto& lanes) {
    const std::uint32_t moved = fill_gap(lanes, place.index, null_row_);
    places_[moved].index = place.index;
    for (const std::uint32_t index : {place.index, lanes.count}) {
      const std::uint32_t block = index / kBlockLanes;
      if (block < lanes.size()) summarise(lanes.blocks[block], lanes.extras[block]);
    }
  };
  if (place.kind == ContactKind::round) give_back(colours_[place.colour].round);
  if (place.kind == ContactKind::general) give_back(colours_[place.colour].general);
  free_.push_back(id);
}

void ContactLanes::clear() {
  for (ContactColour& colour : colours_) {
    colour.round.blocks.clear();
    colour.round.extras.clear();
    colour.general.blocks.clear();
    colour.general.extras.clear();
    colour.round.count = colour.general.count = 0;
  }
  places_.clear();
  free_.clear();
}

void ContactLanes::lane_changed(std::uint32_t id) {
  const LaneIndex& place = this->place(id);
  const std::uint32_t block = place.index / kBlockLanes;
  ContactColour& colour = colours_[place.colour];
  if (place.kind == ContactKind::round) {
    summarise(colour.round.blocks[block], colour.round.extras[block]);
  } else if (place.kind == ContactKind::general) {
    summarise(colour.general.blocks[block], colour.general.extras[block]);
  }
}

std::span<const BlockSpan> ContactLanes::pieces() {
  pieces_.clear();
  for (std::uint32_t i = 0; i < kColours; ++i) {
    add_pieces(colours_[i].round, ContactKind::round, i, pieces_);
    add_pieces(colours_[i].general, ContactKind::general, i, pieces_);
  }
  return pieces_;
}

}  // namespace orrery::physics
