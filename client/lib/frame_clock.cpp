// The playback clock of a client: which tick to show at which local time.
#include "client/lib/frame_clock.h"

#include <algorithm>
#include <cmath>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// Weight of a new snapshot in the moving average `offset_`.
constexpr double kGain = 1.0 / 16;

// Time constant with which an error of the shown tick decays.
constexpr double kSettleSeconds = 0.5;

}  // namespace

FrameClock::FrameClock(double tick_rate, double delay_ticks)
    : tick_rate_(tick_rate), delay_ticks_(delay_ticks) {
  ORRERY_ASSERT(tick_rate > 0);
  ORRERY_ASSERT(delay_ticks >= 0);
}

void FrameClock::snapshot_arrived(Tick tick, double now) {
  if (!std::isfinite(now)) return;
  const auto number = static_cast<double>(tick.value);
  if (!started_) {
    started_ = true;
    start_ = now;
    offset_ = number;
    newest_ = number;
    return;
  }
  if (number <= newest_) return;  // repeated, or a newer snapshot arrived first
  newest_ = number;
  const double error = number - tick_rate_ * (now - start_) - offset_;
  const bool jump = std::abs(error) > kJumpSeconds * tick_rate_;
  offset_ += jump ? error : kGain * error;
}

double FrameClock::at(double now) {
  if (!started_ || !std::isfinite(now)) return position_;
  const double target = std::max(0.0, tick_rate_ * (now - start_) + offset_ - delay_ticks_);
  const double dt = now - last_now_;
  if (shown_ && dt <= 0) return position_;
  const double error = target - (position_ + tick_rate_ * dt);
  last_now_ = now;
  if (!shown_ || std::abs(error) > kJumpSeconds * tick_rate_) {
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
