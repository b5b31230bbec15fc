// Updates the contacts of a tick: finds those that persist, end and begin.
#include "common/physics/solve/contact_set.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "common/core/limits.h"
#include "common/physics/solve/contact_geometry.h"

namespace orrery::physics {
namespace {

// The fewest queries worth handing to a thread (parallel_ranges()).
constexpr std::uint32_t kQueriesLeast = 8;

constexpr std::uint64_t bit_of(std::uint32_t slot) {
  return std::uint64_t{1} << slot % limits::kTileBodies;
}

ContactEvent begin_event(const Bodies& bodies, ContactKey key, bool sensor,
                         const Manifold& manifold) {
  const auto* const nearest = std::min_element(
      manifold.points, manifold.points + manifold.count,
      [](const ManifoldPoint& a, const ManifoldPoint& b) { return a.separation < b.separation; });
  const std::uint32_t a = key.slot_a(), b = key.slot_b();
  const Vec3 at = bodies.position(a) + nearest->at;
  const Vec3 arm_b = nearest->at + (bodies.position(a) - bodies.position(b));
  const Vec3 speed = (bodies.velocity(b) + cross(bodies.angular_velocity(b), arm_b)) -
                     (bodies.velocity(a) + cross(bodies.angular_velocity(a), nearest->at));
  return {key, ContactChange::begin, sensor, -dot(manifold.normal, speed), at, manifold.normal};
}

// Computes the manifolds of the two parts of a key at the present poses. Returns their number.
std::uint32_t ask(const ContactInput& input, ContactKey key,
                  std::span<Manifold, kSurfaceManifoldsMax> manifolds) {
  const Part& a = input.shapes.parts(input.shape_of[key.slot_a()])[key.part_a()];
  const Part& b = input.shapes.parts(input.shape_of[key.slot_b()])[key.part_b()];
  const Pose pose_a = pose_of(input.bodies, key.slot_a());
  const Pose pose_b = pose_of(input.bodies, key.slot_b());
  const double margin = a.filter.sensor || b.filter.sensor ? 0 : kContactMargin;
  return find_manifolds(input.shapes, a, pose_a, b, pose_b, margin, manifolds);
}

std::size_t queries_max(std::uint32_t capacity) {
  return std::size_t{limits::kQueriesPerContactMax} * ContactSet::size_max(capacity);
}

}  // namespace

std::uint32_t ContactSet::size_max(std::uint32_t capacity) {
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  return std::min(limits::kContactsMax, limits::kContactsPerBodyMax * capacity);
}

ContactSet::ContactSet(std::uint32_t capacity)
    : capacity_(capacity),
      memory_(capacity),
      lanes_(capacity),
      colours_of_(capacity, 0),
      contacts_of_(capacity, 0),
      pinned_(capacity / limits::kTileBodies, 0),
      forgotten_(capacity / limits::kTileBodies, 0) {
  boxes_.reserve(limits::kPartsMax);
  ORRERY_ASSERT(capacity % limits::kTileBodies == 0);
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
}

void ContactSet::end_contacts_of(std::uint32_t slot) {
  ORRERY_ASSERT(slot < capacity_);
  forgotten_[slot / limits::kTileBodies] |= bit_of(slot);
  any_forgotten_ = true;
}

void ContactSet::pin(std::uint32_t slot) {
  ORRERY_ASSERT(slot < capacity_);
  pinned_[slot / limits::kTileBodies] |= bit_of(slot);
  rows().used[slot / limits::kTileBodies] |= bit_of(slot);
}

void ContactSet::unpin_all() {
  for (std::uint32_t slot = 0; slot < capacity_; ++slot) {
    if (contacts_of_[slot] == 0) rows().used[slot / limits::kTileBodies] &= ~bit_of(slot);
  }
  std::fill(pinned_.begin(), pinned_.end(), 0);
}

void ContactSet::clear() {
  lanes_.clear();
  keys_.clear();
  known_.clear();
  events_.clear();
  ended_outside_.clear();
  overflow_.clear();
  overflow_begun_ = false;
  bouncing_ = 0;
  std::fill(colours_of_.begin(), colours_of_.end(), 0);
  std::fill(contacts_of_.begin(), contacts_of_.end(), 0);
  std::fill(forgotten_.begin(), forgotten_.end(), 0);
  std::copy(pinned_.begin(), pinned_.end(), rows().used);
  any_forgotten_ = false;
}

void ContactSet::update(const ContactInput& input, Executor& executor) {
  ORRERY_ASSERT(input.bodies.capacity() == capacity_);
  ORRERY_ASSERT(input.shape_of.size() >= input.bodies.slots());
  events_.swap(ended_outside_);
  ended_outside_.clear();
  complete_ = true;
  match(input);
  answer(input, queries_, executor);
  settle(input);
  merge_changes();
  // Reserves memory, so that the next ticks need none even if all contacts end at once.
  ended_.reserve(keys_.capacity());
  overflow_ended_.reserve(overflow_.capacity());
  events_.reserve(keys_.capacity());
  parallel_ranges(executor, input.bodies.tiles(), kTilesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    load_poses(input.bodies, rows(), begin, end);
                  });
  refresh(lanes_.pieces(), executor);
  update_stale(input, executor);
  merge_changes();
  std::sort(events_.begin(), events_.end(), [](const ContactEvent& x, const ContactEvent& y) {
    return x.key != y.key ? x.key < y.key : x.change < y.change;
  });
}

