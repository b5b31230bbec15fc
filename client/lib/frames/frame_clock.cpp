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

FrameClock::FrameClock(double tick_rate) : tick_rate_(tick_rate), server_(tick_rate) {}

void FrameClock::arrived(Tick tick, double now) {
  const bool first = !server_.started();
  const double before = first ? 0 : server_.newest();
  const bool paused = !first && server_.is_silent(now);
  if (!server_.arrived(tick, now)) return;
  if (first) adapted_at_ = now;
  // After a hitch of the caller, datagrams have waited in the socket. They arrived earlier than
  // `now`, so they say nothing about the path. Neither does a pause of the server.
  if (!server_.measured() || paused || (shown_ && now - last_now_ > kHitchSeconds)) return;
  const double age = server_.at(now) - before;
  ages_[count_++ % kArrivals] = age;
  if (age > delay_ || count_ % kArrivalsPerQuantile == 0) adapt(now);
}

// Updates the delay from the remembered ages.
void FrameClock::adapt(double now) {
  std::array<double, kArrivals> ages = ages_;
  const std::size_t size = std::min(count_, kArrivals);
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

double FrameClock::extrapolated() const {
  return kExtrapolatedSeconds * std::min(server_.rate(), tick_rate_);
}

double FrameClock::at(double now) {
  if (!server_.started() || !std::isfinite(now)) return position_;
  const double dt = now - last_now_;
  if (shown_ && dt <= 0) return position_;
  last_now_ = now;
  const double rate = server_.rate();
  const double last = server_.newest() + extrapolated();
  const double target = std::clamp(server_.at(now) - delay_, 0.0, last);
  const double error = target - (position_ + rate * dt);
  const bool hitch = shown_ && dt > kHitchSeconds;
  const bool jump = error > kJumpSeconds * tick_rate_;
  if (!shown_ || hitch || jump) {
    hitches_ += hitch;
    jumps_ += shown_ && !hitch;
    shown_ = true;
    position_ = std::max(position_, target);
  } else if (error >= -kAheadSeconds * rate) {
    const double most = kSlew * rate * dt;
    const double correction = error * std::min(1.0, dt / kSettleSeconds);
    const double next = position_ + rate * dt + std::clamp(correction, -most, most);
    position_ = std::max(position_, std::min(next, last));
  }
  return position_;
}

}  // namespace orrery::client
