// Walks through pairs and contacts, asks the narrow phase, and begins, renews and ends contacts.
#include "common/physics/update/contact_update.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

// The fewest queries worth handing to a thread (parallel_ranges()).
constexpr std::uint32_t kQueriesLeast = 8;

// Return the bits of a key that name the two bodies, and those that name bodies and parts.
constexpr std::uint64_t bodies_of(ContactKey key) { return key.value >> 24; }
constexpr std::uint64_t parts_of(ContactKey key) { return key.value >> 2; }

// The two functions agree with the layout of a key (contact_key.h).
static_assert(bodies_of(contact_key(1, 2, 0, 0, 0)) == bodies_of(contact_key(1, 2, 9, 9, 3)));
static_assert(bodies_of(contact_key(1, 2, 9, 9, 3)) != bodies_of(contact_key(1, 3, 0, 0, 0)));
static_assert(parts_of(contact_key(1, 2, 3, 4, 0)) == parts_of(contact_key(1, 2, 3, 4, 3)));
static_assert(parts_of(contact_key(1, 2, 3, 4, 3)) != parts_of(contact_key(1, 2, 3, 5, 0)));
static_assert(kSurfaceManifoldsMax <= 4);  // a key has two bits for the manifold number

std::size_t queries_max(std::uint32_t capacity) {
  return std::size_t{limits::kQueriesPerContactMax} * contacts_max(capacity);
}

ContactEvent begin_event(const Bodies& bodies, ContactKey key, bool sensor,
                         const Manifold& manifold) {
  ORRERY_ASSERT(manifold.count >= 1);
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

// Returns the free motion of a body in the coming tick and the next substep, which impacts foresee.
Motion free_motion(const ContactInput& input, std::uint32_t slot) {
  ORRERY_ASSERT(input.bodies.has_shape(slot));
  const Bodies& bodies = input.bodies.bodies;
  const double time = input.step.tick + input.step.h;
  const double scale = bodies.at(BodyField::gravity_scale, slot);
  const Vec3 fall = (0.5 * time * (time + input.step.h) * scale) * input.step.gravity;
  const Vec3 w = (0.5 * time) * bodies.angular_velocity(slot);
  const Quat turn = normalized({w.x, w.y, w.z, 1});
  const auto [position, orientation] = input.bodies.pose(slot);
  return {{position, orientation},
          {position + (time * bodies.velocity(slot) + fall), turn * orientation}};
}

// Returns true if a motion nearly closes the gap of a point.
bool would_push(std::span<const ManifoldPoint> points, const Vec3& normal, const Motion& a,
                const Motion& b) {
  const auto moved = [](const Motion& body, const Vec3& arm) {
    const Vec3 turned = rotate(body.to.orientation, rotate_back(body.from.orientation, arm));
    return (body.to.position - body.from.position) + (turned - arm);
  };
  return std::any_of(points.begin(), points.end(), [&](const ManifoldPoint& p) {
    const Vec3 way = moved(b, p.at - (b.from.position - a.from.position)) - moved(a, p.at);
    return 0.9 * p.separation + dot(way, normal) <= 0;
  });
}

// Replaces a manifold that would push two parts although they only pass each other, as the bodies
// move now, by their contact with a plane between them, which pushes nothing. A manifold with
// another normal may push in a later tick that reuses it.
void let_pass(const ContactInput& input, ContactKey key, Manifold& manifold) {
  const ShapedBodies& shaped = input.bodies;
  const Part& a = shaped.parts(key.slot_a())[key.part_a()];
  const Part& b = shaped.parts(key.slot_b())[key.part_b()];
  const std::span<const ManifoldPoint> points(manifold.points, manifold.count);
  if (a.kind > ShapeKind::hull || b.kind > ShapeKind::hull) return;
  const auto overlaps = [](const ManifoldPoint& point) { return point.separation <= 0; };
  if (std::any_of(points.begin(), points.end(), overlaps)) return;
  const Motion to_a = free_motion(input, key.slot_a()), to_b = free_motion(input, key.slot_b());
  const std::optional<Manifold> passing = passing_plane(shaped.shapes, a, to_a, b, to_b);
  const double same_plane = points.size() == 1 ? 0.9999 : 0.9;  // cosine
  if (passing && (dot(passing->normal, manifold.normal) < same_plane ||
                  would_push(points, manifold.normal, to_a, to_b))) {
    manifold = *passing;
  }
}

// Computes the manifolds of the two parts of a key at the present poses. Returns their number.
std::uint32_t manifolds_of(const ContactInput& input, ContactKey key,
                           std::span<Manifold, kSurfaceManifoldsMax> manifolds) {
  const ShapedBodies& bodies = input.bodies;
  const Part& a = bodies.parts(key.slot_a())[key.part_a()];
  const Part& b = bodies.parts(key.slot_b())[key.part_b()];
  const double margin = a.filter.sensor || b.filter.sensor ? 0 : input.margin().of(a, b);
  const std::uint32_t count = find_manifolds(bodies.shapes, a, bodies.pose(key.slot_a()), b,
                                             bodies.pose(key.slot_b()), margin, manifolds);
  if (count == 1) let_pass(input, key, manifolds[0]);
  return count;
}

// Ends a contact, with an event.
void end(ContactSet& contacts, ContactKey key, std::uint32_t id) {
  contacts.events().add_end(key, contacts.lanes().place(id).kind == ContactKind::sensor);
  contacts.remove(key, id);
}

// Moves the geometry of the contacts in some blocks to the present poses, and computes their
// effective masses. Marks a contact as worn if its bodies moved too far to reuse its geometry.
void refresh(ContactSet& contacts, std::span<const BlockSpan> pieces, const Substep& step,
             Executor& executor) {
  const BodyRows& rows = contacts.bodies().rows();
  const ImpactSettings settings = impact_settings(step);
  parallel_ranges(executor, static_cast<std::uint32_t>(pieces.size()), 1,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    for (const BlockSpan& piece : pieces.subspan(begin, end - begin)) {
                      ContactColour& colour = contacts.lanes().colour(piece.colour);
                      const BlockRange range{piece.begin, piece.end};
                      if (piece.kind == ContactKind::round) {
                        refresh_round(rows, colour.round.view(), range, settings);
                      } else {
                        refresh_general(rows, colour.general.view(), range, settings);
                      }
                    }
                  });
}

}  // namespace

