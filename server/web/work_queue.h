// Shares processor time among members that wait for it, and limits their sum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "common/core/assert.h"
#include "common/net/environment.h"

namespace orrery::server::web {

// The processor time that one member of a queue has used.
struct Share {
  // Work of this member counts 1 / weight.
  std::uint64_t weight = 1;
  // On the clock of the queue, which advances with the work of its members.
  net::Nanoseconds used = 0;
};

// A function that runs once. Unlike std::function, it can hold a handler that cannot be copied.
class Step {
 public:
  template <class Function>
  explicit Step(Function function) : call_(std::make_unique<Call<Function>>(std::move(function))) {}

  void run() { std::exchange(call_, nullptr)->run(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void run() = 0;
  };
  template <class Function>
  struct Call final : Base {
    explicit Call(Function given) : function(std::move(given)) {}
    void run() override { function(); }
    Function function;
  };

  std::unique_ptr<Base> call_;
};

// A queue in which the member that used least comes first. Members that always wait thus get equal
// shares, and a member that seldom waits comes before them. A token bucket limits the work of all.
class WorkQueue {
 public:
  // A step with the member that pays for it.
  struct Turn {
    std::shared_ptr<Share> share;
    Step step;
  };

  // `rate` is the work in nanoseconds that may be done in a millisecond. After a pause, `burst` may
  // be done at once.
  WorkQueue(net::Nanoseconds rate, net::Nanoseconds burst)
      : rate_(rate), burst_(static_cast<std::int64_t>(burst)), left_(burst_) {}

  void set_rate(net::Nanoseconds rate) { rate_ = rate; }

  // Adds a step. A member that did not wait does not save time for later.
  void add(std::shared_ptr<Share> share, Step step) {
    share->used = std::max(share->used, clock_);
    const net::Nanoseconds key = share->used;
    waiting_.emplace(key, Turn{std::move(share), std::move(step)});
  }
  bool empty() const { return waiting_.empty(); }

  // Returns the time until a step may run: 0 if one may run at once.
  net::Nanoseconds pause(net::Nanoseconds now) {
    const auto passed = static_cast<std::int64_t>(now - std::exchange(refilled_, now));
    const auto rate = static_cast<std::int64_t>(rate_);
    // a long pause fills the bucket, and its product would not fit
    const std::int64_t cap = (burst_ - left_) / rate + 1;
    left_ = passed / kMillisecond >= cap ? burst_
                                         : std::min(burst_, left_ + passed * rate / kMillisecond);
    if (left_ > 0) return 0;
    return static_cast<net::Nanoseconds>((burst_ / 4 - left_) * kMillisecond / rate);
  }

  // Returns the next step. REQUIRES: not empty.
  Turn take() {
    ORRERY_ASSERT(!empty());
    auto first = waiting_.extract(waiting_.begin());
    clock_ = std::max(clock_, first.key());
    return std::move(first.mapped());
  }

  // Notes work that was done in a turn of a member. It decides the order.
  void charge(Share& share, net::Nanoseconds work) { share.used += work / share.weight; }

  // Takes work from the bucket.
  void spend(net::Nanoseconds work) { left_ -= static_cast<std::int64_t>(work); }

 private:
  static constexpr auto kMillisecond = static_cast<std::int64_t>(net::kMillisecond);

  net::Nanoseconds rate_;
  const std::int64_t burst_;
  std::int64_t left_;              // work that may still be done
  net::Nanoseconds refilled_ = 0;  // when `left_` was last raised
  net::Nanoseconds clock_ = 0;     // time that the member of the last step had used
  std::multimap<net::Nanoseconds, Turn> waiting_;
};

}  // namespace orrery::server::web
