// Computes contacts on curved ground again after each drift.
#include "common/physics/update/contact_follow.h"

#include <algorithm>
#include <array>
#include <span>

#include "common/physics/contacts/contact_geometry.h"
#include "common/physics/contacts/contact_settings.h"

namespace orrery::physics {
namespace {

// The fewest contacts worth handing to a thread (parallel_ranges()).
constexpr std::uint32_t kFollowedLeast = 8;
// Normals within 0.006 degrees of each other are equal.
constexpr double kSameNormal = 1 - 5e-9;
// Normals more than 26 degrees apart belong to different contacts.
constexpr double kNearNormal = 0.9;

// Where the data of a contact is.
struct Place {
  Place(ContactLanes& lanes, std::uint32_t id)
      : colour(lanes.colour(lanes.place(id).colour)),
        round(lanes.place(id).kind == ContactKind::round),
        block(lanes.place(id).index / kBlockLanes),
        lane(lanes.place(id).index % kBlockLanes) {
    ORRERY_ASSERT(lanes.place(id).kind != ContactKind::sensor);
  }

  BlockRange range() const { return {block, block + 1, lane}; }
  Vec3 normal() const {
    const Lanes3& n =
        round ? colour.round.blocks[block].normal : colour.general.blocks[block].normal;
    return {n.x[lane], n.y[lane], n.z[lane]};
  }
  bool presses() const {
    if (round) return colour.round.blocks[block].impulse[lane] > 0;
    const ManifoldBlock& contact = colour.general.blocks[block];
    const std::span<const PointRow> points(contact.points, contact.footer.points);
    return std::any_of(points.begin(), points.end(),
                       [&](const PointRow& point) { return point.impulse[lane] > 0; });
  }

