// Checks the states that a client receives.
#include "client/cli/bots/state_check.h"

#include <algorithm>

#include "common/core/limits.h"

namespace orrery::client {
namespace {

// Longest time without a new snapshot: kSilenceMax plus the duration of silent_ticks() ticks. A
// server sends snapshots of all bodies at least every 18th tick, unless --snapshot-rate allows
// fewer.
constexpr net::Nanoseconds kSilenceMax = 2 * net::kSecond;
constexpr std::uint32_t kSilentTicksMax = 20;

// A server on a busy machine may make ticks at a quarter of its rate.
constexpr std::uint32_t kSlownessMax = 4;

// In large worlds, clients take turns to get selections (snapshots of a part of the bodies,
// schema/wire.md 8.6). Returns the number of ticks in which a slow server reaches every client
// once, plus kSilentTicksMax. `slots` is the number of body slots in the world.
std::uint32_t silent_ticks(std::uint32_t slots) {
  const auto divided = [](std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; };
  const std::uint32_t per_tick = divided(codec::kBodiesExaminedPerTick, std::max(slots, 1u));
  return kSilentTicksMax + kSlownessMax * divided(limits::kClientsMax, per_tick);
}

}  // namespace

void StateCheck::begin_epoch() {
  newest_ = {};
  generations_.clear();
}

void StateCheck::begin_connection(const codec::message::Welcome& welcome, net::Nanoseconds now) {
  newest_at_ = now;
  tick_rate_ = welcome.tick_rate;
  slots_ = std::max(slots_, welcome.scene_bodies);
}

// Removing a body raises the generation of its slot for the next body (see BodyId). The generation
// therefore never falls, except from the highest one to 1.
std::optional<std::string> StateCheck::add(const Snapshot& state, net::Nanoseconds now) {
  std::optional<std::string> fault = silence(now);
  newest_ = state.tick;
  newest_at_ = now;
  for (const codec::BodyState& body : state.bodies) {
    const std::uint32_t slot = slot_of(body.id);
    const std::uint32_t generation = generation_of(body.id);
    slots_ = std::max(slots_, slot + 1);
    if (slot >= generations_.size()) generations_.resize(slot + 1, 0);
    std::uint32_t& seen = generations_[slot];
    const bool wrapped = seen > limits::kGenerationsMax / 2 && generation < seen / 2;
    if (generation < seen && !wrapped) {
      fault = "body " + std::to_string(body.id.value) + " came back after it was gone, at tick " +
              std::to_string(state.tick.value);
    }
    seen = generation;
  }
  return fault;
}

std::optional<std::string> StateCheck::silence(net::Nanoseconds now) const {
  const net::Nanoseconds ticks = silent_ticks(slots_) * net::kSecond / tick_rate_;
  if (now - newest_at_ <= kSilenceMax + ticks) return std::nullopt;
  return "no snapshot for a long time after tick " + std::to_string(newest_.value);
}

}  // namespace orrery::client
