// Estimates which tick the server has reached, and how fast it really ticks.
#include "client/lib/server_clock.h"

#include <algorithm>
#include <cmath>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// The rate is measured from the arrivals of this time, and from at least this many. Two are enough
// if they are this time apart. The line goes through the earliest of the arrivals of the second
// half of this time. If the path jitters, the time is a multiple of the jitter.
constexpr double kSpanMin = 0.4;
constexpr double kSpanMax = 1.6;
constexpr double kSpanPerJitter = 24;
constexpr std::size_t kRateArrivals = 3;
constexpr std::size_t kLineArrivals = 3;

// Most by which jitter changes the measured time of a span, as a share of the jitter: four standard
// errors.
constexpr double kJitterEffect = 2;
// A state that arrives before the line means that the server ticks faster than before: jitter makes
// states late only. These are the least difference, and its least share of the ticks since the
// state before it. A jump of the server may come in several states, each of which moves the line:
// the differences of consecutive states that are at least kEarlyTicks before the line add up.
constexpr double kFasterTicks = 2;
constexpr double kFasterShare = 0.2;
constexpr double kEarlyTicks = 0.5;
// Time constant with which the measured jitter decays.
constexpr double kJitterSeconds = 4;

// Arrivals within this time count as one: an overloaded server and a program that was paused both
// get several ticks at once.
constexpr double kAtOnceSeconds = 0.002;

// Least silence that can be a pause of the server: this time, and this many intervals.
constexpr double kPatienceSeconds = 0.25;
constexpr double kPatienceIntervals = 2.5;
constexpr std::size_t kPatienceArrivals = 5;

}  // namespace

ServerClock::ServerClock(double tick_rate)
    : tick_rate_(tick_rate),
      rate_(tick_rate),
      span_(kSpanMin),
      patience_(std::max(kPatienceSeconds, kPatienceIntervals / tick_rate)) {
  ORRERY_ASSERT(tick_rate > 0);
}

bool ServerClock::arrived(Tick tick, double now) {
  const auto number = static_cast<double>(tick.value);
  if (!std::isfinite(now)) return false;
  if (started() && (number <= newest_ || now < arrived_at_)) return false;
  const bool at_once = known_ > 0 && now - arrival(0).at < kAtOnceSeconds;
  if (known_ > 0 && !at_once) {
    const double early = known_ > 1 ? newest_ - expected_ : 0;
    early_ = early >= kEarlyTicks ? early_ + early : 0;
    expected_ = at(now);
  }
  const double before_line = std::max(kFasterTicks, kFasterShare * (number - newest_));
  // A single arrival says nothing of the time to the next one.
  const bool is_paused = started() && is_silent(now) && known_ != 1;
  const bool is_faster = known_ > 0 && number + early_ > expected_ + before_line;
  if (is_faster) rate_ = tick_rate_;
  if (is_faster || !started() || is_paused) {
    known_ = 0;
    since_ = now;
  }
  measure_jitter(number, now);
  if (known_ > 0 && at_once) {
    arrivals_[(count_ - 1) % kArrivals].tick = number;
  } else {
    arrivals_[count_++ % kArrivals] = {number, now};
    known_ = std::min(known_ + 1, kArrivals);
  }
  newest_ = number;
  arrived_at_ = now;
  measure_interval();
  measure_rate();
  draw_line();
  return true;
}

// Measures by how much states come sooner after one another than the server makes them. A slow or
// paused server makes them later, so only the path can do this.
void ServerClock::measure_jitter(double tick, double now) {
  if (known_ == 0) return;
  const double passed = now - arrived_at_;
  const double sooner = (tick - newest_) / tick_rate_ - passed;
  jitter_ = std::max(sooner, jitter_ * (1 - std::min(1.0, passed / kJitterSeconds)));
  span_ = std::clamp(kSpanPerJitter * jitter_, kSpanMin, kSpanMax);
}

// A single long interval is a pause, so the patience follows the median of the latest ones.
void ServerClock::measure_interval() {
  std::array<double, kPatienceArrivals> intervals;
  const std::size_t size = std::min(count_ - 1, intervals.size());
  if (size == 0) return;
  for (std::size_t i = 0; i < size; ++i) intervals[i] = arrival(i).at - arrival(i + 1).at;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(size / 2);
  std::nth_element(intervals.begin(), middle,
                   intervals.begin() + static_cast<std::ptrdiff_t>(size));
  patience_ = std::max(kPatienceSeconds, kPatienceIntervals * *middle);
}

// Returns the number of the newest arrivals in this time, at least `least` if there are so many.
std::size_t ServerClock::within(double seconds, std::size_t least) const {
  std::size_t size = 1;
  while (size < known_ && (size < least || arrived_at_ - arrival(size).at <= seconds)) ++size;
  return size;
}

// Measures the rate by a linear regression. Takes the tick rate for the true rate if the difference
// can be an effect of jitter.
void ServerClock::measure_rate() {
  const std::size_t size = within(span_, kRateArrivals);
  const double span = arrived_at_ - arrival(size - 1).at;
  if (size < kRateArrivals && span < kSpanMin) return;
  measured_ = true;
  const auto n = static_cast<double>(size);
  double at = 0;
  double tick = 0;
  for (std::size_t i = 0; i < size; ++i) {
    at += (arrival(i).at - arrived_at_) / n;
    tick += (arrival(i).tick - newest_) / n;
  }
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double x = arrival(i).at - arrived_at_ - at;
    const double y = arrival(i).tick - newest_ - tick;
    squares += x * x;
    products += x * y;
  }
  const double slope = products / squares;
  if (!std::isfinite(slope)) return;  // the times are equal, or immensely far apart
  const bool is_on_time =
      std::abs(slope - tick_rate_) * span <= kJitterEffect * jitter_ * tick_rate_;
  rate_ = is_on_time ? tick_rate_ : std::clamp(slope, kSlowest * tick_rate_, kFastest * tick_rate_);
}

// Draws the line with the measured rate through the earliest of the newest arrivals.
void ServerClock::draw_line() {
  reached_ = newest_;
  for (std::size_t i = within(span_ / 2, kLineArrivals); i-- > 0;) {
    reached_ = std::max(reached_, arrival(i).tick + rate_ * (arrived_at_ - arrival(i).at));
  }
}

}  // namespace orrery::client
