// Estimates which tick the server has reached, and how fast it really ticks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/core/ids.h"

namespace orrery::client {

// The server's clock, as the arrivals of its states show it. An overloaded server ticks slower than
// its tick rate, and may pause. The clock therefore uses only the arrivals of the last moments: it
// measures the rate from them, and draws a line with this slope through the earliest of them. That
// arrival came over the fastest path, so jitter and loss change little.
//
// Times are in seconds from any origin.
class ServerClock {
 public:
  // The measured rate is within these multiples of the tick rate.
  static constexpr double kSlowest = 0.1;
  static constexpr double kFastest = 1.1;

  // `tick_rate`: the server's ticks per second of real time, if it keeps up. REQUIRES: tick_rate >
  // 0.
  explicit ServerClock(double tick_rate);

  // Takes the arrival of a state at local time `now`. Returns false, without effect, if the state
  // is not newer than all before, or if the time is not finite or before the last arrival.
  bool arrived(Tick tick, double now);

  // Returns true after the first arrival.
  bool started() const { return count_ != 0; }
  // Returns true once the rate is measured. Until then rate() is the tick rate.
  bool measured() const { return measured_; }
  // Returns the measured rate, in ticks per second.
  double rate() const { return rate_; }
  // Returns the tick that the server has reached at local time `now`, as a client on the fastest
  // path sees it. Without arrivals it continues at the measured rate. REQUIRES: started().
  double at(double now) const { return reached_ + rate_ * (now - arrived_at_); }
  // Returns the newest tick that arrived, and when. REQUIRES: started().
  double newest() const { return newest_; }
  double arrived_at() const { return arrived_at_; }
  // Returns the time of the first arrival that the clock uses: the first since the server paused,
  // or ticks faster than the clock expected. What was measured before does not fit.
  double since() const { return since_; }
  // Returns true if states have been missing for so long that the server may have paused.
  bool is_silent(double now) const { return now - arrived_at_ > patience_; }
  // Returns the time of silence after which is_silent() is true, in seconds.
  double patience() const { return patience_; }

 private:
  static constexpr std::size_t kArrivals = 128;

  struct Arrival {
    double tick = 0;
    double at = 0;
  };

  // Returns the arrival that is `back` before the newest.
  const Arrival& arrival(std::size_t back) const {
    return arrivals_[(count_ - 1 - back) % kArrivals];
  }
  std::size_t within(double seconds, std::size_t least) const;
  void measure_jitter(double tick, double now);
  void measure_interval();
  void measure_rate();
  void draw_line();

  double tick_rate_;
  double rate_;
  double jitter_ = 0;  // seconds
  double span_;        // time from which the rate is measured
  double patience_;
  std::array<Arrival, kArrivals> arrivals_{};
  std::size_t count_ = 0;
  std::size_t known_ = 0;  // arrivals from since_ on
  double since_ = 0;
  double expected_ = 0;    // tick of the line when the latest arrivals came, before they moved it
  double early_ = 0;       // ticks by which the arrivals just before these were before the line
  bool measured_ = false;  // the rate was measured
  double newest_ = 0;
  double arrived_at_ = 0;  // of the newest arrival
  double reached_ = 0;     // tick of the line at arrived_at_
};

}  // namespace orrery::client
