// Owns the contacts of a world: which parts of bodies touch, where, and what they push with; kept
// from tick to tick.
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

// --- what an image keeps of a contact ---

struct ContactPointRecord {
  Vec3 at_a;              // the point when the contact was made, axes of body a, from its centre
  Vec3 at_b;              // the same, body b
  double separation = 0;  // when made
  double impulse = 0;     // along the normal, of the last substep
  std::uint32_t feature = 0;  // of the narrow phase
};

// Everything of a contact that a tick can change and the next one needs, exactly. The geometry of a
// round contact is found afresh in every tick: of its points it has the first one's impulse alone.
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

// What the contact adds to ContactSet::hash(), wherever it is kept.
std::uint64_t hash_contact(const ContactRecord& record);

// Finds out what is wrong with the records of a set, one after another.
class ContactCheck {
 public:
  // Of a world with room for `capacity` bodies.
  ContactCheck(std::span<const ContactBody> bodies, const ShapeSet& shapes, std::uint32_t capacity);
  // The next record, ascending: what no set of these bodies can have.
  Status next(const ContactRecord& record);

 private:
  std::span<const ContactBody> bodies_;  // by slot
  const ShapeSet& shapes_;
  std::uint32_t left_;                  // that there may be more
  std::vector<std::uint64_t> colours_;  // of each slot: bit i is set if it has colour i
  std::optional<ContactKey> last_;
};

// --- what is reported ---

enum class ContactChange : std::uint8_t { end, begin };

struct ContactEvent {
  ContactKey key;
  ContactChange change = ContactChange::begin;
  bool sensor = false;
  // Of a begin:
  double approach_speed = 0;  // at which the surfaces come nearer, at the nearest point
  Vec3 at;                    // that point, world frame
  Vec3 normal;                // from a to b, world frame, unit length
};

// What a tick's contacts depend on.
struct ContactInput {
  const Bodies& bodies;
  const ShapeSet& shapes;
  std::span<const std::uint32_t> shape_of;  // of every slot, or kNoShape
  std::span<const Pair> pairs;              // ascending; those within kContactMargin, at least
  std::span<const Pair> separate = {};      // ascending; those that never touch each other
  std::size_t taken_out = 0;                // contacts kept elsewhere, which count as well
};

// A contact that touches keeps its lane, and so its impulses, for as long as it touches. Results
// depend on its colour, which is the lowest free one when it begins (in the order of keys), and
// never on its lane or block. That geometry is reused while two bodies have hardly moved against
// one another is an idea of Box3D (Erin Catto, MIT licence), there called recycling.
class ContactSet {
 public:
  // For slots below `capacity`, a multiple of limits::kTileBodies.
  explicit ContactSet(std::uint32_t capacity);

  // Ends the contacts of a body that has gone, or that is another one now, at the next update.
  void forget(std::uint32_t slot);
  bool forgets(std::uint32_t slot) const {
    ORRERY_ASSERT(slot < capacity_);
    return forgotten_[slot / limits::kTileBodies] >> slot % limits::kTileBodies & 1;
  }
  bool forgets_any() const { return any_forgotten_; }

  // Once a tick, before its first substep: which contacts go on, which end and begin, and what all
  // of them are like at the present poses. A body without inverse mass is pushed by nothing: it
  // stays, or goes on as it goes (kinematic). Beyond the limits (limits.h: contacts, pairs of
  // parts) the pairs of the highest keys are left out, the same for every executor.
  void update(const ContactInput& input, Executor& executor);

  // Changes of the last update, ascending by key; for one key, the end comes first.
  std::span<const ContactEvent> events() const { return events_; }

  // Contacts, sensors included, ascending.
  std::span<const ContactKey> keys() const { return keys_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(keys_.size()); }
  // False if the last update has left something out.
  bool complete() const { return complete_; }
  // The most contacts of a world with room for `capacity` bodies.
  static std::uint32_t size_max(std::uint32_t capacity);

  // True if some contact has restitution.
  bool bounces() const { return bouncing_ > 0; }
  // Points of all contacts that push.
  std::uint32_t points() const;