// A walk through the pairs of bodies and the contacts together, both ascending. It lists the
// queries for the narrow phase. It ends contacts whose bodies are no longer a pair, and contacts of
// an ending body (ContactSet::end_contacts_of).
class ContactUpdater::Walk {
 public:
  Walk(ContactUpdater& updater, const ContactInput& input, ContactSet& contacts)
      : updater_(updater),
        input_(input),
        contacts_(contacts),
        keys_(contacts.keys()),
        entries_(contacts.entries()),
        any_ending_(contacts.ending().any() || input.filters_changed) {
    ORRERY_ASSERT(contacts.size_after_merge() == contacts.size());
  }

  void run() {
    auto separate = input_.separate.begin();
    for (const Pair& pair : input_.pairs) {
      while (separate != input_.separate.end() && *separate < pair) ++separate;
      if (separate != input_.separate.end() && *separate == pair) continue;
      visit_pair(pair);
    }
    for (; next_ < keys_.size(); ++next_) end(contacts_, keys_[next_], entries_[next_].id());
  }

 private:
  void visit_pair(const Pair& pair) {
    const ShapedBodies& bodies = input_.bodies;
    ORRERY_ASSERT(bodies.has_shape(pair.a) && bodies.has_shape(pair.b));
    const ContactKey key = contact_key(pair.a, pair.b, 0, 0, 0);
    const bool single = bodies.shape(pair.a).parts == 1 && bodies.shape(pair.b).parts == 1;
    const bool continues = next_ < keys_.size() && keys_[next_] == key && !any_ending_;
    const bool only = next_ + 1 >= keys_.size() || bodies_of(keys_[next_ + 1]) != bodies_of(key);
    if (continues && only && single && !entries_[next_].needs_narrow_phase()) {
      ++next_;  // the common case in a pile at rest
    } else if (single) {
      visit_parts(key, true);
    } else {
      visit_compounds(pair);
    }
  }

  // Visits the pairs of parts of two bodies, of which at least one has several parts. Skips the
  // parts of the first body that are not near the second body.
  void visit_compounds(const Pair& pair) {
    const ShapedBodies& bodies = input_.bodies;
    const std::span<const Part> parts_a = bodies.parts(pair.a), parts_b = bodies.parts(pair.b);
    std::vector<Aabb>& boxes = updater_.boxes_;
    if (!spend(parts_a.size() + parts_b.size())) return;
    boxes.clear();
    const PartSize size = largest_size(largest_size(parts_a), largest_size(parts_b));
    const double margin = input_.margin().of(size);
    for (const Part& part : parts_b)
      boxes.push_back(enlarged(bounds(bodies.shapes, part, bodies.pose(pair.b)), margin));
    const Aabb all = std::accumulate(boxes.begin() + 1, boxes.end(), boxes[0], united);
    for (std::uint32_t i = 0; i < parts_a.size(); ++i) {
      const Aabb box = bounds(bodies.shapes, parts_a[i], bodies.pose(pair.a));
      if (!overlaps(box, all)) continue;
      if (!spend(parts_b.size())) return;
      for (std::uint32_t j = 0; j < parts_b.size(); ++j) {
        visit_parts(contact_key(pair.a, pair.b, i, j, 0), overlaps(box, boxes[j]));
      }
    }
  }

