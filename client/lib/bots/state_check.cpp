// Checks the states that a client receives.
#include "client/lib/bots/state_check.h"

namespace orrery::client {
namespace {

// Longest time without a new snapshot: kSilenceMax plus kSilentTicksMax ticks. Snapshots of all
// bodies come at least every 18th tick, unless --snapshot-rate allows fewer. In worlds of tens of
// thousands of bodies, clients take turns: hundreds of them may wait longer than this.
constexpr net::Nanoseconds kSilenceMax = 2 * net::kSecond;
constexpr std::uint32_t kSilentTicksMax = 20;

}  // namespace

void StateCheck::begin_epoch() {
  newest_ = {};
  generations_.clear();
}

void StateCheck::begin_connection(std::uint32_t tick_rate, net::Nanoseconds now) {
  newest_at_ = now;
  silence_max_ = kSilenceMax + kSilentTicksMax * net::kSecond / tick_rate;
}

// The generation of a slot never falls, except from the highest one to 1.
std::optional<std::string> StateCheck::add(const Snapshot& state, net::Nanoseconds now) {
  std::optional<std::string> fault = silence(now);
  newest_ = state.tick;
  newest_at_ = now;
  for (const codec::BodyState& body : state.bodies) {
    const std::uint32_t slot = slot_of(body.id);
    const std::uint32_t generation = generation_of(body.id);
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
  if (now - newest_at_ <= silence_max_) return std::nullopt;
  return "no snapshot for a long time after tick " + std::to_string(newest_.value);
}

}  // namespace orrery::client