// --- pairs of parts for the narrow phase ---

// Walks through the pairs and the contacts together, both ascending. A contact without a pair has
// ended.
void ContactSet::match(const ContactInput& input) {
  ORRERY_ASSERT(ended_.empty() && begun_.empty());
  queries_.clear();
  part_pairs_ = 0;
  std::size_t known = 0;
  auto separate = input.separate.begin();
  for (const Pair& pair : input.pairs) {
    while (separate != input.separate.end() && *separate < pair) ++separate;
    if (separate != input.separate.end() && *separate == pair) continue;
    const std::uint32_t shape_a = input.shape_of[pair.a], shape_b = input.shape_of[pair.b];
    ORRERY_ASSERT(shape_a != kNoShape && shape_b != kNoShape);
    const ContactKey key = contact_key(pair.a, pair.b, 0, 0, 0);
    const bool single =
        input.shapes.shape(shape_a).parts == 1 && input.shapes.shape(shape_b).parts == 1;
    const bool goes_on = known < keys_.size() && keys_[known] == key && !any_forgotten_;
    if (goes_on && (known + 1 == keys_.size() || keys_[known + 1].value >> 24 != key.value >> 24) &&
        single && (known_[known] & kNeedsNarrowPhase) == 0) {
      ++known;  // the common case in a pile at rest
    } else if (single) {
      match_two(input, key, true, known);
    } else {
      match_parts(input, pair, known);
    }
  }
  for (; known < keys_.size(); ++known) end(keys_[known], id_of(known_[known]));
  std::fill(forgotten_.begin(), forgotten_.end(), 0);
  any_forgotten_ = false;
}

// Matches the parts of compounds with overlapping boxes. Parts of the first body are tested only if
// they are near the second one.
void ContactSet::match_parts(const ContactInput& input, const Pair& pair, std::size_t& known) {
  ORRERY_ASSERT(pair.a < pair.b);
  const std::span<const Part> parts_a = input.shapes.parts(input.shape_of[pair.a]);
  const std::span<const Part> parts_b = input.shapes.parts(input.shape_of[pair.b]);
  part_pairs_ += parts_a.size() + parts_b.size();
  if (part_pairs_ > limits::kPartPairsMax) {
    complete_ = false;
    return;
  }
  boxes_.clear();
  for (const Part& part : parts_b) {
    boxes_.push_back(
        enlarged(bounds(input.shapes, part, pose_of(input.bodies, pair.b)), kContactMargin));
  }
  const Aabb all = std::accumulate(boxes_.begin() + 1, boxes_.end(), boxes_[0], united);
  for (std::uint32_t i = 0; i < parts_a.size(); ++i) {
    const Aabb box = bounds(input.shapes, parts_a[i], pose_of(input.bodies, pair.a));
    if (!overlaps(box, all)) continue;
    part_pairs_ += parts_b.size();
    if (part_pairs_ > limits::kPartPairsMax) {
      complete_ = false;
      return;
    }
    for (std::uint32_t j = 0; j < parts_b.size(); ++j) {
      const ContactKey key = contact_key(pair.a, pair.b, i, j, 0);
      match_two(input, key, overlaps(box, boxes_[j]), known);
    }
  }
}

