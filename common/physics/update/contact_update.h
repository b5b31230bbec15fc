// Updates the contacts once a tick: which begin, which end, and where they touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/core/executor.h"
#include "common/physics/body/contact_margin.h"
#include "common/physics/body/shaped_bodies.h"
#include "common/physics/body/substep.h"
#include "common/physics/broad/pair_search.h"
#include "common/physics/contacts/contact_set.h"
#include "common/physics/narrow/narrow_phase.h"

namespace orrery::physics {

// The input of an update of the contacts.
struct ContactInput {
  ShapedBodies bodies;
  std::span<const Pair> pairs;  // ascending; has all pairs within the contact margin
  // ascending; pairs that get no contacts, because a joint connects them
  std::span<const Pair> separate = {};
  std::size_t extracted = 0;     // number of contacts of sleeping bodies; the limit includes them
  Substep step{};                // of the coming tick
  bool filters_changed = false;  // whether contacts may be between parts that no longer meet

  // Returns the contact margins of the tick.
  ContactMargin margin() const { return contact_margin(step.gravity, step.tick); }
};

// Updates a ContactSet from the pairs of the broad phase. The object has no state between ticks.
class ContactUpdater {
 public:
  // For worlds with slots below `capacity`.
  explicit ContactUpdater(std::uint32_t capacity);

  // Ends and begins contacts, and computes the geometry of all of them at the present poses. Call
  // it once a tick, before the first substep. A body without inverse mass is not pushed: it rests
  // or moves kinematically. The result is equal for every executor. If a limit (limits.h) is
  // exceeded, something is left out:
  //
  // - Too many contacts or queries: the new contacts with the highest keys do not begin.
  // - Too many pairs of parts: the remaining pairs with a compound body are not tested, and their
  //   contacts end.
  //
  // REQUIRES: bodies and contacts have the capacity of the constructor.
  void update(const ContactInput& input, ContactSet& contacts, Executor& executor);

  // Returns false if the last update left something out.
  bool complete() const { return complete_; }

 private:
  // A question to the narrow phase: does this manifold of two parts exist?
  struct Query {
    ContactKey key;
    std::uint32_t id;  // the existing contact, or kNew
    bool touches;      // the narrow phase's result: the manifold exists
  };
  static constexpr std::uint32_t kNew = ~0u;
  // A contact of a body that can be pushed with one that cannot.
  struct Ground {
    std::uint32_t mover;  // slot
    std::uint32_t query;  // the query that asks about it, or kNew
    ContactKey key;
  };
  class Walk;

  void answer_queries(const ContactInput& input, std::vector<Query>& queries, Executor& executor);
  void find_grounds(const ContactInput& input, const ContactSet& contacts,
                    std::span<const Query> queries);
  void drop_seams_of(const ContactInput& input, std::span<const Ground> grounds,
                     std::span<Query> queries);
  void drop_seams(const ContactInput& input, const ContactSet& contacts, std::span<Query> queries);
  void end_or_renew(const ContactInput& input, ContactSet& contacts,
                    std::span<const Query> queries);
  void begin_new(const ContactInput& input, ContactSet& contacts);
  void begin(const ContactInput& input, ContactSet& contacts, const Query& query,
             const Manifold& manifold);
  void find_worn(ContactSet& contacts);
  void renew_worn(const ContactInput& input, ContactSet& contacts, Executor& executor);

  std::uint32_t capacity_;
  bool complete_ = true;

  // Scratch, kept for its memory.
  std::vector<Aabb> boxes_;          // boxes of the parts of one body
  std::vector<Query> queries_;       // queries of an update, ascending by key
  std::vector<Query> worn_;          // queries for the contacts that the refresh marked as worn
  std::vector<Manifold> manifolds_;  // results of the last queries, in the order of the queries
  std::vector<BlockSpan> renewed_;   // blocks with renewed contacts
  std::vector<Ground> grounds_;      // ascending by mover and key
};

}  // namespace orrery::physics
