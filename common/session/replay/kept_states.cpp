// Keeps states between checkpoints, so that playback goes backwards in few steps.
#include "common/session/replay/kept_states.h"

#include <algorithm>
#include <limits>

#include "common/core/assert.h"
#include "common/world/image/image.h"

namespace orrery::session {
namespace {

// Limits for the plan of which states to keep. They keep the numbers below small, whatever tick an
// untrusted log claims to have.
constexpr std::uint64_t kReachMax = std::uint64_t{1} << 48;
constexpr std::uint64_t kRoundsMax = 4096;
// No product below overflows.
static_assert(kKeptStatesMax + 1 + kRoundsMax <
              std::numeric_limits<std::uint64_t>::max() / kReachMax);

// Returns the number of ticks through which a playback can go backwards with `states` kept states,
// if each step is computed at most `rounds` times: C(states + 1 + rounds, rounds), a binomial
// coefficient. Stops multiplying when the product reaches kReachMax.
std::uint64_t reach(std::uint64_t states, std::uint64_t rounds) {
  ORRERY_ASSERT(states <= kKeptStatesMax && rounds <= kRoundsMax);
  std::uint64_t reach = 1;
  for (std::uint64_t i = 1; i <= rounds && reach < kReachMax; ++i) {
    reach = reach * (states + 1 + i) / i;
  }
  return reach;
}

// Returns the smallest r for which `states` kept states are enough to go backwards through `span`
// ticks with each step computed at most r times; at most kRoundsMax.
std::uint64_t rounds_for(std::uint64_t span, std::uint64_t states) {
  ORRERY_ASSERT(states <= kKeptStatesMax);
  std::uint64_t reach = 1;
  std::uint64_t rounds = 0;
  while (reach <= span && reach < kReachMax && rounds < kRoundsMax) {
    ++rounds;
    reach = reach * (states + 1 + rounds) / rounds;
  }
  return rounds;
}

// Returns the smallest number of kept states, up to `most`, that is enough to go backwards through
// `span` ticks with each step computed at most `rounds` times.
std::uint64_t states_for(std::uint64_t span, std::uint64_t rounds, std::uint64_t most) {
  ORRERY_ASSERT(most <= kKeptStatesMax);
  std::uint64_t states = 0;
  while (states < most && reach(states, rounds) <= span) ++states;
  return states;
}

}  // namespace

KeptStates::KeptStates(std::size_t bytes_max, std::size_t image_bytes)
    : bytes_max_(bytes_max), image_bytes_(std::max<std::size_t>(image_bytes, 1)) {}

std::uint64_t KeptStates::room() const {
  ORRERY_ASSERT(bytes_ <= bytes_max_ && states_.size() <= kKeptStatesMax);
  return std::min<std::uint64_t>(kKeptStatesMax - states_.size(),
                                 (bytes_max_ - bytes_) / image_bytes_);
}

void KeptStates::drop_last() {
  ORRERY_ASSERT(!states_.empty() && bytes_ >= states_.back().image.size());
  bytes_ -= states_.back().image.size();
  states_.pop_back();
}

void KeptStates::plan(Tick first, Tick to) {
  ORRERY_ASSERT(first <= to);
  const auto lies_outside = [&](Tick tick) { return tick <= first || tick > to; };
  while (last() && lies_outside(last()->place.tick)) drop_last();
  const auto begin = [&] { return last() ? last()->place.tick.value : first.value; };
  const std::uint64_t all = std::min<std::uint64_t>(kKeptStatesMax, bytes_max_ / image_bytes_);
  const std::uint64_t rounds_with_all = rounds_for(to.value - first.value, all);
  while (last() && rounds_for(to.value - begin(), room()) > rounds_with_all) drop_last();
  const std::uint64_t span = to.value - begin();
  to_ = to;
  rounds_ = rounds_for(span, room());
  left_ = states_for(span, rounds_, room());
  ORRERY_ASSERT(left_ == 0 || rounds_ > 0);
  if (left_ > 0) next_.value = begin() + reach(left_, rounds_ - 1);
}

void KeptStates::pass(const World& world, const LogPosition& place) {
  ORRERY_ASSERT(world.tick() == place.tick);
  if (left_ == 0 || world.tick() < next_ || world.tick() >= to_) return;
  save_image(world, draft_);
  image_bytes_ = std::max(image_bytes_, draft_.size());
  if (draft_.size() > bytes_max_ - bytes_) {
    left_ = 0;
    return;
  }
  ORRERY_ASSERT(!last() || last()->place.tick < place.tick);
  bytes_ += draft_.size();
  states_.push_back({place, draft_});
  --left_;
  next_.value = world.tick().value + reach(left_, rounds_ - 1);
}

}  // namespace orrery::session
