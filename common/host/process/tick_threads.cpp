// Decides whether several threads pay.
#include "common/host/process/tick_threads.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/host/process/clock.h"

namespace orrery::host {
namespace {

constexpr std::uint32_t kMeanTicks = 32;
constexpr std::uint32_t kHoldFirst = kMeanTicks, kHoldMost = 64 * kMeanTicks;
// The first tick of a trial does not count: it wakes threads, or moves memory to one.
constexpr std::uint32_t kTrialAll = 1 + kMeanTicks, kTrialOne = 1 + 4;
// Several threads must take at most this fraction of the time of one. Their polling costs CPU time.
constexpr double kTimeMost = 0.95;
// A choice no longer holds if the mean time of a tick changed by more than this factor.
constexpr net::Nanoseconds kChange = 2;

}  // namespace

ThreadChoice::ThreadChoice(std::uint32_t threads)
    : all_(threads), choice_(threads), hold_(kHoldFirst) {
  ORRERY_ASSERT(threads >= 1);
}

void ThreadChoice::add(net::Nanoseconds time) {
  if (all_ == 1) return;
  ++ticks_;
  if (trying_) {
    if (ticks_ > 1) sum_ += time;
    if (ticks_ == (choice_ == 1 ? kTrialAll : kTrialOne)) choose();
    return;
  }
  sum_ += time;
  if (ticks_ % kMeanTicks != 0) return;
  mean_ = sum_ / kMeanTicks;
  sum_ = 0;
  if (mean_ > kChange * decided_ || kChange * mean_ < decided_) hold_ = kHoldFirst;
  if (ticks_ >= hold_) begin_trial();
}

void ThreadChoice::begin_trial() {
  trying_ = true;
  ticks_ = 0;
}

void ThreadChoice::choose() {
  const auto chosen = static_cast<double>(mean_);
  const double tried = static_cast<double>(sum_) / (ticks_ - 1);
  const bool confirmed = choice_ == 1 ? tried > kTimeMost * chosen : chosen <= kTimeMost * tried;
  hold_ = confirmed ? std::min(2 * hold_, kHoldMost) : kHoldFirst;
  decided_ = confirmed ? mean_ : static_cast<net::Nanoseconds>(tried);
  if (!confirmed) choice_ = other();
  trying_ = false;
  ticks_ = 0;
  sum_ = 0;
}

void TickThreads::begin_tick() { start_ = monotonic_now(); }

void TickThreads::end_tick() { choice_.add(monotonic_now() - start_); }

}  // namespace orrery::host
