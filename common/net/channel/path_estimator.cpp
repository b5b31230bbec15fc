// Estimates round-trip time, jitter, loss and the largest datagram of a path from acknowledgements.
#include "common/net/channel/path_estimator.h"

#include <algorithm>

#include "common/core/assert.h"
#include "common/net/channel/ack_limits.h"
#include "common/net/packet/payload.h"
#include "common/net/timing.h"

namespace orrery::net {
namespace {

constexpr double kLossWeight = 1.0 / 64;

constexpr Nanoseconds kResendFirst = 500 * kMillisecond;  // before the first measurement
constexpr Nanoseconds kResendMin = 100 * kMillisecond;

}  // namespace

void PathEstimator::sent(std::uint32_t sequence, Nanoseconds now) {
  ORRERY_ASSERT(sequence != 0);
  const SendTime& last = departures_[(departed_ + kDepartures - 1) % kDepartures];
  ORRERY_ASSERT(departed_ == 0 || now >= last.at);
  if (departed_ > 0 && now - last.at < kSpacing) return;
  departures_[departed_++ % kDepartures] = {sequence, now};
}

void PathEstimator::acknowledged(std::uint32_t ack, std::uint32_t ack_bits, std::uint64_t skipped,
                                 Nanoseconds now) {
  if (ack == 0 || (newest_ != 0 && !is_later(ack, newest_))) return;
  newest_ = ack;
  measure(ack, now);
  count_losses(ack, ack_bits, skipped);
  datagrams_.acknowledged(ack, ack_bits, now);
}

void PathEstimator::change(std::uint32_t last) {
  ORRERY_ASSERT(newest_ == 0 || !is_later(newest_, last));
  settled_ = last;
  departed_ = 0;
  round_trip_ = 0;
  jitter_ = 0;
  account_ = {};
  datagrams_.restart();
}

// The message may have left before the oldest known departure. That departure then gives the
// sample, so that late acknowledgements still show that they are late.
void PathEstimator::measure(std::uint32_t ack, Nanoseconds now) {
  const std::size_t known = std::min(departed_, kDepartures);
  for (std::size_t back = 1; back <= known; ++back) {
    const SendTime& departure = departures_[(departed_ - back) % kDepartures];
    if (is_later(departure.first, ack) && back < known) continue;
    ORRERY_ASSERT(departure.at <= now);
    if (!is_later(departure.first, ack)) newest_departure_ = departure.at;
    const Nanoseconds sample = std::max<Nanoseconds>(1, now - departure.at);
    account_.add({0, 0, sample});
    if (round_trip_ == 0) {
      round_trip_ = sample;
      jitter_ = sample / 2;
      return;
    }
    const Nanoseconds deviation =
        sample > round_trip_ ? sample - round_trip_ : round_trip_ - sample;
    jitter_ = (3 * jitter_ + deviation) / 4;
    round_trip_ = std::max<Nanoseconds>(1, (7 * round_trip_ + sample) / 8);
    return;
  }
}

// Settles messages and counts the lost ones. Counts each message once, or never if no received
// header covers it.
void PathEstimator::count_losses(std::uint32_t ack, std::uint32_t ack_bits, std::uint64_t skipped) {
  for (std::uint32_t age = kAckedMax - 1; age >= kOvertaken; --age) {
    const std::uint32_t sequence = ack - age;
    if (!is_later(sequence, settled_) || is_later(sequence, ack)) continue;
    settled_ = sequence;
    if ((skipped >> age & 1) != 0) continue;
    const bool came = (ack_bits >> (age - 1) & 1) != 0;
    account_.add({1, came ? 0u : 1u, 0});
    loss_ += ((came ? 0.0 : 1.0) - loss_) * kLossWeight;
  }
  ORRERY_ASSERT(loss_ >= 0 && loss_ <= 1);
}

Nanoseconds PathEstimator::resend_after() const {
  if (round_trip_ == 0) return kResendFirst;
  return std::max(kResendMin, round_trip_ + 4 * jitter_) + kAckInterval;
}

}  // namespace orrery::net
