// Sends reliable messages: cuts them into fragments and repeats those that are lost.
#include "common/net/channel/reliable_sender.h"

#include <algorithm>

#include "common/net/channel/ack_limits.h"
#include "common/net/packet/payload.h"

namespace orrery::net {
namespace {

// An unacknowledged fragment is sent again once the newest acknowledged sequence is at least this
// much higher than the sequence of the last datagram that carried it.
constexpr std::uint32_t kLostAfter = 3;

// Bytes that a fragment counts in the congestion window in addition to its data. They cover the
// head of the fragment, which has at most kFragmentHeadBytesMax bytes. Many small fragments
// therefore cannot exceed the window with their heads.
constexpr std::size_t kFragmentCost = 8;

// Minimum congestion window in bytes. It is so large that losses cannot stop a session with little
// data per tick.
constexpr std::size_t kAllowedMin = 16 * kFragmentBytesMax;

// While no acknowledgement arrives, the timeout doubles at most this many times. It never exceeds
// kWaitMax, because a long measured round trip may only show that one side was paused.
constexpr std::uint32_t kTimeoutsMax = 4;
constexpr Nanoseconds kWaitMax = kSecond;

std::size_t cost(std::size_t size) { return size + kFragmentCost; }

bool is_acknowledged(std::uint32_t sequence, std::uint32_t ack, std::uint32_t ack_bits) {
  if (is_later(sequence, ack)) return false;
  const std::uint32_t age = ack - sequence;
  return age == 0 || (age < kAckedMax && (ack_bits >> (age - 1) & 1) != 0);
}

bool is_overtaken(std::uint32_t sequence, std::uint32_t ack) {
  return !is_later(sequence, ack) && ack - sequence >= kLostAfter;
}

}  // namespace

ReliableSender::ReliableSender(std::uint32_t window)
    : slots_(window),
      congestion_window_(kAllowedMin),
      slow_start_threshold_(window * cost(kFragmentBytesMax)) {
  ORRERY_ASSERT(window >= 1 && window < 1u << 15);  // fragment numbers have 16 bits
}

void ReliableSender::send(SharedBytes message) {
  ORRERY_ASSERT(ready());
  ORRERY_ASSERT(message && !message->empty());
  ORRERY_ASSERT(message->size() < std::size_t{1} << 31);  // offsets have 32 bits
  message_ = std::move(message);
  offset_ = 0;
  cut();
}

// Cuts fragments from the message into the free slots.
void ReliableSender::cut() {
  while (message_ && next_ - first_ < slots_.size()) {
    ORRERY_ASSERT(offset_ < message_->size());
    const std::size_t size = std::min(kFragmentBytesMax, message_->size() - offset_);
    const bool last = offset_ + size == message_->size();
    slot(next_++) = {.message = message_,
                     .offset = static_cast<std::uint32_t>(offset_),
                     .size = static_cast<std::uint16_t>(size),
                     .last = last};
    offset_ += size;
    if (last) message_.reset();
  }
}

// Sends the oldest fragments first, so that lost ones precede new ones.
bool ReliableSender::append_due(std::size_t room, std::uint32_t sequence, Nanoseconds now,
                                std::vector<std::uint8_t>& out) {
  ORRERY_ASSERT(room >= kFragmentHeadBytesMax + kFragmentBytesMax);
  ORRERY_ASSERT(sequence != 0);
  const std::size_t begin = out.size();
  for (std::uint32_t number = first_; number != next_; ++number) {
    Slot& s = slot(number);
    if (s.state != State::due) continue;
    const std::size_t used = out.size() - begin;
    if (used + kFragmentHeadBytesMax + s.size > room) break;
    if (in_flight_ + cost(s.size) > congestion_window_) break;
    encode_fragment({.number = static_cast<std::uint16_t>(number),
                     .last = s.last,
                     .bytes = Bytes(*s.message).subspan(s.offset, s.size)},
                    out);
    s.state = State::on_its_way;
    std::shift_right(s.sequences.begin(), s.sequences.end(), 1);
    s.sequences[0] = sequence;
    s.sent_at = now;
    in_flight_ += cost(s.size);
    last_sequence_ = sequence;
  }
  return out.size() > begin;
}

void ReliableSender::acknowledged(std::uint32_t ack, std::uint32_t ack_bits) {
  if (ack == 0) return;
  for (std::uint32_t number = first_; number != next_; ++number) {
    Slot& s = slot(number);
    if (s.state == State::arrived || s.sequences[0] == 0) continue;
    const bool arrived = std::any_of(s.sequences.begin(), s.sequences.end(), [&](auto sequence) {
      return sequence != 0 && is_acknowledged(sequence, ack, ack_bits);
    });
    if (arrived) {
      arrive(s);
    } else if (s.state == State::on_its_way && is_overtaken(s.sequences[0], ack)) {
      lose(s);
    }
  }
  while (first_ != next_ && slot(first_).state == State::arrived) ++first_;
  ORRERY_ASSERT(next_ - first_ <= slots_.size());
  cut();
}

void ReliableSender::land(std::size_t bytes) {
  ORRERY_ASSERT(bytes <= in_flight_);
  in_flight_ -= bytes;
}

// The fragment may be due again instead of in flight. In this case an earlier datagram that carried
// the fragment has arrived after all.
void ReliableSender::arrive(Slot& s) {
  ORRERY_ASSERT(s.state != State::arrived);
  const std::size_t bytes = cost(s.size);
  if (s.state == State::on_its_way) land(bytes);
  s.state = State::arrived;
  s.message.reset();
  timeouts_ = 0;
  const bool slow_start = congestion_window_ < slow_start_threshold_;
  congestion_window_ += slow_start ? bytes : bytes * kFragmentBytesMax / congestion_window_;
  congestion_window_ = std::min(congestion_window_, slots_.size() * cost(kFragmentBytesMax));
}

// A loss decreases the congestion window, but not if the lost datagram was sent before the last
// such decrease.
void ReliableSender::lose(Slot& s) {
  ORRERY_ASSERT(s.state == State::on_its_way);
  s.state = State::due;
  land(cost(s.size));
  if (decreased_at_ != 0 && !is_later(s.sequences[0], decreased_at_)) return;
  decreased_at_ = last_sequence_;
  congestion_window_ = std::max(kAllowedMin, congestion_window_ / 4 * 3);
  slow_start_threshold_ = congestion_window_;
}

void ReliableSender::update(const PathEstimator& path, Nanoseconds now) {
  const Nanoseconds after = std::min(kWaitMax, path.resend_after() << timeouts_);
  bool waited = false;
  for (std::uint32_t number = first_; number != next_; ++number) {
    Slot& s = slot(number);
    if (s.state != State::on_its_way || now - s.sent_at <= after) continue;
    s.state = State::due;
    land(cost(s.size));
    waited = true;
  }
  if (!waited) return;
  timeouts_ = std::min(timeouts_ + 1, kTimeoutsMax);
  slow_start_threshold_ = std::max(kAllowedMin, congestion_window_ / 2);
  congestion_window_ = kAllowedMin;
}

}  // namespace orrery::net
