// Decides whether several threads pay.
#include "common/host/process/tick_threads.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/host/process/clock.h"

namespace orrery::host {
namespace {

constexpr std::uint32_t kHoldFirst = ThreadChoice::kMeanTicks, kHoldMost = 64 * kHoldFirst;
// Longest time for which a choice holds, in ticks, if one thread took more than twice the time in
// each trial.
constexpr std::uint32_t kHoldClear = 16 * kHoldMost;
// Ticks that count in a trial. One more tick comes first, and does not count: it wakes the threads,
// or moves the memory of the world to one of them.
constexpr std::uint32_t kTrialAll = ThreadChoice::kMeanTicks, kTrialOne = 4;
// Several threads are chosen if they take at most this fraction of the time of one, because their
// polling costs CPU time. Once chosen they need only be as fast, so that noise does not switch the
// choice again and again.
constexpr double kTimeMost = 0.95;
// The next trial begins earlier if the mean time of a tick changed by more than this factor.
constexpr net::Nanoseconds kChange = 2;
// A tick counts in a mean with at most this multiple of the median.
constexpr net::Nanoseconds kTicksMost = 8;

}  // namespace

ThreadChoice::ThreadChoice(std::uint32_t threads)
    : all_(threads), choice_(threads), hold_(kHoldFirst) {
  ORRERY_ASSERT(threads >= 1);
}

void ThreadChoice::add(net::Nanoseconds time) {
  if (all_ == 1) return;
  ++ticks_;
  if (trying_) return add_to_trial(time);
  times_[ticks_ % kMeanTicks] = time;
  if (ticks_ % kMeanTicks != 0) return;
  mean_ = mean_of_times();
  shorten_hold();
  if (ticks_ < hold_) return;
  trying_ = true;
  ticks_ = 0;
}

// Returns the mean of the last ticks. A single very long tick counts little: it comes from a pause
// of the machine. If a thread often waits for another program, many ticks are long, and all count.
net::Nanoseconds ThreadChoice::mean_of_times() {
  const auto median = times_.begin() + kMeanTicks / 2;
  std::nth_element(times_.begin(), median, times_.end());
  const net::Nanoseconds most = kTicksMost * *median;
  net::Nanoseconds sum = 0;
  for (const net::Nanoseconds time : times_) sum += std::min(time, most);
  return sum / kMeanTicks;
}

// Makes the next trial begin earlier if the world or the machine has changed.
void ThreadChoice::shorten_hold() {
  if (mean_ > std::max(kChange * decided_, refused_)) hold_ = kHoldFirst;
  if (kChange * mean_ < decided_) hold_ = std::min(hold_, refused_ > 0 ? kHoldMost : kHoldFirst);
}

// Ends the trial as soon as it is lost. A trial of one thread ends even earlier: it is also lost if
// one more tick like this one would make it lost. After the first tick, which does not count, it is
// lost if two more ticks like it would make it lost.
void ThreadChoice::add_to_trial(net::Nanoseconds time) {
  ORRERY_ASSERT(trying_ && ticks_ >= 1);
  const bool tries_all = choice_ == 1;
  const std::uint32_t counted = tries_all ? kTrialAll : kTrialOne;
  if (ticks_ > 1) sum_ += time;
  const bool is_over = ticks_ > counted;
  const net::Nanoseconds ahead = tries_all || is_over ? 0 : ticks_ == 1 ? 2 * time : time;
  const auto tried = static_cast<double>(sum_ + ahead);
  const double chosen = static_cast<double>(mean_) * counted;
  const double needed = tries_all || decided_ == 0 ? kTimeMost : 1;
  const bool is_lost = tries_all ? tried > needed * chosen : chosen <= needed * tried;
  if (is_lost || is_over) end_trial(is_lost, time);
}

// `time` is that of the last tick.
void ThreadChoice::end_trial(bool is_lost, net::Nanoseconds time) {
  ORRERY_ASSERT(trying_ && hold_ >= kHoldFirst);
  const bool is_clear = is_lost && ticks_ == 1;
  if (!is_lost) {
    hold_ = kHoldFirst;
  } else if (is_clear) {
    hold_ = std::min(8 * hold_, kHoldClear);
  } else {
    hold_ = std::min(2 * hold_, kHoldMost);
  }
  refused_ = is_clear ? time : 0;
  decided_ = is_lost ? mean_ : sum_ / (ticks_ - 1);
  if (!is_lost) choice_ = other();
  trying_ = false;
  ticks_ = 0;
  sum_ = 0;
}

void TickThreads::begin_tick() { start_ = monotonic_now(); }

void TickThreads::end_tick() { choice_.add(monotonic_now() - start_); }

}  // namespace orrery::host
