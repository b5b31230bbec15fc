// Keeps the contacts of a world from tick to tick: touching parts, geometry and impulses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/core/executor.h"
#include "common/core/result.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/physics/body/bodies.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/narrow/narrow_phase.h"
#include "common/physics/shape/shape.h"
#include "common/physics/solve/body_rows.h"
#include "common/physics/solve/contact_geometry.h"
#include "common/physics/solve/contact_key.h"
#include "common/physics/solve/contact_lanes.h"
#include "common/physics/solve/contact_settings.h"

namespace orrery::physics {

// --- a contact in an image ---

// A point of a contact record.
struct ContactPointRecord {
  Vec3 at_a;                  // when made: the point in axes of body a, from its centre
  Vec3 at_b;                  // when made: the point in axes of body b, from its centre
  double separation = 0;      // when made
  double impulse = 0;         // along the normal, of the last substep
  std::uint32_t feature = 0;  // feature id of the narrow phase
};

// The exact state of a contact that a tick can change and the next tick needs. A round contact
// computes its geometry in every tick, so of its points only the first impulse is used.
struct ContactRecord {
  ContactKey key;
  ContactKind kind = ContactKind::round;
  std::uint8_t colour = 0;
  std::uint8_t count = 0;  // of points; 0: a sensor
  Vec3 normal;             // general: from a to b when made, axes of body a
  Quat turn;               // general: orientation of b in the axes of a when made
  std::array<ContactPointRecord, kContactPointsMax> points;
  Vec3 friction_impulse;     // world axes, on b
  double twist_impulse = 0;  // on b, about the normal
  Vec3 rolling_impulse;      // world axes, on b
};

// Returns the term of a contact in ContactSet::hash(), also for a contact kept outside the set.
std::uint64_t hash_contact(const ContactRecord& record);

// A validator for the records of a set, one after another.
class ContactCheck {
 public:
  // `capacity` is the number of slots of the world.
  ContactCheck(std::span<const ContactBody> bodies, const ShapeSet& shapes, std::uint32_t capacity);
  // Checks the next record, in ascending order of keys. Returns an error if no set of these bodies
  // can contain it.
  Status next(const ContactRecord& record);

 private:
  std::span<const ContactBody> bodies_;  // by slot
  const ShapeSet& shapes_;
  std::uint32_t left_;                  // how many records may still follow
  std::vector<std::uint64_t> colours_;  // of each slot: bit i is set if it has colour i
  std::optional<ContactKey> last_;
};

// --- events ---

// Whether a contact ended or began.
enum class ContactChange : std::uint8_t { end, begin };

// The begin or end of a contact.
struct ContactEvent {
  ContactKey key;
  ContactChange change = ContactChange::begin;
  bool sensor = false;
  // Only for a begin:
  double approach_speed = 0;  // speed at which the surfaces approach at the deepest point
  Vec3 at;                    // the deepest point, world frame
  Vec3 normal;                // from a to b, world frame, unit length
};

// The input of a contact update.
struct ContactInput {
  const Bodies& bodies;
  const ShapeSet& shapes;
  std::span<const std::uint32_t> shape_of;  // of every slot, or kNoShape
  std::span<const Pair> pairs;              // ascending; at least all within kContactMargin
  std::span<const Pair> separate = {};      // ascending; pairs that never touch
  std::size_t taken_out = 0;                // contacts kept outside the set; they count as well
};

// The contacts of a world. A contact keeps its lane, and so its impulses for the warm start, for as
// long as its parts touch. Results depend on its colour, which is assigned when it begins (in the
// order of keys), and never on its lane or block. Geometry is reused while two bodies have hardly
// moved against each other. That idea is Box3D's recycling (Erin Catto, MIT licence).
class ContactSet {
 public:
  // For slots below `capacity`.
  // REQUIRES: capacity is a multiple of limits::kTileBodies.
  explicit ContactSet(std::uint32_t capacity);