  // Counts `part_pairs` more tests. Returns false once this update exceeds limits::kPartPairsMax.
  bool spend(std::size_t part_pairs) {
    part_pairs_ += part_pairs;
    if (part_pairs_ <= limits::kPartPairsMax) return true;
    updater_.complete_ = false;
    return false;
  }

  // Calls visit_key() for every manifold that two parts can have. `near` is false if the boxes of
  // the parts are apart: then only contacts that exist are queried.
  void visit_parts(ContactKey key, bool near) {
    const Part& a = input_.bodies.parts(key.slot_a())[key.part_a()];
    const Part& b = input_.bodies.parts(key.slot_b())[key.part_b()];
    if (!may_meet(a.filter, b.filter)) return;
    for (std::uint32_t m = 0; m < manifolds_max(a, b); ++m) visit_key({key.value + m}, near);
  }

  // Ends the contacts that the walk has skipped: those with keys below `key`. Also ends the contact
  // of `key` if one of its bodies is ending. Adds a query for `key` if its contact needs the narrow
  // phase in every tick, or if there is no contact now and the parts are near.
  void visit_key(ContactKey key, bool near) {
    for (; next_ < keys_.size() && keys_[next_] < key; ++next_) {
      end(contacts_, keys_[next_], entries_[next_].id());
    }
    std::uint32_t id = kNew;
    if (next_ < keys_.size() && keys_[next_] == key) {
      const ContactEntry entry = entries_[next_++];
      if (any_ending_ && (is_ending(key.slot_a()) || is_ending(key.slot_b()))) {
        end(contacts_, key, entry.id());
      } else if (!entry.needs_narrow_phase()) {
        return;
      } else {
        id = entry.id();
      }
    }
    if (!near && id == kNew) return;
    if (id == kNew && updater_.queries_.size() >= queries_max(updater_.capacity_)) {
      updater_.complete_ = false;
      return;
    }
    updater_.queries_.push_back({key, id, false});
  }

  bool is_ending(std::uint32_t slot) const { return contacts_.ending().test(slot); }

  ContactUpdater& updater_;
  const ContactInput& input_;
  ContactSet& contacts_;
  std::span<const ContactKey> keys_;
  std::span<const ContactEntry> entries_;
  bool any_ending_;
  std::size_t next_ = 0;          // the first contact not yet passed
  std::uint64_t part_pairs_ = 0;  // tests counted by spend() so far
};

ContactUpdater::ContactUpdater(std::uint32_t capacity) : capacity_(capacity) {
  ORRERY_ASSERT(capacity >= 1 && capacity <= limits::kBodiesMax);
  boxes_.reserve(limits::kPartsMax);
}

void ContactUpdater::update(const ContactInput& input, ContactSet& contacts, Executor& executor) {
  const Bodies& bodies = input.bodies.bodies;
  ORRERY_ASSERT(bodies.capacity() == capacity_);
  ORRERY_ASSERT(contacts.bodies().rows().null_row == capacity_);
  ORRERY_ASSERT(input.bodies.shape_of.size() >= bodies.slots());
  contacts.events().start_update();
  complete_ = true;
  queries_.clear();
  Walk(*this, input, contacts).run();
  contacts.ending().clear();
  answer_queries(input, queries_, executor);
  drop_seams(input, contacts, queries_);
  end_or_renew(input, contacts, queries_);
  begin_new(input, contacts);
  contacts.merge_changes();
  parallel_ranges(executor, bodies.tiles(), kTilesLeast,
                  [&](std::uint32_t begin, std::uint32_t end) {
                    load_poses(bodies, contacts.bodies().rows(), begin, end);
                  });
  refresh(contacts, contacts.lanes().pieces(), input.step, executor);
  renew_worn(input, contacts, executor);
  contacts.merge_changes();
  contacts.events().finish_update();
}

// --- the narrow phase ---

