// Runs the work of the web side in turns, within a share of the processor.
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

#include "common/core/limits.h"
#include "common/host/process/clock.h"
#include "server/web/work_queue.h"

namespace orrery::server::web {

// The turns of all connections of a web side. Each operation waits for a turn (ask). Its time is
// measured (Meter), which decides the order. The limit is on the processor time of the thread
// outside its ticks, so it includes the work of the event loop. Ticks run between turns, and wait
// for one slice at most.
class Turns {
 public:
  // `rate` is the work in nanoseconds for each millisecond. REQUIRES: `context` outlives the turns.
  Turns(boost::asio::io_context& context, net::Nanoseconds rate)
      : context_(context), timer_(context), queue_(rate, limits::kWebWorkBurst) {}

  // Surround the work of the thread that does not count.
  void begin_other() { settle(); }
  void end_other() { settled_ = host::thread_cpu_now(); }

  void set_rate(net::Nanoseconds rate) { queue_.set_rate(rate); }

  // Calls `step` in a later handler, when its turn comes.
  void ask(const std::shared_ptr<Share>& share, auto step) {
    queue_.add(share, Step(std::move(step)));
    if (!std::exchange(runs_, true)) run_later();
  }

  // Returns true if the turn of this member has begun and not ended.
  bool is_turn_of(const Share& share) const { return current_ == &share; }

  // Adds work that another thread did for a member.
  void charge(Share& share, net::Nanoseconds work) {
    queue_.charge(share, work);
    queue_.spend(work);
  }

  // Measures the work of a handler, from construction to destruction. Inside another one it
  // measures nothing.
  class Meter {
   public:
    Meter(Turns& turns, std::shared_ptr<Share> share)
        : turns_(turns), share_(std::move(share)), outer_(!std::exchange(turns.measures_, true)) {
      if (outer_) start_ = host::monotonic_now();
    }
    Meter(const Meter&) = delete;
    Meter& operator=(const Meter&) = delete;
    ~Meter() {
      if (!outer_) return;
      turns_.measures_ = false;
      turns_.queue_.charge(*share_, std::min(host::monotonic_now() - start_, kStepMax));
    }

   private:
    Turns& turns_;
    const std::shared_ptr<Share> share_;
    const bool outer_;
    net::Nanoseconds start_ = 0;
  };

 private:
  // Work of one handler, at most. If it took longer, the thread did not run for a while.
  static constexpr net::Nanoseconds kStepMax = net::kMillisecond;
  // Work after which the other handlers of the loop get their turn.
  static constexpr net::Nanoseconds kSlice = net::kMillisecond / 10;

  void run_later() {
    boost::asio::post(context_, [this] { run(); });
  }

  // Takes the processor time since the last call from the limit.
  void settle() {
    const net::Nanoseconds now = host::thread_cpu_now();
    queue_.spend(now - std::exchange(settled_, now));
  }

  void run() {
    settle();
    const net::Nanoseconds start = host::monotonic_now();
    if (const net::Nanoseconds pause = queue_.pause(start)) {
      timer_.expires_after(std::chrono::nanoseconds(pause));
      return timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) run();
      });
    }
    while (!queue_.empty()) {
      if (host::monotonic_now() - start > kSlice) return run_later();
      WorkQueue::Turn turn = queue_.take();
      const Meter meter(*this, turn.share);
      current_ = turn.share.get();
      turn.step.run();
      current_ = nullptr;
    }
    runs_ = false;
  }

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  WorkQueue queue_;
  net::Nanoseconds settled_ = host::thread_cpu_now();  // time of the thread at the last settle()
  const Share* current_ = nullptr;                     // member that runs a step
  bool runs_ = false;                                  // run() is running, or will be called
  bool measures_ = false;                              // a Meter exists
};

}  // namespace orrery::server::web