  // Ends the contacts of a body at the next update. Call it when the body is removed or replaced.
  void end_contacts_of(std::uint32_t slot);
  // Returns true if forget() was called for a slot since the last update.
  bool forgets(std::uint32_t slot) const {
    ORRERY_ASSERT(slot < capacity_);
    return forgotten_[slot / limits::kTileBodies] >> slot % limits::kTileBodies & 1;
  }
  // Returns true if forget() was called for any slot since the last update.
  bool forgets_any() const { return any_forgotten_; }

  // Updates the contacts once a tick, before its first substep: ends and begins contacts, and
  // computes the geometry of all of them at the present poses. A body without inverse mass is not
  // pushed: it rests or moves kinematically. If a limit is exceeded (limits.h: contacts, pairs of
  // parts), the pairs with the highest keys are left out, the same ones for every executor.
  void update(const ContactInput& input, Executor& executor);

  // Returns the events of the last update, ascending by key. The end of a key comes before its
  // begin.
  std::span<const ContactEvent> events() const { return events_; }

  // Return the keys of all contacts, ascending, and their number. Both include sensors.
  std::span<const ContactKey> keys() const { return keys_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  // Returns false if the last update left something out.
  bool complete() const { return complete_; }
  // Returns the most contacts of a world with `capacity` slots.
  static std::uint32_t size_max(std::uint32_t capacity);

  // Returns true if a contact has restitution.
  bool bounces() const { return bouncing_ > 0; }
  // Returns the number of points of all contacts that push.
  std::uint32_t points() const;

  // Calls take(record) for every contact, ascending. The records are the exact state between two
  // ticks: a set restored from them continues with equal bits.
  template <class Take>
  void for_each_record(Take take) const {
    ContactRecord record;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      read(i, record);
      take(std::as_const(record));
    }
  }
  // Replaces `records` by the records of all contacts.
  void save(std::vector<ContactRecord>& records) const;
  // Returns an error if no set of these bodies can have these records (ContactCheck).
  static Status check(std::span<const ContactRecord> records, const Bodies& bodies,
                      const ShapeSet& shapes, std::span<const std::uint32_t> shape_of);
  // Replaces all contacts by the records that next() points to, until it returns nullptr.
  // REQUIRES: the records pass ContactCheck.
  template <class Next>
  void restore_each(Next next, std::span<const ContactBody> bodies, const ShapeSet& shapes) {
    clear();
    while (const ContactRecord* const record = next()) append(*record, bodies, shapes);
  }
  // Replaces all contacts by the records of a span.
  void restore(std::span<const ContactRecord> records, const Bodies& bodies, const ShapeSet& shapes,
               std::span<const std::uint32_t> shape_of);

  // Moves the contacts of sleeping bodies out of the set: those with a slot that `sleeps` is true
  // for. Appends their records to `records`, ascending. There are no events, and impulses are kept.
  template <class Sleeps>
  void extract(const Sleeps& sleeps, std::vector<ContactRecord>& records) {
    ORRERY_ASSERT(ended_.empty() && begun_.empty());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (sleeps(keys_[i].slot_a()) || sleeps(keys_[i].slot_b())) {
        read(i, records.emplace_back());
        drop(keys_[i], id_of(known_[i]));
      }
    }
    merge_changes();
  }
  // Puts contacts back that were taken out.
  void reinsert(std::span<const ContactRecord> records, const Bodies& bodies,
                const ShapeSet& shapes, std::span<const std::uint32_t> shape_of);

  // Reports, at the next update, the end of a contact that was taken out and never returns.
  void end_taken_out(const ContactRecord& record) {
    ended_outside_.push_back(
        {record.key, ContactChange::end, record.kind == ContactKind::sensor, 0, {}, {}});
  }

  // Returns the sum of hash_contact() over all contacts. It is equal for every order of contacts,
  // instruction set and executor.
  std::uint64_t hash(Executor& executor);

  // Keep the row of a body loaded even if it has no contact, and end that for all bodies.
  void pin(std::uint32_t slot);
  void unpin_all();

  // Return the data for the solver: the lanes, the rows of the bodies, and the overflow contacts in
  // ascending order, which are solved one by one.
  ContactLanes& lanes() { return lanes_; }
  const BodyRows& rows() const { return memory_.rows(); }
  std::span<const std::pair<ContactKey, std::uint32_t>> overflow() const { return overflow_; }

