// Simulates a bad network: seeded loss, delay, duplication, reordering and damage.
#include "common/net/faulty_path.h"

#include <algorithm>

namespace orrery::net {
namespace {

// Maximum time that a datagram queues on a path with a limited rate. Router buffers hold about this
// much.
constexpr Nanoseconds kWaitMax = 200 * kMillisecond;

// Bytes of UDP and IPv4 headers.
constexpr std::size_t kHeaderBytes = 28;

constexpr std::uint32_t kFlipsMax = 8;

}  // namespace

Datagram* DatagramQueue::put(Nanoseconds due, const Address& from, const Address& to, Bytes bytes) {
  if (entries_.size() == capacity_) return nullptr;
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(cells_.size()));
    cells_.emplace_back();
  }
  const std::uint32_t cell = free_.back();
  free_.pop_back();
  Datagram& datagram = cells_[cell];
  datagram.from = from;
  datagram.to = to;
  datagram.damaged = false;
  datagram.bytes.assign(bytes.begin(), bytes.end());
  ORRERY_ASSERT(entries_.size() + free_.size() + 1 == cells_.size());  // a cell is queued or free
  entries_.push_back({due, order_++, cell});
  std::push_heap(entries_.begin(), entries_.end(), comes_after);
  return &datagram;
}

const Datagram* DatagramQueue::take(Nanoseconds now) {
  if (entries_.empty() || entries_.front().due > now) return nullptr;
  std::pop_heap(entries_.begin(), entries_.end(), comes_after);
  const std::uint32_t cell = entries_.back().cell;
  entries_.pop_back();
  ORRERY_ASSERT(cell < cells_.size());
  free_.push_back(cell);
  return &cells_[cell];
}

std::optional<Nanoseconds> DatagramQueue::next_due() const {
  if (entries_.empty()) return std::nullopt;
  return entries_.front().due;
}

void FaultyPath::send(const Address& from, const Address& to, Bytes datagram, Nanoseconds now,
                      DatagramQueue& queue) {
  ++counters_.sent;
  if (faults_.bytes_max != 0 && datagram.size() > faults_.bytes_max) {
    ++counters_.too_large;
    return;
  }
  if (happens(faults_.loss)) {
    ++counters_.lost;
    return;
  }
  carry(from, to, datagram, now, queue);
  if (!happens(faults_.duplicate)) return;
  ++counters_.duplicated;
  carry(from, to, datagram, now, queue);
}

void FaultyPath::carry(const Address& from, const Address& to, Bytes datagram, Nanoseconds now,
                       DatagramQueue& queue) {
  const std::optional<Nanoseconds> due = arrival(datagram.size(), now);
  Datagram* const carried = due ? queue.put(*due, from, to, datagram) : nullptr;
  if (!carried) {
    ++counters_.no_room;
  } else if (happens(faults_.corrupt)) {
    ++counters_.corrupted;
    damage(*carried);
  }
}

// Returns the arrival time of a datagram sent at `now`, or nothing if it would queue for longer
// than kWaitMax.
std::optional<Nanoseconds> FaultyPath::arrival(std::size_t size, Nanoseconds now) {
  Nanoseconds at = now;
  if (faults_.bytes_per_second > 0) {
    const Nanoseconds start = std::max(now, busy_until_);
    if (start - now > kWaitMax) return std::nullopt;
    busy_until_ = start + (size + kHeaderBytes) * kSecond / faults_.bytes_per_second;
    at = busy_until_;
  }
  if (happens(faults_.reorder)) {
    ++counters_.reordered;
  } else {
    at += faults_.delay;
    if (faults_.jitter > 0) at += random_.next() % faults_.jitter;
  }
  return std::max(at, clogged_until_);
}

// Bit flips can cancel each other; then the datagram is undamaged.
void FaultyPath::damage(Datagram& datagram) {
  std::vector<std::uint8_t>& bytes = datagram.bytes;
  if (bytes.empty()) return;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  if (random_.below(4) == 0) {
    bytes.resize(random_.below(size));
    datagram.damaged = true;
    return;
  }
  const std::vector<std::uint8_t> before = bytes;
  const std::uint32_t flips = 1 + random_.below(kFlipsMax);
  for (std::uint32_t i = 0; i < flips; ++i) {
    const std::uint32_t bit = random_.below(8 * size);
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ 1u << bit % 8);
  }
  datagram.damaged = bytes != before;
}

}  // namespace orrery::net
