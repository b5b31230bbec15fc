// Fills the lane of a contact.
#include "common/physics/contacts/contact_geometry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "common/core/hash.h"
#include "common/physics/body/contact_margin.h"
#include "common/physics/contacts/contact_settings.h"

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

// Sets the bits that tell whether impulses change the bodies of a lane (BlockFooter).
void set_writes(BlockFooter& footer, std::uint32_t lane, const ContactSides& sides) {
  const auto bit = static_cast<std::uint8_t>(1u << lane);
  footer.writes_a =
      static_cast<std::uint8_t>(sides.a.moves ? footer.writes_a | bit : footer.writes_a & ~bit);
  footer.writes_b =
      static_cast<std::uint8_t>(sides.b.moves ? footer.writes_b | bit : footer.writes_b & ~bit);
}

template <class Block, class Extra>
void set_common(Block& block, Extra& extra, std::uint32_t lane, const ContactSides& sides) {
  block.bodies.row_a[lane] = sides.a.slot;
  block.bodies.row_b[lane] = sides.b.slot;
  const Material &a = sides.a.part->material, &b = sides.b.part->material;
  block.friction[lane] = square_root(a.friction * b.friction);
  extra.restitution[lane] = std::max(a.restitution, b.restitution);
  extra.rolling_resistance[lane] = std::max(a.rolling_resistance, b.rolling_resistance);
  block.footer.has_rolling_resistance |= extra.rolling_resistance[lane] > 0;
  set_writes(block.footer, lane, sides);
}

std::uint32_t deepest(const Manifold& manifold) {
  ORRERY_ASSERT(manifold.count > 0);
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < manifold.count; ++i) {
    if (manifold.points[i].separation < manifold.points[best].separation) best = i;
  }
  return best;
}

bool is_round(const Part& part) {
  return part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule;
}

// The new points of a contact, and its old ones before its lane is overwritten. `at` are anchors on
// body a.
struct Points {
  const Manifold& manifold;
  const std::array<Vec3, kContactPointsMax>& at;
};

// A new point takes the impulse of an old point with another feature up to this distance, in units
// of the reuse distance.
constexpr double kNearShare = 4;

// A contact with the plane between two parts that pass each other holds for one tick. It is reused
// up to this share of the usual motion only, which is above rounding.
constexpr double kPassingReuse = 1e-6;

// Returns the reuse distance of parts that do not pass each other.
double usual_reuse(const ManifoldColdBlock& extra, std::uint32_t lane) {
  ORRERY_ASSERT(lane < kBlockLanes);
  return kReuseShare * extra.inner_radius[lane];
}

// The numbers that a point keeps if the contact gets new geometry. Only the impulse lasts longer
// than a tick.
struct Kept {
  double impulse = 0;
  double gap = 0;
  double mass = 1;  // 0: the point waits
};

// Keeps a share of the impulses of friction and rolling resistance.
void keep_friction(ManifoldBlock& block, ManifoldColdBlock& extra, std::uint32_t lane,
                   double share) {
  ORRERY_ASSERT(lane < kBlockLanes && share >= 0 && share <= 1);
  put(block.friction_impulse, lane, share * get(block.friction_impulse, lane));
  block.twist_impulse[lane] *= share;
  put(extra.rolling_impulse, lane, share * get(extra.rolling_impulse, lane));
}