void ContactSet::match_two(const ContactInput& input, ContactKey key, bool near,
                           std::size_t& known) {
  const Part& a = input.shapes.parts(input.shape_of[key.slot_a()])[key.part_a()];
  const Part& b = input.shapes.parts(input.shape_of[key.slot_b()])[key.part_b()];
  if (!may_meet(a.filter, b.filter)) return;
  const std::uint32_t manifolds = manifolds_max(a, b);
  for (std::uint32_t m = 0; m < manifolds; ++m) match_key({key.value + m}, near, known);
}

void ContactSet::match_key(ContactKey key, bool near, std::size_t& known) {
  for (; known < keys_.size() && keys_[known] < key; ++known) {
    end(keys_[known], id_of(known_[known]));
  }
  std::uint32_t id = kNew;
  if (known < keys_.size() && keys_[known] == key) {
    const auto forgotten = [&](std::uint32_t slot) {
      return (forgotten_[slot / limits::kTileBodies] & bit_of(slot)) != 0;
    };
    id = known_[known++];
    if (any_forgotten_ && (forgotten(key.slot_a()) || forgotten(key.slot_b()))) {
      end(key, id_of(id));
      id = kNew;
    } else if ((id & kNeedsNarrowPhase) == 0) {
      return;
    } else {
      id = id_of(id);
    }
  }
  if (!near && id == kNew) return;
  if (id == kNew && queries_.size() >= queries_max(capacity_)) {
    complete_ = false;
    return;
  }
  queries_.push_back({key, id, false});
}

// --- the narrow phase ---

// Runs the narrow phase. Consecutive queries for one pair of parts share one call.
void ContactSet::answer(const ContactInput& input, std::vector<Query>& queries,
                        Executor& executor) {
  if (manifolds_.size() < queries.size()) manifolds_.resize(queries.size());
  const auto same_parts = [&](std::size_t i, std::size_t j) {
    return queries[i].key.value >> 2 == queries[j].key.value >> 2;
  };
  const auto answer_range = [&](std::uint32_t begin, std::uint32_t end) {
    std::array<Manifold, kSurfaceManifoldsMax> manifolds;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > 0 && same_parts(i - 1, i)) continue;
      const std::uint32_t count = ask(input, queries[i].key, manifolds);
      for (std::size_t j = i; j < queries.size() && same_parts(i, j); ++j) {
        const std::uint32_t m = queries[j].key.manifold();
        queries[j].touches = m < count;
        if (m < count) manifolds_[j] = manifolds[m];
      }
    }
  };
  parallel_ranges(executor, static_cast<std::uint32_t>(queries.size()), kQueriesLeast,
                  answer_range);
}

// --- begins and ends ---

void ContactSet::settle(const ContactInput& input) {
  ORRERY_ASSERT(begun_.empty());
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const Query& query = queries_[i];
    if (query.id == kNew) continue;
    if (query.touches) {
      set_lane(input, query, manifolds_[i]);
    } else {
      end(query.key, query.id);
    }
  }
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const Query& query = queries_[i];
    if (query.id == kNew && query.touches) begin(input, query, manifolds_[i]);
  }
}

void ContactSet::set_lane(const ContactInput& input, const Query& query, const Manifold& manifold) {
  set_geometry(lanes_, query.id,
               contact_sides(query.key, input.bodies, input.shapes, input.shape_of), manifold,
               input.bodies);
}

void ContactSet::begin(const ContactInput& input, const Query& query, const Manifold& manifold) {
  const std::size_t contacts = keys_.size() + begun_.size() - ended_.size() + input.taken_out;
  if (contacts >= size_max(capacity_)) {
    complete_ = false;
    return;
  }
  const ContactSides sides = contact_sides(query.key, input.bodies, input.shapes, input.shape_of);
  const ContactKind kind = kind_of(sides);
  std::uint8_t colour = 0;
  if (kind != ContactKind::sensor) {
    colour = take_colour(sides.a.slot, sides.b.slot, sides.a.moves, sides.b.moves);
  }
  const std::uint32_t id = lanes_.insert(kind, colour, query.key);
  set_constants(lanes_, id, sides);
  set_geometry(lanes_, id, sides, manifold, input.bodies);
  register_contact(query.key, id, sides);
  begun_.emplace_back(query.key, known_entry(id, sides));
  const bool sensor = kind == ContactKind::sensor;
  events_.push_back(begin_event(input.bodies, query.key, sensor, manifold));
}

