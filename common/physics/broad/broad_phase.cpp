// Splits the search for pairs among threads, and sorts the pairs.
#include "common/physics/broad/broad_phase.h"

#include <algorithm>
#include <utility>

#include "common/core/limits.h"

namespace orrery::physics {
namespace {

// The fewest leaves of a spatial tree, and the fewest slots, worth handing to a thread
// (parallel_ranges()). A leaf costs a tree walk for eight bodies; a slot costs a sort of a few
// pairs.
constexpr std::uint32_t kLeavesLeast = 2;
constexpr std::uint32_t kSlotsLeast = 64;

}  // namespace

BroadPhase::BroadPhase(std::uint32_t capacity) : index_(capacity), next_of_slot_(capacity + 1) {}

void BroadPhase::update(const ShapedBodies& shaped, const ContactMargin& margin,
                        Executor& executor) {
  const Bodies& bodies = shaped.bodies;
  ORRERY_ASSERT(bodies.slots() < next_of_slot_.size());
  index_.update(shaped, margin, executor);
  find_pairs(executor);
  unpushed_pairs_.clear();
  if (index_.any_kinematic()) {
    const auto unpushed =
        std::partition(unsorted_.begin(), unsorted_.end(), [&bodies](const Pair& pair) {
          return bodies.inverse_mass(pair.a) != 0 || bodies.inverse_mass(pair.b) != 0;
        });
    unpushed_pairs_.assign(unpushed, unsorted_.end());
    unsorted_.erase(unpushed, unsorted_.end());
  }
  sort_pairs(executor);
}

// Searches the leaves of the moving bodies in one range per thread, and joins the results in range
// order. If there are more pairs than the limit allows, the result would depend on the ranges. A
// single search over all leaves then replaces the result, and its first kPairsMax pairs are kept.
template <class Search>
void BroadPhase::search(Executor& executor, Search search_leaves) {
  const auto leaves = static_cast<std::uint32_t>(index_.moving_tree().leaves().size());
  const std::uint32_t parts = std::clamp(leaves / kLeavesLeast, 1u, executor.width());
  ORRERY_ASSERT(leaves >= 1);
  if (finders_.size() < parts) finders_.resize(parts);
  std::atomic<std::uint64_t> found{0};
  for (PairFinder& finder : finders_) finder.clear();
  parallel_ranges(executor, parts, 1, [&](std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t i = begin; i < end; ++i) {
      const auto bound = [&](std::uint32_t part) {
        return static_cast<std::uint32_t>(std::uint64_t{leaves} * part / parts);
      };
      search_leaves(bound(i), bound(i + 1), finders_[i], found);
    }
  });
  if (found > limits::kPairsMax) {
    complete_ = false;
    found = 0;
    for (PairFinder& finder : finders_) finder.clear();
    search_leaves(0, leaves, finders_[0], found);
    ORRERY_ASSERT(found > limits::kPairsMax);
    finders_[0].truncate(limits::kPairsMax);
  }
  for (const PairFinder& finder : finders_) {
    unsorted_.insert(unsorted_.end(), finder.pairs().begin(), finder.pairs().end());
  }
}

void BroadPhase::find_pairs(Executor& executor) {
  complete_ = true;
  unsorted_.clear();
  if (index_.moving().empty()) return;
  search(executor, [this](std::uint32_t begin, std::uint32_t end, PairFinder& finder, auto& found) {
    find_pairs_within(index_.moving_tree(), begin, end, finder, found, limits::kPairsMax);
  });
  if (!index_.fixed_tree().empty()) {
    search(executor,
           [this](std::uint32_t begin, std::uint32_t end, PairFinder& finder, auto& found) {
             find_pairs_between(index_.moving_tree(), begin, end, index_.fixed_tree(), finder,
                                found, limits::kPairsMax);
           });
  }
  add_unbounded_pairs();
}

void BroadPhase::add_unbounded_pairs() {
  std::size_t room = limits::kPairsMax;
  for (const UnboundedBody& body : index_.unbounded()) {
    for (const Proxy& proxy : index_.moving()) {
      if (!may_touch(body, proxy.box)) continue;
      if (room == 0) {
        complete_ = false;
        return;
      }
      --room;
      unsorted_.push_back({std::min(body.slot, proxy.slot), std::max(body.slot, proxy.slot)});
    }
  }
}

// Sorts all pairs by their first slot with a counting sort. Then sorts the few pairs of each first
// slot by their second slot.
void BroadPhase::sort_pairs(Executor& executor) {
  ORRERY_ASSERT(unsorted_.size() <= std::size_t{3} * limits::kPairsMax);
  std::fill(next_of_slot_.begin(), next_of_slot_.end(), 0);
  for (const Pair& pair : unsorted_) ++next_of_slot_[pair.a];
  std::uint32_t sum = 0;
  for (std::uint32_t& next : next_of_slot_) sum += std::exchange(next, sum);
  pairs_.resize(unsorted_.size());
  for (const Pair& pair : unsorted_) pairs_[next_of_slot_[pair.a]++] = pair;
  ORRERY_ASSERT(next_of_slot_.back() == pairs_.size());
  const auto slots = static_cast<std::uint32_t>(next_of_slot_.size());
  parallel_ranges(executor, slots, kSlotsLeast, [this](std::uint32_t first, std::uint32_t last) {
    std::size_t begin = first == 0 ? 0 : next_of_slot_[first - 1];
    for (std::uint32_t slot = first; slot < last; ++slot) {
      const std::size_t end = next_of_slot_[slot];
      if (end - begin > 1) std::sort(pairs_.data() + begin, pairs_.data() + end);
      begin = end;
    }
  });
}

}  // namespace orrery::physics
