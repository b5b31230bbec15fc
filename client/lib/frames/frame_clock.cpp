// The playback clock of a client: which tick to show at which local time.
#include "client/lib/frames/frame_clock.h"

#include <algorithm>
#include <cmath>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// Share of the states that shall have arrived when the clock reaches their tick.
constexpr double kQuantile = 0.99;

// Most arrivals between two computations of the quantile. Each computation looks at all remembered
// arrivals.
constexpr std::size_t kArrivalsPerQuantile = 16;

// Time constant with which an error of the shown tick decays.
constexpr double kSettleSeconds = 0.1;

}  // namespace

FrameClock::FrameClock(double tick_rate) : tick_rate_(tick_rate) { ORRERY_ASSERT(tick_rate > 0); }

// Forgets the path. The first state on the new path has this offset.
void FrameClock::restart(double offset) {
  count_ = 0;
  fastest_ = offset;
}

void FrameClock::arrived(Tick tick, double now) {
  if (!std::isfinite(now)) return;
  const auto number = static_cast<double>(tick.value);
  if (!started_) {
    started_ = true;
    start_ = adapted_at_ = now;
    newest_ = number;
    return restart(number);
  }
  if (number <= newest_) return;  // repeated, or a newer state arrived first
  const double offset = number - local(now);
  if (std::abs(offset - fastest_) > kJumpSeconds * tick_rate_) restart(offset);
  fastest_ = std::max(fastest_, offset);
  const double age = local(now) + fastest_ - newest_;
  newest_ = number;
  // After a hitch of the caller, datagrams have waited in the socket. They arrived earlier than
  // `now`, so they say nothing about the path.
  if (shown_ && now - last_now_ > kHitchSeconds) return;
  arrivals_[count_++ % kArrivals] = {offset, age};
  if (age > delay_ || count_ % kArrivalsPerQuantile == 0) adapt(now);
}

// Updates the fastest path and the delay from the remembered arrivals.
void FrameClock::adapt(double now) {
  const std::size_t size = std::min(count_, kArrivals);
  std::array<double, kArrivals> ages;
  fastest_ = arrivals_[0].offset;
  for (std::size_t i = 0; i < size; ++i) {
    fastest_ = std::max(fastest_, arrivals_[i].offset);
    ages[i] = arrivals_[i].age;
  }
  const auto rank = static_cast<std::size_t>(kQuantile * static_cast<double>(size - 1));
  const auto at = [&](std::size_t i) { return ages.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(0), at(rank), at(size));
  const double passed = std::max(0.0, now - adapted_at_);
  delay_ = std::max(ages[rank], delay_ * (1 - std::min(1.0, kShrink * passed)));
  // A state that is late by more than kJumpSeconds counts as lost, and the delay does not wait for
  // it.
  delay_ = std::min(delay_, kJumpSeconds * tick_rate_);
  adapted_at_ = now;
}

double FrameClock::at(double now) {
  if (!started_ || !std::isfinite(now)) return position_;
  const double target = std::max(0.0, local(now) + fastest_ - delay_);
  const double dt = now - last_now_;
  if (shown_ && dt <= 0) return position_;
  const double error = target - (position_ + tick_rate_ * dt);
  const bool hitch = shown_ && dt > kHitchSeconds;
  const bool jump = std::abs(error) > kJumpSeconds * tick_rate_;
  last_now_ = now;
  if (!shown_ || hitch || jump) {
    hitches_ += hitch;
    jumps_ += shown_ && !hitch;
    shown_ = true;
    position_ = target;
    return position_;
  }
  const double most = kSlew * tick_rate_ * dt;
  const double wanted = error * std::min(1.0, dt / kSettleSeconds);
  position_ += tick_rate_ * dt + std::clamp(wanted, -most, most);
  return position_;
}

}  // namespace orrery::client