// Copies the impulse of each old point of the contact to the new point with the same feature id.
// Then each new point without such an old point takes the impulse of the nearest old point that is
// left, if it is near: the features of coinciding faces change from tick to tick. Friction keeps
// the share of the normal impulses that is kept.
void keep_impulses(ManifoldBlock& block, ManifoldColdBlock& extra, std::uint32_t lane,
                   const Points& points) {
  const Manifold& manifold = points.manifold;
  ORRERY_ASSERT(lane < kBlockLanes && manifold.count <= kContactPointsMax);
  std::array<Kept, kContactPointsMax> kept{};
  const auto old = [&](std::uint32_t j) {
    const PointRow& point = block.points[j];
    return Kept{point.impulse[lane], point.gap[lane], point.mass[lane]};
  };
  std::array<bool, kContactPointsMax> matched{}, taken{};
  const auto before = static_cast<std::uint32_t>(extra.count[lane]);
  for (std::uint32_t i = 0; i < manifold.count; ++i) {
    for (std::uint32_t j = 0; j < before && !matched[i]; ++j) {
      if (taken[j] || extra.feature[j][lane] != manifold.points[i].feature) continue;
      kept[i] = old(j);
      matched[i] = taken[j] = true;
    }
  }
  for (std::uint32_t i = 0; i < manifold.count; ++i) {
    if (matched[i]) continue;
    std::uint32_t nearest = before;
    const double near = kNearShare * usual_reuse(extra, lane);
    double least = near * near;
    for (std::uint32_t j = 0; j < before; ++j) {
      const Vec3 to = get(extra.at_a[j], lane) - points.at[i];
      if (taken[j] || dot(to, to) >= least) continue;
      nearest = j;
      least = dot(to, to);
    }
    if (nearest == before) continue;
    kept[i] = old(nearest);
    taken[nearest] = true;
  }
  double all = 0, lost = 0;
  for (std::uint32_t j = 0; j < before; ++j) {
    all += block.points[j].impulse[lane];
    if (!taken[j]) lost += block.points[j].impulse[lane];
  }
  for (std::uint32_t i = 0; i < kContactPointsMax; ++i) {
    block.points[i].impulse[lane] = kept[i].impulse;
    block.points[i].gap[lane] = kept[i].gap;
    block.points[i].mass[lane] = kept[i].mass;
    extra.feature[i][lane] = i < manifold.count ? manifold.points[i].feature : 0;
  }
  // An image may hold impulses with an infinite sum.
  const bool remains = all > lost && std::isfinite(all);
  if (lost > 0) keep_friction(block, extra, lane, remains ? (all - lost) / all : 0);
}

void set_general(ManifoldBlock& block, ManifoldColdBlock& extra, std::uint32_t lane,
                 const ContactSides& sides, const Manifold& manifold, const Bodies& bodies) {
  const Pose a = pose_of(bodies, sides.a.slot), b = pose_of(bodies, sides.b.slot);
  const Vec3 from_b = a.position - b.position;
  // Returns a vector from a point to the core of a part, if it is round.
  const auto to_core = [&](const ManifoldPoint& point, const Part& part) {
    return is_round(part) ? (part.radius + 0.5 * point.separation) * manifold.normal : Vec3{};
  };
  std::array<Vec3, kContactPointsMax> anchors;
  for (std::uint32_t i = 0; i < manifold.count; ++i) {
    const ManifoldPoint& point = manifold.points[i];
    anchors[i] = rotate_back(a.orientation, point.at - to_core(point, *sides.a.part));
  }
  keep_impulses(block, extra, lane, {manifold, anchors});
  put(extra.normal_a, lane, rotate_back(a.orientation, manifold.normal));
  extra.face_of_b[lane] = manifold.face_of_b ? 1 : 0;
  for (std::uint32_t i = 0; i < kContactPointsMax; ++i) {
    const bool there = i < manifold.count;
    const ManifoldPoint point = there ? manifold.points[i] : ManifoldPoint{};
    put(extra.at_a[i], lane, anchors[i]);
    const Vec3 on_b = (point.at + from_b) + to_core(point, *sides.b.part);
    put(extra.at_b[i], lane, there ? rotate_back(b.orientation, on_b) : Vec3{});
    extra.made[i][lane] = point.separation;
    // In each lane, the kernels process as many points as the fullest lane of the block has. Mass 0
    // keeps the unused points of this lane without impulse. All of them need it, because the lane
    // may later move to a block with more points.
    if (!there) block.points[i].mass[lane] = 0;
  }
  const Quat turn = conjugate(a.orientation) * b.orientation;
  put(extra.turn, lane, {turn.x, turn.y, turn.z});
  extra.turn_w[lane] = turn.w;
  extra.count[lane] = manifold.count;
  complete_geometry(extra, lane);
}

// Writes the constants that say how points move with the two parts. A point belongs to a round
// part, else to the part that touches a plane, else half to each.
void set_anchoring(ManifoldColdBlock& extra, std::uint32_t lane, const Part& a, const Part& b) {
  ORRERY_ASSERT(lane < kBlockLanes);
  extra.radius_a[lane] = is_round(a) ? a.radius : 0;
  extra.radius_b[lane] = is_round(b) ? b.radius : 0;
  const bool on_a = is_round(a) || b.kind == ShapeKind::plane;
  const bool on_b = is_round(b) || a.kind == ShapeKind::plane;
  extra.share[lane] = on_a == on_b ? 0.5 : (on_b ? 1 : 0);
  extra.extent[lane] = std::min(a.reach, b.reach);
  extra.inner_radius[lane] = least_size(size_of(a), size_of(b)).inner_radius;
}

}  // namespace

