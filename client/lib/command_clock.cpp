// The clock of a client's commands: which tick a command must name to arrive in time.
#include "client/lib/command_clock.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// The clock ignores reports that are older than this many seconds, because the path may have
// changed. It always uses at least the kReportsMin newest reports.
constexpr double kReportSeconds = 4;
constexpr std::size_t kReportsMin = 4;

// The clock uses a lead that was enough for 99 of 100 recent commands. If there are several
// reports, it ignores at least the largest lead, so that a single delayed command changes nothing.
constexpr std::size_t kReportsPerLate = 50;
constexpr std::size_t kReportsForLate = 3;

// The server rounds the margin of a command to 1/16 tick.
constexpr double kRounding = 1.0 / 16;

// For this time after a pause of the server, too few states have arrived for an exact clock.
constexpr double kSettleSeconds = 0.1;

// After this time, a round trip that a pause has prolonged no longer affects the mean.
constexpr double kRoundTripSeconds = 2;

// Reports of commands that were given when the server ticked at a rate that differs by more than
// this share of the tick rate say nothing about the present.
constexpr double kOtherRate = 0.15;

}  // namespace

CommandClock::CommandClock(double tick_rate) : tick_rate_(tick_rate), rate_(tick_rate) {
  ORRERY_ASSERT(tick_rate > 0);
}

void CommandClock::limit(const CommandDelay& delay) {
  ORRERY_ASSERT(0 <= delay.min && delay.min <= delay.max);
  delay_ = delay;
}

void CommandClock::guess(double round_trip, double jitter, const ServerClock& server, double now) {
  if (count_ != 0 || !std::isfinite(now)) return;
  fastest_ = started_ ? std::min(fastest_, round_trip) : round_trip;
  if (!std::exchange(started_, true)) since_ = server.since();
  // A longer round trip began before the server paused, or before it answered.
  const double most = std::max(0.0, now - server.since());
  // The state may be up to a tick old when it is sent, so the guess adds one tick.
  const double target = std::min(round_trip + 4 * jitter, most) + 1 / rate_;
  const bool may_rise = server.since() == since_ || most >= kRoundTripSeconds;
  target_ = may_rise ? target : std::min(target_, target);
  if (last_.value != 0) return;
  lead_ = target_;
  moved_at_ = now;
}

void CommandClock::reported(Sequence newest, double margin, const ServerClock& server, double now) {
  const std::uint32_t before = std::exchange(reported_, newest.value);
  if (!started_ || newest.value == 0 || !std::isfinite(margin + now)) return;
  const std::uint32_t most = std::min(newest.value, limits::kCommandsQueuedMax);
  const std::uint32_t commands = std::clamp(newest.value - before, 1u, most);
  const auto given = [&](std::uint32_t i) { return given_[(newest.value - i) % given_.size()]; };
  double least = given(0).lead;
  for (std::uint32_t i = 0; i < commands; ++i) {
    const Given command = given(i);
    if (command.rate <= 0 || command.at < server.since() + kSettleSeconds) return;
    least = std::min(least, command.lead);
  }
  const double rate = given(0).rate;
  reports_[count_++ % kReports] = {(least - margin) / rate, rate, now};
  aim(now);
}

void CommandClock::aim(double now) {
  std::array<double, kReports> needed;
  std::size_t size = 0;
  for (std::size_t i = 0; i < std::min(count_, kReports); ++i) {
    const Report& report = reports_[(count_ - 1 - i) % kReports];  // newest first
    if (size >= kReportsMin && now - report.at > kReportSeconds) break;
    const bool is_like = std::abs(report.rate - rate_) <= kOtherRate * tick_rate_;
    if (is_like) needed[size++] = report.needed;
  }
  if (size == 0) return;
  const auto at = [&](std::size_t i) { return needed.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t late =
      size >= kReportsForLate ? std::max<std::size_t>(1, size / kReportsPerLate) : 0;
  std::nth_element(needed.begin(), at(late), at(size), std::greater<>());
  const double enough = needed[late];
  fastest_ = *std::min_element(at(0), at(size));
  target_ = std::clamp(enough + kRounding / rate_, fastest_ + delay_.min / rate_,
                       fastest_ + delay_.max / rate_);
}

void CommandClock::move(double now) {
  const double most = kSlew * std::max(0.0, now - moved_at_);
  const double error = target_ - lead_;
  const bool jumps = std::abs(error) * tick_rate_ > kJumpTicks;
  lead_ += jumps ? error : std::clamp(error, -most, most);
  moved_at_ = std::max(moved_at_, now);
}

Tick CommandClock::give(Sequence sequence, const ServerClock& server, double now) {
  if (!started_ || !std::isfinite(now)) return last_;
  if (!server.measured()) {
    given_[sequence.value % given_.size()] = {};
    return last_;
  }
  rate_ = server.rate();
  move(now);
  const double seen = server.at(std::min(now, server.arrived_at() + server.patience()));
  const double tick = std::floor(seen + rate_ * lead_) + 1;
  if (tick >= 1 && tick < 0x1p63) {
    last_.value = std::max(last_.value, static_cast<std::uint64_t>(tick));
  }
  const double rate = server.is_silent(now) ? 0 : rate_;
  given_[sequence.value % given_.size()] = {static_cast<double>(last_.value) - seen, rate, now};
  return last_;
}

}  // namespace orrery::client
