// Leaves out contacts at the seams between bodies that support a body together.
#include <algorithm>
#include <array>
#include <tuple>

#include "common/physics/narrow/core_shape.h"
#include "common/physics/narrow/seam.h"
#include "common/physics/update/contact_update.h"

namespace orrery::physics {
namespace {

// Most supports of a body that are looked at.
constexpr std::size_t kSupportsMax = 16;
// A step up to this share of the inner radius of a part counts as flat.
constexpr double kSeamShare = 0.01;
// Normals within about 2 degrees of each other push in the same direction: faces of the body or of
// its supports. The normal of a round part over an edge tilts as soon as its centre has left the
// face, so the limit is 0.06 degrees for it.
constexpr double kSameCosine = 0.9995;
constexpr double kSameRoundCosine = 1 - 5e-7;

// A contact of a movable part with a part that does not move.
struct Supported {
  ContactKey key;
  std::uint32_t query;  // the query that asks about it, or ContactUpdater::kNew
  bool first;           // the movable part is A
  SupportPlane plane;
  double separation;

  std::uint32_t mover() const { return first ? key.slot_a() : key.slot_b(); }
  std::uint32_t support() const { return first ? key.slot_b() : key.slot_a(); }
  std::uint32_t part() const { return first ? key.part_a() : key.part_b(); }
  std::uint32_t support_part() const { return first ? key.part_b() : key.part_a(); }
};

PosedPart posed(const ShapedBodies& bodies, std::uint32_t slot, std::uint32_t part) {
  ORRERY_ASSERT(bodies.has_shape(slot) && part < bodies.parts(slot).size());
  return {bodies.parts(slot)[part], bodies.pose(slot)};
}

double nearest_point(const Manifold& manifold) {
  ORRERY_ASSERT(manifold.count >= 1 && manifold.count <= kContactPointsMax);
  double least = manifold.points[0].separation;
  for (std::uint32_t i = 1; i < manifold.count; ++i) {
    least = std::min(least, manifold.points[i].separation);
  }
  return least;
}

// Returns true if a direction is the normal of a face of a support, to within 0.06 degrees.
bool is_on_face(const ShapedBodies& bodies, const PosedPart& support, const Vec3& up) {
  if (support.part.kind == ShapeKind::plane) return true;
  if (is_surface(support.part.kind)) return false;  // its normal may be over an edge
  const CoreShape core(bodies.shapes, placed(support.part, support.body, support.body.position));
  const auto faces = core.faces();
  return std::any_of(faces.begin(), faces.end(), [&](const auto& face) {
    return dot(core.normal(face), up) > kSameRoundCosine;
  });
}

// Returns true if `plane` of another support keeps the two parts of a contact apart.
bool is_at_seam(const ContactInput& input, const Supported& contact, const Supported& other) {
  const ShapedBodies& bodies = input.bodies;
  ORRERY_ASSERT(contact.mover() == other.mover());
  ORRERY_ASSERT(contact.mover() != contact.support());
  ORRERY_ASSERT(bodies.has_shape(contact.mover()) && bodies.has_shape(contact.support()));
  if (contact.part() != other.part()) return false;
  const PosedPart mover = posed(bodies, contact.mover(), contact.part());
  const PosedPart support = posed(bodies, contact.support(), contact.support_part());
  const bool over_edge = mover.part.radius > 0 && !is_on_face(bodies, support, contact.plane.up);
  const double same = over_edge ? kSameRoundCosine : kSameCosine;
  if (dot(contact.plane.up, other.plane.up) > same) return false;
  return separates(bodies.shapes, other.plane, mover, support, kSeamShare * mover.part.inner_radius,
                   input.margin().of(size_of(mover.part)));
}

}  // namespace

// Lists the contacts of movable parts with parts that do not move. `queries` ascend by key.
void ContactUpdater::find_grounds(const ContactInput& input, const ContactSet& contacts,
                                  std::span<const Query> queries) {
  const Bodies& bodies = input.bodies.bodies;
  ORRERY_ASSERT(bodies.capacity() == capacity_);
  ORRERY_ASSERT(queries.size() <= manifolds_.size());
  grounds_.clear();
  grounds_.reserve(contacts.keys().size() + queries.size());
  // A contact that just ended may name a body or part that is gone.
  const auto there = [&](std::uint32_t slot, std::uint32_t part) {
    return input.bodies.has_shape(slot) && part < input.bodies.parts(slot).size();
  };
  const auto add = [&](ContactKey key, std::uint32_t query) {
    if (!there(key.slot_a(), key.part_a()) || !there(key.slot_b(), key.part_b())) return;
    const bool a = bodies.inverse_mass(key.slot_a()) > 0;
    const bool b = bodies.inverse_mass(key.slot_b()) > 0;
    if (a != b) grounds_.push_back({a ? key.slot_a() : key.slot_b(), query, key});
  };
  for (std::uint32_t i = 0; i < queries.size(); ++i) {
    if (queries[i].touches) add(queries[i].key, i);
  }
  if (grounds_.empty()) return;
  std::size_t next = 0;
  for (const ContactKey key : contacts.keys()) {
    while (next < queries.size() && queries[next].key < key) ++next;
    if (next == queries.size() || queries[next].key != key) add(key, kNew);
  }
  std::sort(grounds_.begin(), grounds_.end(), [](const Ground& a, const Ground& b) {
    return std::tie(a.mover, a.key) < std::tie(b.mover, b.key);
  });
}

// Decides about the contacts of one movable body, the deepest first. A contact is left out if a
// support that was kept separates its parts (is_at_seam()).
void ContactUpdater::drop_seams_of(const ContactInput& input, std::span<const Ground> grounds,
                                   std::span<Query> queries) {
  const ShapedBodies& bodies = input.bodies;
  ORRERY_ASSERT(!grounds.empty());
  ORRERY_ASSERT(queries.size() <= manifolds_.size());
  std::array<Supported, kSupportsMax> found;
  std::size_t count = 0;
  std::array<Manifold, kSurfaceManifoldsMax> manifolds;
  for (const Ground& ground : grounds.first(std::min(grounds.size(), kSupportsMax))) {
    const ContactKey key = ground.key;
    const Part& a = bodies.parts(key.slot_a())[key.part_a()];
    const Part& b = bodies.parts(key.slot_b())[key.part_b()];
    if (a.filter.sensor || b.filter.sensor) continue;
    const bool first = ground.mover == key.slot_a();
    Manifold manifold;
    if (ground.query != kNew) {
      manifold = manifolds_[ground.query];
    } else {
      const std::uint32_t there =
          find_manifolds(bodies.shapes, a, bodies.pose(key.slot_a()), b, bodies.pose(key.slot_b()),
                         input.margin().of(a, b), manifolds);
      if (key.manifold() >= there) continue;
      manifold = manifolds[key.manifold()];
    }
    const Vec3 to_a = bodies.bodies.position(key.slot_a()) - bodies.bodies.position(ground.mover);
    found[count++] = {key, ground.query, first, support_plane(manifold, first, to_a),
                      nearest_point(manifold)};
  }
  const std::span<Supported> all(found.data(), count);
  std::sort(all.begin(), all.end(), [](const Supported& a, const Supported& b) {
    return std::tie(a.separation, a.key) < std::tie(b.separation, b.key);
  });
  std::size_t kept = 0;
  for (const Supported& contact : all) {
    const bool drops =
        contact.query != kNew &&
        std::any_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept),
                    [&](const Supported& other) { return is_at_seam(input, contact, other); });
    if (drops) {
      queries[contact.query].touches = false;
    } else {
      const Supported stays = contact;
      all[kept++] = stays;
    }
  }
}

// Leaves out the contacts at seams among the answered queries.
void ContactUpdater::drop_seams(const ContactInput& input, const ContactSet& contacts,
                                std::span<Query> queries) {
  ORRERY_ASSERT(std::is_sorted(queries.begin(), queries.end(),
                               [](const Query& a, const Query& b) { return a.key < b.key; }));
  find_grounds(input, contacts, queries);
  const auto end = grounds_.end();
  for (auto at = grounds_.begin(); at != end;) {
    const auto next =
        std::find_if(at, end, [&](const Ground& ground) { return ground.mover != at->mover; });
    const bool asks =
        std::any_of(at, next, [](const Ground& ground) { return ground.query != kNew; });
    if (asks && next - at > 1) drop_seams_of(input, {at, next}, queries);
    at = next;
  }
}

}  // namespace orrery::physics
