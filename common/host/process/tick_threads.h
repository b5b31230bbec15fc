// Runs the ticks of a world on one thread or on several, whichever is faster.
#pragma once

#include <array>
#include <cstdint>

#include "common/core/executor.h"
#include "common/host/process/thread_pool.h"
#include "common/net/environment.h"

namespace orrery::host {

// Chooses one thread or all of them by the times of earlier ticks. A choice holds for 32 ticks at
// first. Then a trial runs ticks in the other way, and the way with the shorter mean time is
// chosen. A trial with all threads must be 5 % faster, because their polling costs CPU time. Each
// trial that confirms the choice doubles the time for which it holds, up to 2,048 ticks. If the
// mean time of 32 ticks differs by more than a factor of 2 from the time at the last decision, the
// next trial begins at once: the world has grown or shrunk. A few ticks that are very long, such as
// in a pause of the machine, hardly change the mean.
//
// A trial with all threads takes 33 ticks. If another program uses the processors, most ticks are
// fast, and a few wait long for a thread that does not run; a short trial could miss these few. A
// trial with one thread takes at most five ticks, because in a large world each of them takes
// longer than it may. A trial ends early when it is lost.
//
// If one thread takes more than twice as long, its trial ends after one tick. The choice of all
// threads then holds eight times as long, up to 32,768 ticks: nine minutes at 60 Hz. In this time,
// longer ticks begin a trial only if they are longer than that one tick on one thread. Shorter
// ticks begin a trial within 2,048 ticks.
//
// A server catches up limits::kCatchUpTicksMax ticks. A trial therefore makes it lose ticks only
// if one thread needs more than five tick intervals for a tick, if all threads barely keep up, or
// if the machine pauses. In a world that grows, one thread may stay in use for 64 more ticks and
// one trial.
class ThreadChoice {
 public:
  static constexpr std::uint32_t kMeanTicks = 32;  // ticks of a mean

  // Begins with all threads. REQUIRES: threads >= 1.
  explicit ThreadChoice(std::uint32_t threads);

  // Returns the number of threads for the next tick: 1 or all.
  std::uint32_t threads() const { return trying_ ? other() : choice_; }
  // Adds the time of that tick.
  void add(net::Nanoseconds time);

 private:
  std::uint32_t other() const { return choice_ == 1 ? all_ : 1; }
  net::Nanoseconds mean_of_times();
  void shorten_hold();
  void add_to_trial(net::Nanoseconds time);
  void end_trial(bool is_lost, net::Nanoseconds time);

  std::uint32_t all_;
  std::uint32_t choice_;
  std::uint32_t hold_;                                // ticks for which the choice holds
  bool trying_ = false;                               // a trial runs
  std::uint32_t ticks_ = 0;                           // since the trial or the choice began
  std::array<net::Nanoseconds, kMeanTicks> times_{};  // of the last ticks with the choice
  net::Nanoseconds mean_ = 0;                         // of those ticks
  net::Nanoseconds sum_ = 0;                          // of the ticks that count in the trial
  net::Nanoseconds decided_ = 0;  // mean time of the chosen way in the last decision, 0 before it
  net::Nanoseconds refused_ = 0;  // tick of one thread that lost the last trial at once; 0: none
};

// A thread pool for ticks. It uses one thread if several were not faster in the last trial, such as
// in small worlds, or if other programs keep the processors busy.
class TickThreads final : public Executor {
 public:
  // Has the errors and requirements of ThreadPool's constructor.
  explicit TickThreads(std::uint32_t threads) : pool_(threads), choice_(threads) {}

  std::uint32_t width() const override { return choice_.threads(); }
  void run(std::uint32_t count, void (*task)(void* context, std::uint32_t index),
           void* context) override {
    pool_.run(count, task, context);
  }
  void begin_tick() override;
  void end_tick() override;

 private:
  ThreadPool pool_;
  ThreadChoice choice_;
  net::Nanoseconds start_ = 0;  // of the tick
};

}  // namespace orrery::host