void ContactSet::end(ContactKey key, std::uint32_t id) {
  const bool sensor = lanes_.place(id).kind == ContactKind::sensor;
  events_.push_back({key, ContactChange::end, sensor, 0, {}, {}});
  drop(key, id);
}

void ContactSet::drop(ContactKey key, std::uint32_t id) {
  ORRERY_ASSERT(id != kNew);
  const LaneIndex place = lanes_.place(id);
  ended_.emplace_back(key, id);
  if (place.kind != ContactKind::sensor) {
    if (lanes_.restitution(id) > 0) --bouncing_;
    unregister_contact(key, place);
    if (place.colour == kOverflowColour) overflow_ended_.emplace_back(key, id);
  }
  lanes_.remove(id);
}

// Returns the colour of a new contact. Between moving bodies it is the lowest colour that is free
// on both. If one body does not move, it is the highest: these contacts are solved last, so that
// the support of a pile is satisfied best.
std::uint8_t ContactSet::take_colour(std::uint32_t slot_a, std::uint32_t slot_b, bool a_moves,
                                     bool b_moves) const {
  constexpr std::uint64_t kOverflowBit = std::uint64_t{1} << kOverflowColour;
  ORRERY_ASSERT(a_moves || b_moves);
  const std::uint64_t taken =
      (a_moves ? colours_of_[slot_a] : 0) | (b_moves ? colours_of_[slot_b] : 0) | kOverflowBit;
  if (~taken == 0) return kOverflowColour;
  const int colour = a_moves && b_moves ? std::countr_one(taken) : 63 - std::countl_one(taken);
  return static_cast<std::uint8_t>(colour);
}

void ContactSet::register_contact(ContactKey key, std::uint32_t id, const ContactSides& sides) {
  const LaneIndex& place = lanes_.place(id);
  ORRERY_ASSERT(key.slot_a() == sides.a.slot && key.slot_b() == sides.b.slot);
  if (place.kind == ContactKind::sensor) return;
  if (lanes_.restitution(id) > 0) ++bouncing_;
  for (const ContactSide* side : {&sides.a, &sides.b}) {
    if (contacts_of_[side->slot]++ == 0) {
      rows().used[side->slot / limits::kTileBodies] |= bit_of(side->slot);
    }
    if (side->moves && place.colour != kOverflowColour) {
      ORRERY_ASSERT((colours_of_[side->slot] >> place.colour & 1) == 0);
      colours_of_[side->slot] |= std::uint64_t{1} << place.colour;
    }
  }
  if (place.colour == kOverflowColour) {
    overflow_.emplace_back(key, id);
    overflow_begun_ = true;
  }
}

// Does not access the bodies, because they may be gone.
void ContactSet::unregister_contact(ContactKey key, const LaneIndex& place) {
  for (const std::uint32_t slot : {key.slot_a(), key.slot_b()}) {
    ORRERY_ASSERT(contacts_of_[slot] > 0);
    const bool pinned = (pinned_[slot / limits::kTileBodies] & bit_of(slot)) != 0;
    if (--contacts_of_[slot] == 0 && !pinned) {
      rows().used[slot / limits::kTileBodies] &= ~bit_of(slot);
    }
    if (place.colour != kOverflowColour) colours_of_[slot] &= ~(std::uint64_t{1} << place.colour);
  }
}

// Rebuilds the whole list at once. Single insertions would each move all later entries.
void ContactSet::merge_overflow() {
  if (overflow_ended_.empty() && !overflow_begun_) return;
  std::sort(overflow_.begin(), overflow_.end());
  std::sort(overflow_ended_.begin(), overflow_ended_.end());
  auto ended = overflow_ended_.begin();
  std::size_t kept = 0;
  for (const auto& entry : overflow_) {
    if (ended != overflow_ended_.end() && *ended == entry) {
      ++ended;
    } else {
      overflow_[kept++] = entry;
    }
  }
  ORRERY_ASSERT(ended == overflow_ended_.end());
  overflow_.resize(kept);
  overflow_ended_.clear();
  overflow_begun_ = false;
}

