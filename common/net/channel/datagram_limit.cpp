// Finds out whether a path drops large datagrams without a word, by the acknowledgements.
#include "common/net/channel/datagram_limit.h"

#include <numeric>

#include "common/net/channel/ack_limits.h"
#include "common/net/packet/payload.h"

namespace orrery::net {

void DatagramLimit::sent(std::uint32_t sequence, std::size_t packet_bytes, Nanoseconds now) {
  ORRERY_ASSERT(is_later(sequence, last_) && packet_bytes <= kPacketBytesMax);
  const std::size_t size = class_of(packet_bytes);
  for (++last_; last_ != sequence && sequence - last_ < kKnown; ++last_) {
    classes_[last_ % kKnown] = kSkipped;
  }
  last_ = sequence;
  if (drops_larger_) return;
  classes_[sequence % kKnown] = static_cast<std::uint8_t>(size);
  if (size == 0) {
    small_at_ = now;
    return;
  }
  if (!trial_.runs) {
    trial_ = {.runs = true, .first = sequence, .settled = sequence - 1, .since = now};
  }
  trial_.largest_sent = std::max(trial_.largest_sent, size);
}

void DatagramLimit::acknowledged(std::uint32_t ack, std::uint32_t ack_bits, Nanoseconds now) {
  if (ack == 0 || drops_larger_) return;
  for (std::uint32_t age = kAckedMax; age-- > 0 && trial_.runs;) {
    const std::uint32_t sequence = ack - age;
    const bool is_known = !is_later(trial_.first, sequence) && last_ - sequence < kKnown;
    if (!is_known) continue;
    const bool arrived = age == 0 || (ack_bits >> (age - 1) & 1) != 0;
    const std::size_t size = classes_[sequence % kKnown];
    if (size == kSkipped) continue;
    if (arrived) {
      trial_.largest_arrived = std::max(trial_.largest_arrived, size);
      trial_.runs = size < trial_.largest_sent;
    }
    if (age < kOvertaken || !is_later(sequence, trial_.settled)) continue;
    trial_.settled = sequence;
    if (!arrived) ++trial_.lost[size];
    if (arrived && size == 0) ++trial_.small_arrived;
  }
  if (!trial_.runs || !shows_drops(now)) return;
  bytes_max_ = std::min(bytes_max_, kDatagramBytesMin);
  drops_larger_ = true;
  trial_.runs = false;
}

// Returns true if the trial shows that the path drops larger packets than those that arrived.
bool DatagramLimit::shows_drops(Nanoseconds now) const {
  const auto larger = trial_.lost.begin() + 1 + static_cast<std::ptrdiff_t>(trial_.largest_arrived);
  return now - trial_.since >= kLostFor &&
         std::accumulate(larger, trial_.lost.end(), 0u) >= kLostMax &&
         trial_.small_arrived >= std::max(kArrivedMin, trial_.lost[0]);
}

}  // namespace orrery::net