  // The exact state between two ticks: calls take(record) for every contact, ascending. Restoring
  // the records and going on gives the same bits as never having stopped.
  template <class Take>
  void for_each_record(Take take) const {
    ContactRecord record;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      read(i, record);
      take(std::as_const(record));
    }
  }
  // The same in a vector, which is replaced.
  void save(std::vector<ContactRecord>& records) const;
  // Says what is wrong with records that no set of these bodies can have (ContactCheck).
  static Status check(std::span<const ContactRecord> records, const Bodies& bodies,
                      const ShapeSet& shapes, std::span<const std::uint32_t> shape_of);
  // Replaces everything by the records that next() points to until it gives nullptr; they are
  // sound.
  template <class Next>
  void restore_each(Next next, std::span<const ContactBody> bodies, const ShapeSet& shapes) {
    clear();
    while (const ContactRecord* const record = next()) append(*record, bodies, shapes);
  }
  // The same from a span.
  void restore(std::span<const ContactRecord> records, const Bodies& bodies, const ShapeSet& shapes,
               std::span<const std::uint32_t> shape_of);

  // Takes the contacts of which `sleeps` says so of a body out of the set: no events, and impulses
  // are kept. Their records are added to `records`, in ascending order.
  template <class Sleeps>
  void take_out(const Sleeps& sleeps, std::vector<ContactRecord>& records) {
    ORRERY_ASSERT(ended_.empty() && begun_.empty());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (sleeps(keys_[i].slot_a()) || sleeps(keys_[i].slot_b())) {
        read(i, records.emplace_back());
        drop(keys_[i], id_of(known_[i]));
      }
    }
    merge_changes();
  }
  // Puts contacts that were taken out back.
  void put_back(std::span<const ContactRecord> records, const Bodies& bodies,
                const ShapeSet& shapes, std::span<const std::uint32_t> shape_of);

  // Reports, at the next update, the end of a contact that was taken out and never comes back.
  void end_taken_out(const ContactRecord& record) {
    ended_outside_.push_back(
        {record.key, ContactChange::end, record.kind == ContactKind::sensor, 0, {}, {}});
  }

  // The sum, over all contacts, of a hash of what save() gives: the same for every order of
  // contacts, instruction set and executor.
  std::uint64_t hash(Executor& executor);

  // Keeps the row of a body loaded, whether it touches anything or not; none of them.
  void pin(std::uint32_t slot);
  void unpin_all();

  // For the solver: the lanes, the rows of their bodies, and the contacts that are solved one by
  // one, ascending.
  ContactLanes& lanes() { return lanes_; }
  const BodyRows& rows() const { return memory_.rows(); }
  std::span<const std::pair<ContactKey, std::uint32_t>> overflow() const { return overflow_; }

 private:
  // A pair of parts of which the narrow phase is asked.
  struct Query {
    ContactKey key;
    std::uint32_t id;  // of the contact that there is, or kNew
    bool touches;
  };
  static constexpr std::uint32_t kNew = ~0u;

  // An entry of known_: the id, and a bit if the narrow phase is asked in every tick.
  static constexpr std::uint32_t kAsksAlways = kContactIdsMax;
  static std::uint32_t known_entry(std::uint32_t id, const ContactSides& sides) {
    return id | (asks_always(sides) ? kAsksAlways : 0);
  }
  static std::uint32_t id_of(std::uint32_t known) { return known & ~kAsksAlways; }

  void match(const ContactInput& input);
  void match_parts(const ContactInput& input, const Pair& pair, std::size_t& known);
  void match_two(const ContactInput& input, ContactKey key, bool near, std::size_t& known);
  void match_key(ContactKey key, bool near, std::size_t& known);
  void answer(const ContactInput& input, std::vector<Query>& queries, Executor& executor);
  void settle(const ContactInput& input);
  void refresh(std::span<const BlockSpan> pieces, Executor& executor);
  void renew_worn(const ContactInput& input, Executor& executor);
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
  // What a contact does to the books of its bodies, and takes back.
  void adopt(ContactKey key, std::uint32_t id, const ContactSides& sides);
  void release(ContactKey key, const ContactPlace& place);

  std::uint32_t capacity_;
  BodyRowMemory memory_;
  ContactLanes lanes_;
  std::vector<ContactKey> keys_;      // ascending
  std::vector<std::uint32_t> known_;  // parallel to keys_
  std::vector<ContactEvent> events_;
  std::vector<std::pair<ContactKey, std::uint32_t>> overflow_;

  std::vector<std::uint64_t> colours_of_;   // of each slot: bit i is set if it has colour i
  std::vector<std::uint32_t> contacts_of_;  // of each slot: how many
  std::vector<std::uint64_t> pinned_;       // one word a tile
  std::vector<std::uint64_t> forgotten_;    // one word a tile
  bool any_forgotten_ = false;
  bool complete_ = true;
  std::uint32_t bouncing_ = 0;               // contacts with restitution
  std::vector<ContactEvent> ended_outside_;  // since the last update

  // Scratch of an update, kept for its memory.
  std::uint64_t part_pairs_ = 0;  // of compounds that were looked at
  std::vector<Aabb> boxes_;       // of the parts of one body
  std::vector<Query> queries_;
  std::vector<Query> worn_;
  std::vector<Manifold> manifolds_;  // of the queries that were answered last
  std::vector<BlockSpan> renewed_;
  std::vector<std::pair<ContactKey, std::uint32_t>> ended_;
  std::vector<std::pair<ContactKey, std::uint32_t>> begun_;
  std::vector<std::pair<ContactKey, std::uint32_t>> overflow_ended_;
  bool overflow_begun_ = false;  // what has begun is behind the rest, not in order
  std::vector<ContactKey> merged_keys_;
  std::vector<std::uint32_t> merged_known_;
};

}  // namespace orrery::physics
