// Copies contacts between lanes and records, and checks records.
#include "common/physics/contacts/contact_records.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

Vec3 lane_of(const Lanes3& from, std::uint32_t lane) {
  return {from.x[lane], from.y[lane], from.z[lane]};
}

void set_lane(Lanes3& to, std::uint32_t lane, const Vec3& v) {
  to.x[lane] = v.x;
  to.y[lane] = v.y;
  to.z[lane] = v.z;
}

void save_round(const BallBlock& block, const BallColdBlock& extra, std::uint32_t lane,
                ContactRecord& record) {
  record.count = 1;
  record.points[0].impulse = block.impulse[lane];
  record.friction_impulse = lane_of(block.friction_impulse, lane);
  record.rolling_impulse = lane_of(extra.rolling_impulse, lane);
}

void save_general(const ManifoldBlock& block, const ManifoldColdBlock& extra, std::uint32_t lane,
                  ContactRecord& record) {
  record.count = static_cast<std::uint8_t>(extra.count[lane]);
  record.face_of_b = extra.face_of_b[lane] != 0;
  record.normal = lane_of(extra.normal_a, lane);
  const Vec3 turn = lane_of(extra.turn, lane);
  record.turn = {turn.x, turn.y, turn.z, extra.turn_w[lane]};
  for (std::uint32_t i = 0; i < record.count; ++i) {
    record.points[i] = {lane_of(extra.at_a[i], lane), lane_of(extra.at_b[i], lane),
                        extra.made[i][lane], block.points[i].impulse[lane], extra.feature[i][lane]};
  }
  record.friction_impulse = lane_of(block.friction_impulse, lane);
  record.twist_impulse = block.twist_impulse[lane];
  record.rolling_impulse = lane_of(extra.rolling_impulse, lane);
}

void restore_round(const ContactRecord& record, BallBlock& block, BallColdBlock& extra,
                   std::uint32_t lane) {
  block.impulse[lane] = record.points[0].impulse;
  set_lane(block.friction_impulse, lane, record.friction_impulse);
  set_lane(extra.rolling_impulse, lane, record.rolling_impulse);
}

