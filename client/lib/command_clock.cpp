// The clock of a client's commands: which tick a command must name to arrive in time.
#include "client/lib/command_clock.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// The clock ignores reports that are older than this many seconds, because the path may have
// changed. It always uses at least the kReportsMin newest reports.
constexpr double kReportSeconds = 4;
constexpr std::size_t kReportsMin = 4;

// The clock uses a lead that was enough for 99 of 100 recent commands. If there are several
// reports, it ignores at least the largest lead, so that a single delayed command changes nothing.
constexpr std::size_t kReportsPerLate = 100;
constexpr std::size_t kReportsForLate = 3;

// The server rounds the margin of a command to 1/16 tick.
constexpr double kRounding = 1.0 / 16;

}  // namespace

CommandClock::CommandClock(double tick_rate) : tick_rate_(tick_rate) {
  ORRERY_ASSERT(tick_rate > 0);
}

void CommandClock::limit(const CommandDelay& delay) {
  ORRERY_ASSERT(0 <= delay.min && delay.min <= delay.max);
  delay_ = delay;
}

void CommandClock::guess(Tick tick, double now, double round_trip, double jitter) {
  if (count_ != 0 || !std::isfinite(now)) return;
  if (!started_) start_ = moved_at_ = now;
  const double at_arrival = lead_of(tick, now) + tick_rate_ * round_trip;
  const bool first = !started_;
  started_ = true;
  fastest_ = first ? at_arrival : std::min(fastest_, at_arrival);
  // The state may be up to a tick old when it is sent, so the guess adds one tick.
  target_ = at_arrival + 1 + 4 * tick_rate_ * jitter;
  if (first) lead_ = target_;
}

void CommandClock::reported(Sequence newest, double margin, double now) {
  if (!started_ || newest.value == 0 || !std::isfinite(margin + now)) return;
  reports_[count_++ % kReports] = {leads_[newest.value % leads_.size()] - margin, now};
  aim(now);
}

void CommandClock::aim(double now) {
  std::array<double, kReports> needed;
  std::size_t size = 0;
  for (std::size_t i = 0; i < std::min(count_, kReports); ++i) {
    const Report& report = reports_[(count_ - 1 - i) % kReports];  // newest first
    if (i >= kReportsMin && now - report.at > kReportSeconds) break;
    needed[size++] = report.needed;
  }
  ORRERY_ASSERT(size >= 1);
  const auto at = [&](std::size_t i) { return needed.begin() + static_cast<std::ptrdiff_t>(i); };
  const std::size_t late =
      size >= kReportsForLate ? std::max<std::size_t>(1, size / kReportsPerLate) : 0;
  std::nth_element(needed.begin(), at(late), at(size), std::greater<>());
  const double enough = needed[late];
  fastest_ = *std::min_element(at(0), at(size));
  target_ = std::clamp(enough + kRounding, fastest_ + delay_.min, fastest_ + delay_.max);
}

void CommandClock::move(double now) {
  const double most = kSlew * tick_rate_ * std::max(0.0, now - moved_at_);
  const double error = target_ - lead_;
  lead_ += std::abs(error) > kJumpTicks ? error : std::clamp(error, -most, most);
  moved_at_ = std::max(moved_at_, now);
}

Tick CommandClock::give(Sequence sequence, double now) {
  if (!started_ || !std::isfinite(now)) return last_;
  move(now);
  const double tick = std::floor(local(now) + lead_) + 1;
  if (tick >= 1 && tick < 0x1p63) {
    last_.value = std::max(last_.value, static_cast<std::uint64_t>(tick));
  }
  leads_[sequence.value % leads_.size()] = lead_of(last_, now);
  return last_;
}

}  // namespace orrery::client