// Applies the contacts that ended and began to keys_ and known_, copying the ranges between them.
void ContactSet::merge_changes() {
  merge_overflow();
  if (ended_.empty() && begun_.empty()) return;
  std::sort(ended_.begin(), ended_.end());
  std::sort(begun_.begin(), begun_.end());
  merged_keys_.clear();
  merged_known_.clear();
  std::size_t copied = 0;
  const auto copy_to = [&](std::size_t end) {
    const auto at = static_cast<std::ptrdiff_t>(copied), to = static_cast<std::ptrdiff_t>(end);
    merged_keys_.insert(merged_keys_.end(), keys_.begin() + at, keys_.begin() + to);
    merged_known_.insert(merged_known_.end(), known_.begin() + at, known_.begin() + to);
    copied = end;
  };
  auto ended = ended_.begin();
  auto begun = begun_.begin();
  while (ended != ended_.end() || begun != begun_.end()) {
    const bool ends =
        begun == begun_.end() || (ended != ended_.end() && !(begun->first < ended->first));
    const ContactKey key = ends ? ended->first : begun->first;
    const auto place =
        std::lower_bound(keys_.begin() + static_cast<std::ptrdiff_t>(copied), keys_.end(), key);
    copy_to(static_cast<std::size_t>(place - keys_.begin()));
    if (ends) {
      ORRERY_ASSERT(copied < keys_.size() && keys_[copied] == key);
      ++copied;
      ++ended;
    } else {
      merged_keys_.push_back(key);
      merged_known_.push_back(begun->second);
      ++begun;
    }
  }
  copy_to(keys_.size());
  ORRERY_ASSERT(merged_keys_.size() == merged_known_.size());
  keys_.swap(merged_keys_);
  known_.swap(merged_known_);
  ended_.clear();
  begun_.clear();
}

// --- all lanes ---

void ContactSet::refresh_piece(const BlockSpan& piece) {
  ORRERY_ASSERT(piece.kind != ContactKind::sensor);
  ContactColour& colour = lanes_.colour(piece.colour);
  const BlockRange range{piece.begin, piece.end};
  if (piece.kind == ContactKind::round) {
    refresh_round(rows(), colour.round.view(), range);
  } else {
    refresh_general(rows(), colour.general.view(), range);
  }
}

void ContactSet::refresh(std::span<const BlockSpan> pieces, Executor& executor) {
  parallel_ranges(executor, static_cast<std::uint32_t>(pieces.size()), 1,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) refresh_piece(pieces[i]);
                  });
}

// Runs the narrow phase for the contacts with worn-out geometry.
void ContactSet::update_stale(const ContactInput& input, Executor& executor) {
  stale_.clear();
  const auto collect = [&](const auto& lanes, const BlockSpan& piece) {
    for (std::uint32_t block = piece.begin; block < piece.end; ++block) {
      const auto& extra = lanes.extras[block];
      for (std::uint32_t failed = extra.failed; failed != 0; failed &= failed - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(failed));
        if (block * kBlockLanes + lane >= lanes.count) continue;
        stale_.push_back({{extra.key[lane]}, extra.id[lane], false});
      }
    }
  };
  for (const BlockSpan& piece : lanes_.pieces()) {
    const ContactColour& colour = lanes_.colour(piece.colour);
    if (piece.kind == ContactKind::round) {
      collect(colour.round, piece);
    } else {
      collect(colour.general, piece);
    }
  }
  answer(input, stale_, executor);
  for (std::size_t i = 0; i < stale_.size(); ++i) {
    if (stale_[i].touches) set_lane(input, stale_[i], manifolds_[i]);
  }
  for (const Query& query : stale_) {
    if (!query.touches) end(query.key, query.id);
  }
  renewed_.clear();
  for (const Query& query : stale_) {
    if (!query.touches) continue;
    const LaneIndex& place = lanes_.place(query.id);
    const std::uint32_t block = place.index / kBlockLanes;
    renewed_.push_back({place.kind, place.colour, block, block + 1});
  }
  std::sort(renewed_.begin(), renewed_.end());
  renewed_.erase(std::unique(renewed_.begin(), renewed_.end()), renewed_.end());
  refresh(renewed_, executor);
}

std::uint32_t ContactSet::points() const {
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

}  // namespace orrery::physics