  ContactColour& colour;
  bool round;
  std::uint32_t block, lane;
};

// Returns true for a part with a normal that may turn steadily along the way of a round part. An
// edge or a corner of another part moves on along one face.
bool is_smooth(const Part& part) {
  return part.kind == ShapeKind::sphere || part.kind == ShapeKind::capsule || is_surface(part.kind);
}

// Returns true if the normal of a contact may change along the way of a body, and the body moves
// far enough in a tick.
bool may_curve(const ContactSides& sides, const Bodies& bodies, double tick) {
  ORRERY_ASSERT(tick > 0);
  const Part &a = *sides.a.part, &b = *sides.b.part;
  if (!is_smooth(a) || !is_smooth(b)) return false;
  const Vec3 way = tick * (bodies.velocity(sides.b.slot) - bodies.velocity(sides.a.slot));
  const double least = kFollowShare * least_size(size_of(a), size_of(b)).inner_radius;
  return dot(way, way) > least * least;
}

// Returns true if two keys name contacts of the same parts.
bool same_parts(ContactKey a, ContactKey b) { return a.value >> 2 == b.value >> 2; }

// Returns the manifold with the normal nearest to `normal`: manifolds may change their numbers
// within a tick. Returns nullptr if it is the same normal, or if none is near.
const Manifold* find_turned(std::span<const Manifold> manifolds, const Vec3& normal) {
  double most = kNearNormal;
  const Manifold* nearest = nullptr;
  for (const Manifold& manifold : manifolds) {
    const double cosine = dot(manifold.normal, normal);
    if (cosine < most) continue;
    most = cosine;
    nearest = &manifold;
  }
  return most > kSameNormal ? nullptr : nearest;
}

// Returns the effect of the stored impulses of a general contact.
ContactPush push_of(const ManifoldBlock& block, std::uint32_t lane) {
  ORRERY_ASSERT(lane < kBlockLanes);
  const auto at = [lane](const auto& from) {
    return Vec3{static_cast<double>(from.x[lane]), static_cast<double>(from.y[lane]),
                static_cast<double>(from.z[lane])};
  };
  const Vec3 normal = at(block.normal), friction = at(block.friction_impulse);
  const Vec3 twist = block.twist_impulse[lane] * normal;
  ContactPush push{friction, cross(at(block.arm_a), friction) + twist,
                   cross(at(block.arm_b), friction) + twist};
  for (std::uint32_t i = 0; i < block.footer.points; ++i) {
    const PointRow& point = block.points[i];
    const double impulse = point.impulse[lane];
    push.linear += impulse * normal;
    push.angular_a += impulse * at(point.j_a);
    push.angular_b += impulse * at(point.j_b);
  }
  return push;
}

}  // namespace

void ContactFollower::begin(const ContactInput& input, const ContactSet& contacts) {
  ORRERY_ASSERT(contacts.size_after_merge() == contacts.size());
  const std::span<const ContactEntry> entries = contacts.entries();
  followed_.clear();
  // Allocates nothing once there were as many such contacts.
  followed_.reserve(static_cast<std::size_t>(
      std::count_if(entries.begin(), entries.end(),
                    [](ContactEntry entry) { return entry.needs_narrow_phase(); })));
  for (std::size_t i = 0; i < contacts.keys().size(); ++i) {
    const ContactEntry entry = entries[i];
    if (!entry.needs_narrow_phase()) continue;
    const ContactKey key = contacts.keys()[i];
    const ContactSides sides = contact_sides(key, input.bodies);
    if (kind_of(sides) == ContactKind::sensor) continue;
    if (may_curve(sides, input.bodies.bodies, input.step.tick)) {
      followed_.push_back({key, entry.id()});
    }
  }
}

// Asks once for all contacts of two parts.
void ContactFollower::ask(const ShapedBodies& bodies, ContactLanes& lanes,
                          const ContactMargin& margin, std::span<Followed> contacts) const {
  ORRERY_ASSERT(!contacts.empty());
  const ContactKey key = contacts.front().key;
  ORRERY_ASSERT(bodies.has_shape(key.slot_a()) && bodies.has_shape(key.slot_b()));
  bool presses = false;
  for (Followed& followed : contacts) {
    followed.changed = false;
    presses = presses || Place(lanes, followed.id).presses();
  }
  if (!presses) return;
  const Part& a = bodies.parts(key.slot_a())[key.part_a()];
  const Part& b = bodies.parts(key.slot_b())[key.part_b()];
  std::array<Manifold, kSurfaceManifoldsMax> manifolds;
  const std::uint32_t count = find_manifolds(bodies.shapes, a, bodies.pose(key.slot_a()), b,
                                             bodies.pose(key.slot_b()), margin.of(a, b), manifolds);
  // An edge of a surface may be at a seam between two surfaces.
  const bool surface = is_surface(a.kind) || is_surface(b.kind);
  for (Followed& followed : contacts) {
    const Place place(lanes, followed.id);
    if (!place.presses()) continue;
    const Manifold* const found = find_turned({manifolds.data(), count}, place.normal());
    if (found == nullptr) continue;
    followed.changed = !surface || found->on_face;
    followed.number = static_cast<std::uint32_t>(found - manifolds.data());
    followed.manifold = *found;
  }
}

void ContactFollower::follow(const ShapedBodies& bodies, ContactSet& contacts,
                             const ImpactSettings& settings, Executor& executor) {
  ORRERY_ASSERT(contacts.size_after_merge() == contacts.size());
  ORRERY_ASSERT(settings.tick > 0);
  ContactLanes& lanes = contacts.lanes();
  const BodyRows& rows = contacts.bodies().rows();
  parallel_ranges(executor, static_cast<std::uint32_t>(followed_.size()), kFollowedLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (std::uint32_t i = begin; i < end; ++i) {
                      const ContactKey key = followed_[i].key;
                      if (i > 0 && same_parts(followed_[i - 1].key, key)) continue;
                      std::uint32_t last = i + 1;
                      while (last < followed_.size() && same_parts(followed_[last].key, key))
                        ++last;
                      ask(bodies, lanes, settings.margin,
                          std::span(followed_).subspan(i, last - i));
                    }
                  });
  const Followed* last = nullptr;
  for (const Followed& followed : followed_) {
    if (!followed.changed) continue;
    // Two manifolds of two parts may have become one.
    const bool taken =
        last != nullptr && last->number == followed.number && same_parts(last->key, followed.key);
    last = &followed;
    if (taken) continue;
    const Place place(lanes, followed.id);
    const ContactSides sides = contact_sides(followed.key, bodies);
    const auto renew = [&] {
      set_geometry(lanes, followed.id, sides, followed.manifold, bodies.bodies);
    };
    if (place.round) {
      const Vec3 before = place.normal();
      renew();
      follow_round(rows, place.colour.round.view(), place.range(), settings, before);
    } else {
      const ContactPush before = push_of(place.colour.general.blocks[place.block], place.lane);
      renew();
      follow_general(rows, place.colour.general.view(), place.range(), settings, before);
    }
  }
}

}  // namespace orrery::physics