// Sets `touches` and the manifold of each query. Consecutive queries for one pair of parts share
// one call of the narrow phase.
void ContactUpdater::answer_queries(const ContactInput& input, std::vector<Query>& queries,
                                    Executor& executor) {
  if (manifolds_.size() < queries.size()) manifolds_.resize(queries.size());
  const auto same_parts = [&](std::size_t i, std::size_t j) {
    return parts_of(queries[i].key) == parts_of(queries[j].key);
  };
  const auto answer_range = [&](std::uint32_t begin, std::uint32_t end) {
    std::array<Manifold, kSurfaceManifoldsMax> manifolds;
    for (std::size_t i = begin; i < end; ++i) {
      if (i > 0 && same_parts(i - 1, i)) continue;
      const std::uint32_t count = manifolds_of(input, queries[i].key, manifolds);
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

// Ends the existing contacts that no longer touch, and gives the others their new geometry.
void ContactUpdater::end_or_renew(const ContactInput& input, ContactSet& contacts,
                                  std::span<const Query> queries) {
  ORRERY_ASSERT(queries.size() <= manifolds_.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto& [key, id, touches] = queries[i];
    if (id == kNew) continue;
    if (touches) {
      set_geometry(contacts.lanes(), id, contact_sides(key, input.bodies), manifolds_[i],
                   input.bodies.bodies);
    } else {
      end(contacts, key, id);
    }
  }
}

// Begins the contacts that are new. Runs after end_or_renew(), so that they can take the colours of
// the contacts that ended there.
void ContactUpdater::begin_new(const ContactInput& input, ContactSet& contacts) {
  ORRERY_ASSERT(queries_.size() <= manifolds_.size());
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const Query& query = queries_[i];
    if (query.id == kNew && query.touches) begin(input, contacts, query, manifolds_[i]);
  }
}

void ContactUpdater::begin(const ContactInput& input, ContactSet& contacts, const Query& query,
                           const Manifold& manifold) {
  if (contacts.size_after_merge() + input.extracted >= contacts_max(capacity_)) {
    complete_ = false;
    return;
  }
  const ContactSides sides = contact_sides(query.key, input.bodies);
  const std::uint32_t id = contacts.begin(query.key, sides);
  set_geometry(contacts.lanes(), id, sides, manifold, input.bodies.bodies);
  const bool sensor = kind_of(sides) == ContactKind::sensor;
  contacts.events().add_begin(begin_event(input.bodies.bodies, query.key, sensor, manifold));
}

// --- worn geometry ---

// Lists the contacts that the refresh marked as worn.
void ContactUpdater::find_worn(ContactSet& contacts) {
  worn_.clear();
  const auto collect = [&](const auto& lanes, const BlockSpan& piece) {
    ORRERY_ASSERT(piece.end <= lanes.size());
    for (std::uint32_t block = piece.begin; block < piece.end; ++block) {
      const auto& extra = lanes.extras[block];
      for (std::uint32_t worn = extra.worn; worn != 0; worn &= worn - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(worn));
        if (block * kBlockLanes + lane >= lanes.count) continue;
        worn_.push_back({{extra.key[lane]}, extra.id[lane], false});
      }
    }
  };
  for (const BlockSpan& piece : contacts.lanes().pieces()) {
    const ContactColour& colour = contacts.lanes().colour(piece.colour);
    if (piece.kind == ContactKind::round) {
      collect(colour.round, piece);
    } else {
      collect(colour.general, piece);
    }
  }
}

// Runs the narrow phase for the worn contacts. Ends the contacts that no longer touch, and
// refreshes the blocks of the others.
void ContactUpdater::renew_worn(const ContactInput& input, ContactSet& contacts,
                                Executor& executor) {
  find_worn(contacts);
  std::sort(worn_.begin(), worn_.end(),
            [](const Query& a, const Query& b) { return a.key < b.key; });
  answer_queries(input, worn_, executor);
  drop_seams(input, contacts, worn_);
  end_or_renew(input, contacts, worn_);
  renewed_.clear();
  for (const Query& query : worn_) {
    if (!query.touches) continue;
    const LaneIndex& place = contacts.lanes().place(query.id);
    const std::uint32_t block = place.index / kBlockLanes;
    renewed_.push_back({place.kind, place.colour, block, block + 1});
  }
  std::sort(renewed_.begin(), renewed_.end());
  renewed_.erase(std::unique(renewed_.begin(), renewed_.end()), renewed_.end());
  refresh(contacts, renewed_, input.step, executor);
}

}  // namespace orrery::physics