ContactSides contact_sides(ContactKey key, const ShapedBodies& shaped) {
  const std::span<const std::uint32_t> shape_of = shaped.shape_of;
  const auto side = [&](std::uint32_t slot, std::uint32_t part) {
    ORRERY_ASSERT(slot < shape_of.size() && shape_of[slot] < shaped.shapes.size());
    ORRERY_ASSERT(part < shaped.parts(slot).size());
    return contact_side(slot, part, contact_body(shaped.bodies, slot, shape_of[slot]),
                        shaped.shapes);
  };
  return {side(key.slot_a(), key.part_a()), side(key.slot_b(), key.part_b())};
}

bool needs_narrow_phase(const ContactSides& s) {
  const ContactKind kind = kind_of(s);
  if (kind == ContactKind::sensor) return true;
  if (kind == ContactKind::round) return !both_balls(s);
  const bool both_round = is_round(*s.a.part) && is_round(*s.b.part);
  return both_round || is_surface(s.a.part->kind) || is_surface(s.b.part->kind);
}

void set_constants(ContactLanes& lanes, std::uint32_t id, const ContactSides& sides) {
  ORRERY_ASSERT(sides.a.slot < sides.b.slot);
  const LaneIndex& place = lanes.place(id);
  const std::uint32_t block = place.index / kBlockLanes, lane = place.index % kBlockLanes;
  ContactColour& colour = lanes.colour(place.colour);
  if (place.kind == ContactKind::round) {
    BallColdBlock& extra = colour.round.extras[block];
    set_common(colour.round.blocks[block], extra, lane, sides);
    extra.radius_a[lane] = sides.a.centred_ball ? sides.a.part->radius : 0;
    extra.radius_b[lane] = sides.b.centred_ball ? sides.b.part->radius : 0;
    const auto bit = static_cast<std::uint8_t>(1u << lane);
    extra.balls =
        static_cast<std::uint8_t>(both_balls(sides) ? extra.balls | bit : extra.balls & ~bit);
  } else if (place.kind == ContactKind::general) {
    ManifoldColdBlock& extra = colour.general.extras[block];
    set_common(colour.general.blocks[block], extra, lane, sides);
    set_anchoring(extra, lane, *sides.a.part, *sides.b.part);
  }
}

void set_geometry(ContactLanes& lanes, std::uint32_t id, const ContactSides& sides,
                  const Manifold& manifold, const Bodies& bodies) {
  ORRERY_ASSERT(manifold.count >= 1 && manifold.count <= kContactPointsMax);
  const LaneIndex& place = lanes.place(id);
  const std::uint32_t block = place.index / kBlockLanes, lane = place.index % kBlockLanes;
  ContactColour& colour = lanes.colour(place.colour);
  if (place.kind == ContactKind::round) {
    BallBlock& round = colour.round.blocks[block];
    put(round.normal, lane, manifold.normal);
    round.separation[lane] = manifold.points[deepest(manifold)].separation;
  } else if (place.kind == ContactKind::general) {
    set_general(colour.general.blocks[block], colour.general.extras[block], lane, sides, manifold,
                bodies);
    lanes.lane_changed(id);
  }
}

void complete_geometry(ManifoldColdBlock& extra, std::uint32_t lane) {
  ORRERY_ASSERT(lane < kBlockLanes);
  const Vec3 turn = get(extra.turn, lane);
  put(extra.normal_b, lane,
      rotate_back({turn.x, turn.y, turn.z, extra.turn_w[lane]}, get(extra.normal_a, lane)));
  const bool passing = extra.feature[0][lane] == kPassingFeature;
  extra.reuse[lane] = (passing ? kPassingReuse : 1) * usual_reuse(extra, lane);
  extra.geometry_hash[lane] = hash_geometry(extra, lane);
}

std::uint64_t hash_geometry(const ManifoldColdBlock& extra, std::uint32_t lane) {
  ORRERY_ASSERT(lane < kBlockLanes);
  // Added to the count, so that contacts of older rules, which lack it, keep their hash.
  constexpr double kFaceOfB = kContactPointsMax + 1;
  std::uint64_t h =
      static_cast<std::uint64_t>(extra.count[lane] + kFaceOfB * extra.face_of_b[lane]);
  const auto take = [&](double value) { h = mix64(h + std::bit_cast<std::uint64_t>(value)); };
  const auto take3 = [&](const Lanes3& v) {
    take(v.x[lane]);
    take(v.y[lane]);
    take(v.z[lane]);
  };
  take3(extra.normal_a);
  take3(extra.turn);
  take(extra.turn_w[lane]);
  for (std::uint32_t i = 0; i < kContactPointsMax; ++i) {
    take3(extra.at_a[i]);
    take3(extra.at_b[i]);
    take(extra.made[i][lane]);
    h = mix64(h + extra.feature[i][lane]);
  }
  return h;
}

}  // namespace orrery::physics
