// Converts contacts to records and back, and computes their hash.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

#include "common/core/limits.h"
#include "common/physics/solve/contact_set.h"

namespace orrery::physics {
namespace {

Vec3 get(const Lanes3& from, std::uint32_t lane) {
  return {from.x[lane], from.y[lane], from.z[lane]};
}

void put(Lanes3& to, std::uint32_t lane, const Vec3& v) {
  to.x[lane] = v.x;
  to.y[lane] = v.y;
  to.z[lane] = v.z;
}

void save_round(const BallBlock& block, const BallColdBlock& extra, std::uint32_t lane,
                ContactRecord& record) {
  record.count = 1;
  record.points[0].impulse = block.impulse[lane];
  record.friction_impulse = get(block.friction_impulse, lane);
  record.rolling_impulse = get(extra.rolling_impulse, lane);
}

void save_general(const ManifoldBlock& block, const ManifoldColdBlock& extra, std::uint32_t lane,
                  ContactRecord& record) {
  record.count = static_cast<std::uint8_t>(extra.count[lane]);
  record.normal = get(extra.normal_a, lane);
  const Vec3 turn = get(extra.turn, lane);
  record.turn = {turn.x, turn.y, turn.z, extra.turn_w[lane]};
  for (std::uint32_t i = 0; i < record.count; ++i) {
    record.points[i] = {get(extra.at_a[i], lane), get(extra.at_b[i], lane), extra.made[i][lane],
                        block.points[i].impulse[lane], extra.feature[i][lane]};
  }
  record.friction_impulse = get(block.friction_impulse, lane);
  record.twist_impulse = block.twist_impulse[lane];
  record.rolling_impulse = get(extra.rolling_impulse, lane);
}

void restore_round(const ContactRecord& record, BallBlock& block, BallColdBlock& extra,
                   std::uint32_t lane) {
  block.impulse[lane] = record.points[0].impulse;
  put(block.friction_impulse, lane, record.friction_impulse);
  put(extra.rolling_impulse, lane, record.rolling_impulse);
}

void restore_general(const ContactRecord& record, ManifoldBlock& block, ManifoldColdBlock& extra,
                     std::uint32_t lane) {
  extra.count[lane] = record.count;
  put(extra.normal_a, lane, record.normal);
  put(extra.turn, lane, {record.turn.x, record.turn.y, record.turn.z});
  extra.turn_w[lane] = record.turn.w;
  for (std::uint32_t i = 0; i < record.count; ++i) {
    const ContactPointRecord& point = record.points[i];
    put(extra.at_a[i], lane, point.at_a);
    put(extra.at_b[i], lane, point.at_b);
    extra.made[i][lane] = point.separation;
    block.points[i].impulse[lane] = point.impulse;
    extra.feature[i][lane] = point.feature;
  }
  put(block.friction_impulse, lane, record.friction_impulse);
  block.twist_impulse[lane] = record.twist_impulse;
  put(extra.rolling_impulse, lane, record.rolling_impulse);
  block.footer.points = std::max(block.footer.points, record.count);
  extra.geometry_hash[lane] = hash_geometry(extra, lane);
}

bool within(const Vec3& v, double limit) {
  return std::abs(v.x) <= limit && std::abs(v.y) <= limit && std::abs(v.z) <= limit;
}

bool names_parts(ContactKey key, std::span<const ContactBody> bodies, const ShapeSet& shapes) {
  const auto names = [&](std::uint32_t slot, std::uint32_t part) {
    return slot < bodies.size() && bodies[slot].shape < shapes.size() &&
           part < shapes.shape(bodies[slot].shape).parts;
  };
  return key.slot_a() < key.slot_b() && names(key.slot_a(), key.part_a()) &&
         names(key.slot_b(), key.part_b());
}

std::vector<ContactBody> contact_bodies(const Bodies& bodies,
                                        std::span<const std::uint32_t> shape_of) {
  ORRERY_ASSERT(shape_of.size() >= bodies.slots());
  std::vector<ContactBody> found(bodies.slots());
  for (std::uint32_t slot = 0; slot < bodies.slots(); ++slot) {
    if (bodies.alive(slot)) found[slot] = contact_body(bodies, slot, shape_of[slot]);
  }
  return found;
}

// Returns true if the numbers of a record are valid. Comparisons with NaN are false. Impulses may
// have any finite size, because the passes clamp them. A sensor has no numbers.
bool sound_numbers(const ContactRecord& r) {
  if (r.kind == ContactKind::sensor) return true;
  constexpr double kMost = std::numeric_limits<double>::max();
  bool sound = within(r.friction_impulse, kMost) && within(r.rolling_impulse, kMost);
  if (r.kind == ContactKind::round) {
    return sound && r.points[0].impulse >= 0 && r.points[0].impulse <= kMost;
  }
  const double turn =
      r.turn.x * r.turn.x + r.turn.y * r.turn.y + r.turn.z * r.turn.z + r.turn.w * r.turn.w;
  sound = sound && std::abs(r.twist_impulse) <= kMost &&
          std::abs(dot(r.normal, r.normal) - 1) < 0.01 && std::abs(turn - 1) < 0.01;
  for (const ContactPointRecord& point : r.points) {
    sound = sound && within(point.at_a, limits::kLengthMax) &&
            within(point.at_b, limits::kLengthMax) &&
            std::abs(point.separation) <= limits::kLengthMax && point.impulse >= 0 &&
            point.impulse <= kMost;
  }
  return sound;
}

template <class Block, class Extra, class Restore, class Hash>
std::uint64_t hash_alone(const ContactRecord& record, const Restore& restore, const Hash& hash) {
  Block block{};
  Extra extra{};
  extra.key[0] = record.key.value;
  restore(record, block, extra, 0);
  return hash({&block, &extra}, record.colour, {0, 1}, 1);
}

}  // namespace

std::uint64_t hash_contact(const ContactRecord& record) {
  switch (record.kind) {
    case ContactKind::round:
      return hash_alone<BallBlock, BallColdBlock>(record, restore_round, hash_round);
    case ContactKind::general:
      return hash_alone<ManifoldBlock, ManifoldColdBlock>(record, restore_general, hash_general);
    case ContactKind::sensor:
      break;
  }
  return 0;
}

// --- records out of a set ---

// Overwrites a record that may hold another contact.
void ContactSet::read(std::size_t i, ContactRecord& record) const {
  ORRERY_ASSERT(i < keys_.size());
  const LaneIndex& place = lanes_.place(id_of(known_[i]));
  const std::uint32_t block = place.index / kBlockLanes, lane = place.index % kBlockLanes;
  const ContactColour& colour = lanes_.colour(place.colour);
  if (place.kind != ContactKind::round || record.kind != ContactKind::round) record = {};
  record.key = keys_[i];
  record.kind = place.kind;
  record.colour = place.colour;
  if (place.kind == ContactKind::round) {
    save_round(colour.round.blocks[block], colour.round.extras[block], lane, record);
  } else if (place.kind == ContactKind::general) {
    save_general(colour.general.blocks[block], colour.general.extras[block], lane, record);
  }
}

void ContactSet::save(std::vector<ContactRecord>& records) const {
  ORRERY_ASSERT(keys_.size() == known_.size());
  records.clear();
  for_each_record([&](const ContactRecord& record) { records.push_back(record); });
}

// --- validation ---

ContactCheck::ContactCheck(std::span<const ContactBody> bodies, const ShapeSet& shapes,
                           std::uint32_t capacity)
    : bodies_(bodies),
      shapes_(shapes),
      left_(ContactSet::size_max(capacity)),
      colours_(bodies.size(), 0) {}

Status ContactCheck::next(const ContactRecord& r) {
  if (left_ == 0) return Error{"more contacts than there may be"};
  if (last_ && !(*last_ < r.key)) return Error{"contacts are not in order"};
  --left_;
  last_ = r.key;
  if (!names_parts(r.key, bodies_, shapes_)) {
    return Error{"a contact names parts that are not there"};
  }
  const ContactSides sides = contact_sides(r.key, bodies_, shapes_);
  if (r.key.manifold() >= manifolds_max(*sides.a.part, *sides.b.part)) {
    return Error{"a contact names a manifold that its parts do not have"};
  }
  const std::uint32_t count_min = r.kind == ContactKind::sensor ? 0 : 1;
  const std::uint32_t count_max = r.kind == ContactKind::general ? kContactPointsMax : count_min;
  if (r.kind != kind_of(sides) || r.count < count_min || r.count > count_max) {
    return Error{"a contact is of another kind than its parts"};
  }
  if (!may_meet(sides.a.part->filter, sides.b.part->filter)) {
    return Error{"a contact is between parts that do not meet"};
  }
  if (!sides.a.moves && !sides.b.moves && r.kind != ContactKind::sensor) {
    return Error{"a contact is between two bodies that do not move"};
  }
  if (!sound_numbers(r)) return Error{"a contact has numbers that no contact has"};
  if (r.colour >= (r.kind == ContactKind::sensor ? 1 : kColours)) {
    return Error{"a contact has a colour that it cannot have"};
  }
  if (r.kind == ContactKind::sensor || r.colour == kOverflowColour) return ok_status();
  for (const ContactSide* side : {&sides.a, &sides.b}) {
    if (!side->moves) continue;
    const std::uint64_t bit = std::uint64_t{1} << r.colour;
    if (colours_[side->slot] & bit) return Error{"two contacts of a body have the same colour"};
    colours_[side->slot] |= bit;
  }
  return ok_status();
}

Status ContactSet::check(std::span<const ContactRecord> records, const Bodies& bodies,
                         const ShapeSet& shapes, std::span<const std::uint32_t> shape_of) {
  const std::vector<ContactBody> found = contact_bodies(bodies, shape_of);
  ContactCheck check(found, shapes, bodies.capacity());
  for (const ContactRecord& record : records) {
    if (Status status = check.next(record); !status) return status;
  }
  return ok_status();
}

// --- records into a set ---

std::uint32_t ContactSet::insert(const ContactRecord& record, const ContactSides& sides) {
  ORRERY_ASSERT(record.kind == kind_of(sides));
  const std::uint32_t id = lanes_.insert(record.kind, record.colour, record.key);
  const LaneIndex place = lanes_.place(id);
  const std::uint32_t block = place.index / kBlockLanes, lane = place.index % kBlockLanes;
  ContactColour& colour = lanes_.colour(place.colour);
  if (place.kind == ContactKind::round) {
    restore_round(record, colour.round.blocks[block], colour.round.extras[block], lane);
  } else if (place.kind == ContactKind::general) {
    restore_general(record, colour.general.blocks[block], colour.general.extras[block], lane);
  }
  set_constants(lanes_, id, sides);
  register_contact(record.key, id, sides);
  return id;
}

void ContactSet::append(const ContactRecord& record, std::span<const ContactBody> bodies,
                        const ShapeSet& shapes) {
  ORRERY_ASSERT(keys_.size() < size_max(capacity_));
  const ContactSides sides = contact_sides(record.key, bodies, shapes);
  keys_.push_back(record.key);
  known_.push_back(known_entry(insert(record, sides), sides));
}

void ContactSet::restore(std::span<const ContactRecord> records, const Bodies& bodies,
                         const ShapeSet& shapes, std::span<const std::uint32_t> shape_of) {
  std::size_t i = 0;
  const auto next = [&] { return i < records.size() ? &records[i++] : nullptr; };
  restore_each(next, contact_bodies(bodies, shape_of), shapes);
}

void ContactSet::reinsert(std::span<const ContactRecord> records, const Bodies& bodies,
                          const ShapeSet& shapes, std::span<const std::uint32_t> shape_of) {
  ORRERY_ASSERT(ended_.empty() && begun_.empty());
  ORRERY_ASSERT(keys_.size() + records.size() <= size_max(capacity_));
  for (const ContactRecord& record : records) {
    const ContactSides sides = contact_sides(record.key, bodies, shapes, shape_of);
    begun_.emplace_back(record.key, known_entry(insert(record, sides), sides));
  }
  merge_changes();
}

std::uint64_t ContactSet::hash(Executor& executor) {
  const std::span<const BlockSpan> pieces = lanes_.pieces();
  std::atomic<std::uint64_t> sum{0};  // integers: the order of the additions does not matter
  parallel_ranges(
      executor, static_cast<std::uint32_t>(pieces.size()), 1,
      [&](std::uint32_t begin, std::uint32_t end) {
        std::uint64_t part = 0;
        for (const BlockSpan& p : pieces.subspan(begin, end - begin)) {
          ContactColour& colour = lanes_.colour(p.colour);
          const BlockRange range{p.begin, p.end};
          part += p.kind == ContactKind::round
                      ? hash_round(colour.round.view(), p.colour, range, colour.round.count)
                      : hash_general(colour.general.view(), p.colour, range, colour.general.count);
        }
        sum += part;
      });
  return sum;
}

}  // namespace orrery::physics