void restore_general(const ContactRecord& record, ManifoldBlock& block, ManifoldColdBlock& extra,
                     std::uint32_t lane) {
  extra.count[lane] = record.count;
  extra.face_of_b[lane] = record.face_of_b ? 1 : 0;
  set_lane(extra.normal_a, lane, record.normal);
  set_lane(extra.turn, lane, {record.turn.x, record.turn.y, record.turn.z});
  extra.turn_w[lane] = record.turn.w;
  for (std::uint32_t i = 0; i < record.count; ++i) {
    const ContactPointRecord& point = record.points[i];
    set_lane(extra.at_a[i], lane, point.at_a);
    set_lane(extra.at_b[i], lane, point.at_b);
    extra.made[i][lane] = point.separation;
    block.points[i].impulse[lane] = point.impulse;
    extra.feature[i][lane] = point.feature;
  }
  set_lane(block.friction_impulse, lane, record.friction_impulse);
  block.twist_impulse[lane] = record.twist_impulse;
  set_lane(extra.rolling_impulse, lane, record.rolling_impulse);
  block.footer.points = std::max(block.footer.points, record.count);
  complete_geometry(extra, lane);
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

// Returns true if the numbers of a record are valid. NaN is invalid, because comparisons with it
// are false. Impulses may have any finite size, because the start pass clamps them. Impulses along
// the normal must not be negative. A sensor has no numbers.
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
  ORRERY_ASSERT(record.colour < kColours);
  ORRERY_ASSERT(record.count <= kContactPointsMax);
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

void read_record(const ContactLanes& lanes, ContactKey key, std::uint32_t id,
                 ContactRecord& record) {
  const LaneIndex& place = lanes.place(id);
  const std::uint32_t block = place.index / kBlockLanes, lane = place.index % kBlockLanes;
  const ContactColour& colour = lanes.colour(place.colour);
  if (place.kind != ContactKind::round || record.kind != ContactKind::round) record = {};
  record.key = key;
  record.kind = place.kind;
  record.colour = place.colour;
  if (place.kind == ContactKind::round) {
    save_round(colour.round.blocks[block], colour.round.extras[block], lane, record);
  } else if (place.kind == ContactKind::general) {
    save_general(colour.general.blocks[block], colour.general.extras[block], lane, record);
  }
}

void write_record(ContactLanes& lanes, std::uint32_t id, const ContactRecord& record) {
  const LaneIndex& place = lanes.place(id);
  ORRERY_ASSERT(place.kind == record.kind && place.colour == record.colour);
  const std::uint32_t block = place.index / kBlockLanes, lane = place.index % kBlockLanes;
  ContactColour& colour = lanes.colour(place.colour);
  if (place.kind == ContactKind::round) {
    restore_round(record, colour.round.blocks[block], colour.round.extras[block], lane);
  } else if (place.kind == ContactKind::general) {
    restore_general(record, colour.general.blocks[block], colour.general.extras[block], lane);
  }
}

static_assert(std::uint64_t{limits::kContactsPerBodyMax} * limits::kBodiesMax <= 0xFFFFFFFF);

std::uint32_t contacts_max(std::uint32_t capacity) {
  ORRERY_ASSERT(capacity <= limits::kBodiesMax);
  return std::min(limits::kContactsMax, limits::kContactsPerBodyMax * capacity);
}

// --- validation ---

ContactCheck::ContactCheck(std::span<const ContactBody> bodies, const ShapeSet& shapes,
                           std::uint32_t capacity, std::span<const OtherFilter> others)
    : bodies_(bodies),
      others_(others),
      shapes_(shapes),
      left_(contacts_max(capacity)),
      colours_(bodies.size(), 0) {}

Filter ContactCheck::filter_of(const ContactSide& side) const {
  Filter filter = side.part->filter;
  const auto at =
      std::lower_bound(others_.begin(), others_.end(), side.slot,
                       [](const OtherFilter& f, std::uint32_t slot) { return f.slot < slot; });
  if (at == others_.end() || at->slot != side.slot) return filter;
  filter.category = at->category;
  filter.mask = at->mask;
  return filter;
}

Status ContactCheck::next(const ContactRecord& r) {
  if (left_ == 0) return Error{"more contacts than there may be"};
  if (last_ && !(*last_ < r.key)) return Error{"contacts are not in order"};
  --left_;
  last_ = r.key;
  if (!names_parts(r.key, bodies_, shapes_)) {
    return Error{"a contact names parts that are not there"};
  }
  const ContactSides sides = contact_sides(r.key, bodies_, shapes_);
  if (Status status = check_parts(r, sides); !status) return status;
  if (!sound_numbers(r)) return Error{"a contact has numbers that no contact has"};
  return take_colour(r, sides);
}

// Checks that the two parts of a record can have a contact of its kind and number of points.
Status ContactCheck::check_parts(const ContactRecord& r, const ContactSides& sides) const {
  if (r.key.manifold() >= manifolds_max(*sides.a.part, *sides.b.part)) {
    return Error{"a contact names a manifold that its parts do not have"};
  }
  const std::uint32_t count_min = r.kind == ContactKind::sensor ? 0 : 1;
  const std::uint32_t count_max = r.kind == ContactKind::general ? kContactPointsMax : count_min;
  if (r.kind != kind_of(sides) || r.count < count_min || r.count > count_max) {
    return Error{"a contact is of another kind than its parts"};
  }
  if (!may_meet(filter_of(sides.a), filter_of(sides.b))) {
    return Error{"a contact is between parts that do not meet"};
  }
  if (!sides.a.moves && !sides.b.moves && r.kind != ContactKind::sensor) {
    return Error{"a contact is between two bodies that do not move"};
  }
  return ok_status();
}

// Checks that the colour is free on the bodies that impulses change, and marks it as taken there.
// Sensors and contacts of the overflow colour take no colour.
Status ContactCheck::take_colour(const ContactRecord& r, const ContactSides& sides) {
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

}  // namespace orrery::physics