 private:
  // A pair of parts for the narrow phase.
  struct Query {
    ContactKey key;
    std::uint32_t id;  // the existing contact, or kNew
    bool touches;
  };
  static constexpr std::uint32_t kNew = ~0u;

  // An entry of known_: the id of a contact, and a bit if the narrow phase runs for it in every
  // tick.
  static constexpr std::uint32_t kNeedsNarrowPhase = kContactIdsMax;
  static std::uint32_t known_entry(std::uint32_t id, const ContactSides& sides) {
    return id | (needs_narrow_phase(sides) ? kNeedsNarrowPhase : 0);
  }
  static std::uint32_t id_of(std::uint32_t known) { return known & ~kNeedsNarrowPhase; }

  void match(const ContactInput& input);
  void match_parts(const ContactInput& input, const Pair& pair, std::size_t& known);
  void match_two(const ContactInput& input, ContactKey key, bool near, std::size_t& known);
  void match_key(ContactKey key, bool near, std::size_t& known);
  void answer(const ContactInput& input, std::vector<Query>& queries, Executor& executor);
  void settle(const ContactInput& input);
  void refresh(std::span<const BlockSpan> pieces, Executor& executor);
  void update_stale(const ContactInput& input, Executor& executor);
  void begin(const ContactInput& input, const Query& query, const Manifold& manifold);
  void end(ContactKey key, std::uint32_t id);
  void drop(ContactKey key, std::uint32_t id);
  void read(std::size_t i, ContactRecord& record) const;
  void append(const ContactRecord& record, std::span<const ContactBody> bodies,
              const ShapeSet& shapes);
  std::uint32_t insert(const ContactRecord& record, const ContactSides& sides);
  void merge_changes();
  void merge_overflow();

  void clear();
  void set_lane(const ContactInput& input, const Query& query, const Manifold& manifold);
  void refresh_piece(const BlockSpan& piece);

  std::uint8_t take_colour(std::uint32_t slot_a, std::uint32_t slot_b, bool a_moves,
                           bool b_moves) const;
  // Register a contact with its bodies, and undo that.
  void register_contact(ContactKey key, std::uint32_t id, const ContactSides& sides);
  void unregister_contact(ContactKey key, const LaneIndex& place);

  std::uint32_t capacity_;
  BodyRowMemory memory_;
  ContactLanes lanes_;
  std::vector<ContactKey> keys_;      // ascending
  std::vector<std::uint32_t> known_;  // parallel to keys_
  std::vector<ContactEvent> events_;
  std::vector<std::pair<ContactKey, std::uint32_t>> overflow_;

  std::vector<std::uint64_t> colours_of_;   // of each slot: bit i is set if it has colour i
  std::vector<std::uint32_t> contacts_of_;  // number of contacts of each slot
  std::vector<std::uint64_t> pinned_;       // one word a tile
  std::vector<std::uint64_t> forgotten_;    // one word a tile
  bool any_forgotten_ = false;
  bool complete_ = true;
  std::uint32_t bouncing_ = 0;               // contacts with restitution
  std::vector<ContactEvent> ended_outside_;  // since the last update

  // Scratch of an update, kept for its memory.
  std::uint64_t part_pairs_ = 0;  // pairs of compound parts tested so far
  std::vector<Aabb> boxes_;       // of the parts of one body
  std::vector<Query> queries_;
  std::vector<Query> stale_;
  std::vector<Manifold> manifolds_;  // answers to the last queries
  std::vector<BlockSpan> renewed_;
  std::vector<std::pair<ContactKey, std::uint32_t>> ended_;
  std::vector<std::pair<ContactKey, std::uint32_t>> begun_;
  std::vector<std::pair<ContactKey, std::uint32_t>> overflow_ended_;
  bool overflow_begun_ = false;  // overflow_ has new entries at its end, out of order
  std::vector<ContactKey> merged_keys_;
  std::vector<std::uint32_t> merged_known_;
};

}  // namespace orrery::physics
