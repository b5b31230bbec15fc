// A server in virtual time that ticks slower than its rate, or pauses, and a client of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "client/lib/command_clock.h"
#include "client/lib/frames/frame_clock.h"
#include "common/core/rng.h"

namespace orrery::test {

// The times at which a server closes its ticks, in seconds. It works as server/run/loop.cpp does: a
// tick is due in each interval, at most four are caught up at once, and a step takes its time.
class SlowServer {
 public:
  static constexpr double kRate = 60;

  // A pause from `at` on.
  struct Pause {
    double at = 1e9;
    double seconds = 0;
  };

  // Runs a server from 0 to `end`. `speed` is the share of the tick rate that it can reach at a
  // time.
  SlowServer(double end, const std::function<double(double)>& speed, const Pause& pause) {
    double now = 0;
    double passed = 0;  // intervals up to the last wake-up
    const auto stop = [&] {
      if (now >= pause.at && now < pause.at + pause.seconds) now = pause.at + pause.seconds;
    };
    while (now < end) {
      now = std::max(now, (passed + 1) / kRate);
      stop();
      const double due = std::floor(now * kRate + 1e-9) - passed;
      passed += due;
      for (int i = 0; i < std::min(due, 4.0); ++i) {
        closed_.push_back(now);
        const double share = speed(now);
        now += share < 1 ? 1 / (kRate * share) : 0.0005;
        stop();
        sent_.push_back(now);
      }
    }
  }

  // Returns the number of ticks. They are numbered from 1.
  std::uint64_t ticks() const { return closed_.size(); }
  // Returns when the state of a tick is sent.
  double sent(std::uint64_t tick) const { return sent_[tick - 1]; }
  // Returns the first tick into which a command can go that arrives at `time`.
  std::uint64_t next(double time) const {
    const auto closed = std::upper_bound(closed_.begin(), closed_.end(), time);
    return static_cast<std::uint64_t>(closed - closed_.begin()) + 1;
  }
  // Returns the tick at `time`, with its fraction: the way from the last closed tick to the next.
  double at(double time) const {
    const std::uint64_t tick = next(time);
    if (tick < 2 || tick > closed_.size()) return static_cast<double>(tick);
    const double from = closed_[tick - 2];
    const double share = (time - from) / (closed_[tick - 1] - from);
    return static_cast<double>(tick) - 1 + std::clamp(share, 0.0, 1.0);
  }

 private:
  std::vector<double> closed_;
  std::vector<double> sent_;
};

// A path to a server. Delays are in seconds, and may differ in the two directions.
struct SlowPath {
  double there = 0.05;
  double back = 0.03;
  double jitter = 0;        // either way: up to this much is added
  double loss = 0;          // share of the datagrams to the server
  std::uint64_t every = 1;  // ticks from one state that is sent to the next
};

// A command of the client.
struct GivenCommand {
  double at = 0;           // when it was given
  std::uint64_t tick = 0;  // that it names
  double arrived = 0;
  std::uint64_t next = 0;  // first tick that it can reach
  // Returns by how many ticks the named tick is later than the first one that it can reach.
  double early() const { return static_cast<double>(tick) - static_cast<double>(next); }
};

// A shown frame.
struct ShownFrame {
  double at = 0;
  double tick = 0;
  double server = 0;  // the server's tick at this time
  double newest = 0;  // newest tick that has arrived
};

// A client that looks for datagrams 240 times a second. It gives a command and shows a frame 60
// times a second. Each command is in the datagrams of ten frames.
class SlowClient {
 public:
  SlowClient(const SlowServer& server, const SlowPath& path, std::uint64_t seed)
      : server_(server), path_(path), random_(seed) {
    for (std::uint64_t tick = path.every; tick <= server.ticks(); tick += path.every) {
      states_.emplace(server.sent(tick) + delay(path.back), tick);
    }
  }

  // Runs until `end`, in seconds.
  void run(double end) {
    for (; step_ < end * 240; ++step_) {
      const double now = step_ / 240;
      for (; !states_.empty() && states_.begin()->first <= now; states_.erase(states_.begin())) {
        take(states_.begin()->second, now);
      }
      if (std::fmod(step_, 4) != 0 || newest_ == 0) continue;
      shown.push_back({now, frames.at(now), server_.at(now), static_cast<double>(newest_)});
      give(now);
    }
  }

  client::FrameClock frames{SlowServer::kRate};
  client::CommandClock clock{SlowServer::kRate};
  std::vector<GivenCommand> given;
  std::vector<ShownFrame> shown;

 private:
  double uniform() { return (random_.symmetric() + 1) / 2; }
  double delay(double least) { return least + path_.jitter * uniform(); }

  void take(std::uint64_t tick, double now) {
    frames.arrived(Tick{tick}, now);
    newest_ = std::max(newest_, tick);
    clock.guess(path_.there + path_.back, path_.jitter / 4, frames.server(), now);
    double margin = 1e9;  // the least of those with ticks that the server had as it closed the tick
    for (; reported_ < given.size() && given[reported_].next <= tick; ++reported_) {
      const GivenCommand& c = given[reported_];
      if (c.tick == 0) continue;
      const double early = static_cast<double>(c.tick) - server_.at(c.arrived);
      margin = std::min(margin, std::floor(early * 16) / 16);
    }
    const Sequence newest{static_cast<std::uint32_t>(reported_)};
    if (margin < 1e9) clock.reported(newest, margin, frames.server(), now);
  }

  void give(double now) {
    const Sequence sequence{static_cast<std::uint32_t>(given.size() + 1)};
    const Tick tick = clock.give(sequence, frames.server(), now);
    double arrived = 1e9;  // of the first datagram with the command that is not lost
    for (int copy = 0; copy < 10; ++copy) {
      const double at = now + copy / SlowServer::kRate + delay(path_.there);
      if (uniform() >= path_.loss) arrived = std::min(arrived, at);
    }
    if (!given.empty()) arrived = std::max(arrived, given.back().arrived);  // they keep their order
    given.push_back({now, tick.value, arrived, server_.next(arrived)});
  }

  const SlowServer& server_;
  const SlowPath path_;
  SplitMix64 random_;
  std::multimap<double, std::uint64_t> states_;  // by arrival
  double step_ = 0;
  std::uint64_t newest_ = 0;
  std::size_t reported_ = 0;  // commands that the client knows the margins of
};

}  // namespace orrery::test
