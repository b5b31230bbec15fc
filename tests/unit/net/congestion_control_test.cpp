// Tests congestion control on simulated paths of known bandwidth.
#include "common/net/channel/congestion_control.h"

#include <deque>

#include "common/core/rng.h"
#include "gtest/gtest.h"

namespace orrery {
namespace {

constexpr net::Nanoseconds kTick = net::kSecond / 60;

// A path with a bandwidth in bytes per second and a queue that drops messages when full. Its
// receiver acknowledges after 24 messages, or after 50 ms if fewer arrive. It shares only the clock
// with the code under test.
class Bottleneck {
 public:
  Bottleneck(double width, double loss, net::Nanoseconds delay, double queue = 200e3)
      : width_(width), loss_(loss), delay_(delay), queue_(queue) {}

  // Returns the bytes in the queue.
  double waiting(net::Nanoseconds now) const {
    return now >= free_at_ ? 0 : static_cast<double>(free_at_ - now) * width_ / 1e9;
  }

  void send(std::uint32_t sequence, std::size_t bytes, net::Nanoseconds now) {
    const bool lost = (random_.symmetric() + 1) / 2 < loss_;
    if (dark_ || lost || waiting(now) > queue_) return;
    const double all = static_cast<double>(bytes) + 48;
    free_at_ = std::max(free_at_, now) + static_cast<net::Nanoseconds>(1e9 * all / width_);
    delivered_ += all;
    arrivals_.push_back({free_at_ + delay_, sequence});
  }

  // Receives everything that has arrived by now, and acknowledges it if that is due.
  void acknowledge(net::PathEstimator& path, net::Nanoseconds now) {
    for (; !arrivals_.empty() && arrivals_.front().at <= now; arrivals_.pop_front()) {
      const std::uint32_t ahead = arrivals_.front().sequence - newest_;
      bits_ = ahead < 32 ? bits_ << ahead | 1u << (ahead - 1) : 0;
      newest_ = arrivals_.front().sequence;
      if (++unsaid_ >= 24) tell(path, now);
    }
    if (now - told_ >= 50 * net::kMillisecond && newest_ != 0) tell(path, now);
  }

  void set_width(double width) { width_ = width; }
  void set_dark(bool dark) { dark_ = dark; }
  double delivered() const { return delivered_; }

 private:
  void tell(net::PathEstimator& path, net::Nanoseconds now) {
    told_ = now;
    unsaid_ = 0;
    path.acknowledged(newest_, bits_, 0, now);
  }

  struct Arrival {
    net::Nanoseconds at;
    std::uint32_t sequence;
  };

  double width_;
  double loss_;
  net::Nanoseconds delay_;
  double queue_;
  bool dark_ = false;
  SplitMix64 random_{7};
  net::Nanoseconds free_at_ = 0;
  double delivered_ = 0;
  std::deque<Arrival> arrivals_;
  std::uint32_t newest_ = 0;
  std::uint32_t bits_ = 0;
  std::uint32_t unsaid_ = 0;
  net::Nanoseconds told_ = 0;
};

// A sender that uses its whole budget, but at most `appetite` bytes per second.
struct Sender {
  explicit Sender(double appetite_in, net::Nanoseconds tick_in = kTick,
                  double rate_max = net::CongestionControl::kRateMax)
      : appetite(appetite_in), tick(tick_in), budget(rate_max) {}

  // Sends for `seconds`. Returns the largest amount of data that the queue of the path held, in MB.
  double run(Bottleneck& net, double seconds) {
    double longest = 0;
    for (const net::Nanoseconds end = now + static_cast<net::Nanoseconds>(seconds * 1e9);
         now < end;) {
      now += tick;
      net.acknowledge(path, now);
      budget.refill(path.take_ack_summary(), tick, now);
      hunger = std::min(hunger + appetite * static_cast<double>(tick) / 1e9, appetite);
      while (budget.room() >= 1 && hunger >= net::kPacketBytesMax) {
        path.sent(++sequence, now);
        net.send(sequence, net::kPacketBytesMax, now);
        budget.spend(net::kPacketBytesMax);
        sent += net::CongestionControl::kDatagramBytes;
        hunger -= net::kPacketBytesMax;
      }
      longest = std::max(longest, net.waiting(now) / 1e6);
    }
    return longest;
  }

