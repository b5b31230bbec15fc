// Limits how fast a server sends to a client: congestion control by loss, delay and silence.
#include "common/net/channel/congestion_control.h"

#include <algorithm>

namespace orrery::net {
namespace {

// --- Constants of the table in congestion_control.h ---
//
// A judgement decides whether the rate changes. It waits for kJudgeInterval plus a round trip after
// the last judgement, so that the effect of the last change is measured. It also needs kSettledMin
// messages that are known to have arrived or to be lost. After kSilence it no longer needs these
// messages.
constexpr Nanoseconds kJudgeInterval = 200 * kMillisecond;
constexpr std::uint32_t kSettledMin = 16;
constexpr Nanoseconds kSilence = kSecond;

// Shares of the messages: loss above kLossHigh lowers the rate, loss up to kLossLow lets it grow.
constexpr double kLossHigh = 0.10;
constexpr double kLossLow = 0.02;
// Time in a queue: above kDelayHigh lowers the rate, below kDelayLow lets it grow.
constexpr Nanoseconds kDelayHigh = 60 * kMillisecond;
constexpr Nanoseconds kDelayLow = 30 * kMillisecond;
// A delay that is still high after kUnmovedMax judgements comes from a longer path, not from our
// data in a queue. A delay that is not high also counts as part of the path once it has lasted for
// two times kPeriod.
constexpr std::uint32_t kUnmovedMax = 3;
constexpr Nanoseconds kPeriod = 10 * kSecond;

// Factors of the rate.
constexpr double kGrowFast = 1.5;
constexpr double kGrowSlow = 1.05;
constexpr double kShrink = 0.85;
constexpr double kShrinkSilent = 0.5;
// Judgements to ignore after a silence. They report the messages that were lost during the silence,
// which say nothing about the path as it is now.
constexpr std::uint32_t kForgives = 2;

static_assert(kLossLow < kLossHigh && kDelayLow < kDelayHigh);
static_assert(kShrinkSilent < kShrink && kShrink < 1 && 1 < kGrowSlow && kGrowSlow < kGrowFast);
static_assert(kJudgeInterval < kSilence && kSilence < kPeriod);

}  // namespace

CongestionControl::CongestionControl(double rate_max)
    : rate_(std::min(kRateFirst, rate_max)), rate_max_(rate_max) {
  ORRERY_ASSERT(rate_max >= kRateMin && rate_max <= kRateMax);
}

void CongestionControl::spend(std::size_t bytes) {
  ORRERY_ASSERT(bytes >= 1 && bytes <= kPacketBytesMax + kPiecesAdd);
  const double all = static_cast<double>(bytes) + (kDatagramBytes - kPacketBytesMax);
  room_ -= all;
  since_.spent += all;
  ++since_.packets;
  if (!has_acknowledged_) sent_before_ack_ += all;
}

void CongestionControl::refill(const AckSummary& account, Nanoseconds interval, Nanoseconds now) {
  ORRERY_ASSERT(interval >= 1 && now >= judged_);
  if (judged_ == 0) judged_ = period_began_ = now;
  since_.account.add(account);
  has_acknowledged_ = has_acknowledged_ || account.settled > 0;
  // Datagrams are not all full, so a part of the grant usually remains. The grant counts as used up
  // if the rest is smaller than a quarter of the grant plus one datagram.
  since_.used_up = since_.used_up || (allowance_ > 0 && room_ < kDatagramBytes + allowance_ / 4);
  const Nanoseconds elapsed = now - judged_;
  const Nanoseconds shown = kJudgeInterval + since_.account.least_round_trip;
  const bool told_enough = since_.account.settled >= kSettledMin && elapsed >= shown;
  if (told_enough || elapsed >= std::max(kSilence, shown)) adapt(elapsed, now);
  ORRERY_ASSERT(rate_ >= kRateMin && rate_ <= rate_max_);
  allowance_ = rate() * static_cast<double>(interval) / static_cast<double>(kSecond);
  room_ = std::clamp(room_, -allowance_, kDatagramBytes) + allowance_;
  reliable_ = std::min(reliable_, kDatagramBytes) + allowance_ / 2;
}

void CongestionControl::adapt(Nanoseconds elapsed, Nanoseconds now) {
  ORRERY_ASSERT(elapsed >= 1 && since_.account.lost <= since_.account.settled);
  const Nanoseconds before = delayed_;
  delayed_ = grown_delay(now);
  // With few messages, one or two losses are chance.
  const double settled = since_.account.settled;
  const bool much_lost = since_.account.lost > kLossHigh * settled + 2;
  const bool little_lost = since_.account.lost <= kLossLow * settled + 1;
  const bool most_settled = 2 * settled >= since_.packets;
  // A queue needs time to drain, so a delay that shrinks is no reason to cut the rate again.
  const bool waits = delayed_ > kDelayHigh && delayed_ > before - before / 10;
  high_delay_count_ = waits ? high_delay_count_ + 1 : 0;
  if (since_.account.settled == 0) {
    if (has_acknowledged_) rate_ = std::max(kRateMin, kShrinkSilent * rate_);
    if (has_acknowledged_) ignored_judgements_ = kForgives;
  } else if (ignored_judgements_ > 0) {
    --ignored_judgements_;
  } else if (high_delay_count_ > kUnmovedMax) {
    least_ = since_.account.least_round_trip;
    least_before_ = 0;
    delayed_ = 0;
    high_delay_count_ = 0;
  } else if (much_lost || waits) {
    shrink(since_.account.lost / settled, delayed_ - std::min(before, delayed_), elapsed);
  } else if (most_settled && since_.used_up && little_lost && delayed_ < kDelayLow) {
    rate_ = rate_ < ceiling_ ? std::min(kGrowFast * rate_, ceiling_)
                             : std::min(kGrowSlow * rate_, kRateMax);
    rate_ = std::min(rate_, rate_max_);
  }
  since_ = {};
  judged_ = now;
}

// Cuts the rate to 85 % of the rate at which data arrived, or of the old rate if that is lower. The
// rate stays at least kRateMin. Data that did not arrive was lost, or waits in a queue. The share
// that waits is the growth of the delay divided by the elapsed time.
void CongestionControl::shrink(double loss, Nanoseconds grown, Nanoseconds elapsed) {
  ORRERY_ASSERT(elapsed >= 1);
  const double seconds = static_cast<double>(elapsed) / static_cast<double>(kSecond);
  const double waits = static_cast<double>(std::min(grown, elapsed)) / static_cast<double>(elapsed);
  const double came = since_.spent / seconds * (1 - std::max(loss, waits));
  rate_ = std::max(kRateMin, kShrink * std::min(rate_, came));
  ceiling_ = rate_;
}

// Returns the time spent in queues. The least round trip since the last judgement is free of
// jitter. Its excess over the least round trip of the current and the previous kPeriod is time in a
// queue. Returns the last value if nothing was measured.
Nanoseconds CongestionControl::grown_delay(Nanoseconds now) {
  const Nanoseconds trip = since_.account.least_round_trip;
  if (trip == 0) return delayed_;
  if (now - period_began_ >= kPeriod) {
    least_before_ = least_;
    least_ = trip;
    period_began_ = now;
  }
  least_ = least_ == 0 ? trip : std::min(least_, trip);
  const Nanoseconds path = least_before_ == 0 ? least_ : std::min(least_, least_before_);
  return trip - std::min(trip, path);
}

}  // namespace orrery::net