  double appetite;
  net::Nanoseconds tick;
  double hunger = 0;
  double sent = 0;  // bytes, with headers
  net::Nanoseconds now = net::kSecond;
  std::uint32_t sequence = 0;
  net::PathEstimator path;
  net::CongestionControl budget;
};

TEST(CongestionControl, FillsAPathAndNotItsQueue) {
  for (const double width : {60e3, 250e3, 1e6, 6e6}) {
    SCOPED_TRACE(width);
    Bottleneck net(width, 0, 20 * net::kMillisecond);
    Sender sender(20e6);
    sender.run(net, 10);
    const double before = net.delivered();
    double late = 0;
    for (int i = 0; i < 300; ++i) {
      sender.run(net, 0.1);
      late += net.waiting(sender.now) / width > 0.25 ? 1 : 0;
    }
    EXPECT_GT((net.delivered() - before) / 30, 0.75 * width);
    EXPECT_LT(late, 15);  // in fewer than 5 % of the samples the queue holds more than 0.25 s
  }
}

// Includes long ticks with a short queue, and ticks of 1 ms, in which about two datagrams fit.
TEST(CongestionControl, FillsAPathAtAnyTickRate) {
  struct Case {
    net::Nanoseconds tick;
    double width;
    double queue;
    double share;  // share of the bandwidth that must arrive
  };
  for (const Case& c : {Case{net::kSecond / 4, 500e3, 100e3, 0.15}, Case{kTick, 12e6, 32e3, 0.1},
                        Case{net::kSecond / 1000, 3e6, 200e3, 0.7}}) {
    SCOPED_TRACE(c.tick);
    Bottleneck net(c.width, 0, 20 * net::kMillisecond, c.queue);
    Sender sender(100e6, c.tick);
    sender.run(net, 20);
    const double before = net.delivered();
    const std::uint32_t sent_before = sender.sequence;
    sender.run(net, 30);
    const double sent = (sender.sequence - sent_before) * net::CongestionControl::kDatagramBytes;
    EXPECT_GT(net.delivered() - before, 30 * c.share * c.width);
    EXPECT_GT(net.delivered() - before, 0.8 * sent);
  }
}

// Reliable messages get at most half of the rate, even if more of them wait. The path has a loss of
// 5 %, at which the rate stays constant.
TEST(CongestionControl, WhatIsSaidAsideLeavesHalf) {
  for (const net::Nanoseconds tick : {kTick, net::kSecond / 1000, net::kSecond}) {
    net::CongestionControl budget;
    std::size_t aside = 0, rest = 0;
    for (net::Nanoseconds now = net::kSecond; now < 21 * net::kSecond; now += tick) {
      budget.refill({100, 5, 20 * net::kMillisecond}, tick, now);
      for (; budget.room() >= 1; ++rest) budget.spend(net::kPacketBytesMax);
      for (int i = 0; i < 1000 && budget.reliable_room() >= 1; ++i, ++aside) {
        budget.spend(net::kPacketBytesMax);
        budget.spend_reliable(1, net::kPacketBytesMax);
      }
    }
    const double all = 20 * budget.rate() / net::CongestionControl::kDatagramBytes;
    EXPECT_NEAR(static_cast<double>(aside), all / 2, all / 20);
    EXPECT_GT(static_cast<double>(rest), 0.4 * all);
    EXPECT_LT(static_cast<double>(aside + rest), 1.1 * all);
  }
}

TEST(CongestionControl, ALittleLossDoesNotKeepItDown) {
  for (const double loss : {0.02, 0.04}) {
    Bottleneck dark(10e6, 0.3, 20 * net::kMillisecond);
    Sender sender(20e6);
    sender.run(dark, 10);
    EXPECT_LT(sender.budget.rate(), 100e3);
    Bottleneck net(10e6, loss, 20 * net::kMillisecond);
    sender.run(net, 120);
    EXPECT_GT(sender.budget.rate(), 250e3) << loss;
  }
}

TEST(CongestionControl, FollowsAPathThatNarrowsAndWidens) {
  Bottleneck net(2e6, 0, 20 * net::kMillisecond);
  Sender sender(20e6);
  sender.run(net, 10);
  EXPECT_GT(sender.budget.rate(), 1e6);
  net.set_width(200e3);
  sender.run(net, 10);
  EXPECT_LT(sender.budget.rate(), 300e3);
  net.set_width(2e6);
  sender.run(net, 30);
  EXPECT_GT(sender.budget.rate(), 1.2e6);
}

TEST(CongestionControl, IsNotForWhoSendsLittle) {
  Bottleneck net(10e6, 0, 20 * net::kMillisecond);
  Sender sender(100e3);
  sender.run(net, 20);
  EXPECT_EQ(sender.budget.rate(), net::CongestionControl::kRateFirst);
  EXPECT_GT(net.delivered() / 20, 95e3);
}

TEST(CongestionControl, BearsALittleLossAndGivesWayToMuch) {
  Bottleneck little(10e6, 0.01, 20 * net::kMillisecond);
  Sender bears(20e6);
  bears.run(little, 10);
  EXPECT_GT(bears.budget.rate(), 5e6);

  Bottleneck much(10e6, 0.25, 20 * net::kMillisecond);
  Sender gives_way(20e6);
  gives_way.run(much, 10);
  EXPECT_EQ(gives_way.budget.rate(), net::CongestionControl::kRateMin);
}

TEST(CongestionControl, IsAlmostNothingIntoTheDarkAndComesBack) {
  Bottleneck net(2e6, 0, 20 * net::kMillisecond);
  Sender sender(20e6);
  sender.run(net, 10);
  net.set_dark(true);
  sender.run(net, 8);
  EXPECT_LT(sender.budget.rate(), 100e3);
  net.set_dark(false);
  sender.run(net, 5);
  EXPECT_GT(sender.budget.rate(), 0.5e6);
}

// At the first rate, a thousand clients that never acknowledge would cost a gigabyte per second.
TEST(CongestionControl, WhoNeverAcknowledgesIsSentTheLeastRate) {
  for (const net::Nanoseconds tick : {kTick, net::kSecond / 1000, net::kSecond / 4}) {
    SCOPED_TRACE(tick);
    Bottleneck dark(100e6, 0, 20 * net::kMillisecond);
    dark.set_dark(true);
    Sender sender(20e6, tick);
    sender.run(dark, 39);
    const double a_tick = net::CongestionControl::kRateFirst * static_cast<double>(tick) / 1e9;
    EXPECT_LT(sender.sent, 1.02 * (net::CongestionControl::kUnheardBytes +
                                   39 * net::CongestionControl::kRateMin) +
                               a_tick);
    EXPECT_GT(sender.sent, 39 * net::CongestionControl::kRateMin);
    EXPECT_EQ(sender.budget.rate(), net::CongestionControl::kRateMin);
  }
}

// A long round trip delays the first rate but does not lower it.
TEST(CongestionControl, ALongRoundTripIsNotSlowedForGood) {
  for (const net::Nanoseconds delay : {3 * net::kSecond, 6 * net::kSecond}) {
    SCOPED_TRACE(delay);
    Bottleneck far(10e6, 0, delay);
    Sender sender(0.9e6);
    sender.run(far, 1e-9 * static_cast<double>(delay) + 0.5);
    EXPECT_GE(sender.budget.rate(), net::CongestionControl::kRateFirst);
    const double before = far.delivered();
    sender.run(far, 30);
    EXPECT_GT(far.delivered() - before, 30 * 0.8e6);
  }
}

// In a round trip of 2.5 s, a small world needs fewer than kUnheardBytes. The sender therefore
// keeps the first rate until it hears from the client.
TEST(CongestionControl, AFewSecondsOfASmallWorldAreSentUnheard) {
  Bottleneck far(10e6, 0, 2500 * net::kMillisecond);
  Sender sender(100e3);
  for (int i = 0; i < 100; ++i) {
    sender.run(far, 0.1);
    ASSERT_EQ(sender.budget.rate(), net::CongestionControl::kRateFirst) << i;
  }
  EXPECT_GT(sender.sent, 10 * 95e3);
}

TEST(CongestionControl, NothingLeavesBeyondItsLimit) {
  for (const double limit : {net::CongestionControl::kRateMin, 100e3, 3e6}) {
    SCOPED_TRACE(limit);
    Bottleneck wide(100e6, 0, 20 * net::kMillisecond);
    Sender sender(50e6, kTick, limit);
    sender.run(wide, 20);
    for (int second = 0; second < 20; ++second) {
      const double before = sender.sent;
      sender.run(wide, 1);
      ASSERT_LE(sender.sent - before,
                limit + limit / 60 + 2 * net::CongestionControl::kDatagramBytes);
      ASSERT_GE(sender.sent - before, 0.9 * limit - 2 * net::CongestionControl::kDatagramBytes);
    }
  }
}

// A delay that rises once and then stays constant comes from a longer path, not from a queue.
// Congestion control accepts it after some seconds.
TEST(CongestionControl, TakesALongerPathForWhatItIs) {
  Sender sender(20e6);
  Bottleneck near(3e6, 0, 20 * net::kMillisecond);
  sender.run(near, 10);
  Bottleneck far(3e6, 0, 220 * net::kMillisecond);
  sender.run(far, 40);
  EXPECT_GT(sender.budget.rate(), 1e6);
}

// A client that acknowledges some messages and none of the rest, as one does that guesses, gets no
// higher rate. One that acknowledges its first messages one by one gets less and less.
TEST(CongestionControl, FewAcknowledgementsRaiseNothing) {
  for (const bool only_old : {false, true}) {
    SCOPED_TRACE(only_old);
    Bottleneck dark(100e6, 0, 20 * net::kMillisecond);
    dark.set_dark(true);
    Sender sender(50e6);
    for (std::uint32_t second = 1; second <= 20; ++second) {
      for (std::uint32_t part = 0; part < 10; ++part) {
        sender.run(dark, 0.1);
        const std::uint32_t ack = only_old ? 40 + second : sender.sequence;
        sender.path.acknowledged(ack, 0xffffffff, 0, sender.now);
      }
    }
    EXPECT_LE(sender.budget.rate(), only_old ? 1.1 * net::CongestionControl::kRateMin
                                             : net::CongestionControl::kRateFirst);
  }
}

// Negative control: a sender without congestion control fills the queue and loses most packets.
TEST(CongestionControl, WithoutOneTheQueueIsFull) {
  Bottleneck net(250e3, 0, 20 * net::kMillisecond);
  std::uint32_t sequence = 0;
  net::Nanoseconds now = net::kSecond;
  double sent = 0;
  for (int tick = 0; tick < 600; ++tick, now += kTick) {
    for (int i = 0; i < 13; ++i, sent += net::kPacketBytesMax + 48)
      net.send(++sequence, net::kPacketBytesMax, now);
  }
  EXPECT_GT(net.waiting(now), 150e3);
  EXPECT_LT(net.delivered(), 0.5 * sent);
}

}  // namespace
}  // namespace orrery
