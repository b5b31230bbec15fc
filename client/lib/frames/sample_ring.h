// The newest states of a body, oldest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/codec/snapshot_codec.h"
#include "common/core/assert.h"

namespace orrery::client {

// Returns the tick of a state, for sums with fractions of ticks.
inline double tick_of(const codec::BodyState& state) {
  return static_cast<double>(state.tick.value);
}

// A ring of states (samples), ascending by tick. There may be a ring for each of a million bodies,
// so it is small, and grows as samples arrive.
class SampleRing {
 public:
  static constexpr std::size_t kSamples = 16;

  // Returns the number of samples.
  std::size_t size() const { return size_; }
  // Returns sample `i`, from the oldest on. REQUIRES: i < size().
  const codec::BodyState& operator[](std::size_t i) const {
    return ring_[(oldest_ + i) % kSamples];
  }
  // Returns the newest sample. REQUIRES: there is one.
  const codec::BodyState& back() const { return (*this)[size_ - 1u]; }

  // Inserts a sample by its tick, and forgets the oldest sample if there is no room. Returns false
  // and does nothing in two cases: a sample of the same tick exists, or there is no room and all
  // samples are newer. Compares ticks as doubles, because the times of frames are doubles.
  bool insert(const codec::BodyState& sample) {
    std::size_t at = size_;
    while (at > 0 && tick_of((*this)[at - 1]) > tick_of(sample)) --at;
    if (at > 0 && tick_of((*this)[at - 1]) == tick_of(sample)) return false;
    if (size_ == kSamples) {
      if (at == 0) return false;
      oldest_ = (oldest_ + 1) % kSamples;  // the slot of the oldest becomes the slot of the newest
      --at;
    } else {
      if (size_ == capacity_) grow();
      ++size_;
    }
    for (std::size_t i = size_ - 1u; i > at; --i) place(i) = place(i - 1);
    place(at) = sample;
    return true;
  }

 private:
  codec::BodyState& place(std::size_t i) { return ring_[(oldest_ + i) % kSamples]; }

  // Doubles the capacity. The oldest sample is still at index 0: it moves only when the ring has
  // kSamples samples.
  void grow() {
    ORRERY_ASSERT(capacity_ < kSamples && oldest_ == 0);
    const auto capacity = static_cast<std::uint8_t>(std::max(1, 2 * capacity_));
    auto larger = std::make_unique<codec::BodyState[]>(capacity);
    std::copy_n(ring_.get(), size_, larger.get());
    ring_ = std::move(larger);
    capacity_ = capacity;
  }

  std::unique_ptr<codec::BodyState[]> ring_;
  std::uint8_t capacity_ = 0;  // of `ring_`: a power of two up to kSamples
  std::uint8_t size_ = 0;
  std::uint8_t oldest_ = 0;  // 0 until the ring is full
};

}  // namespace orrery::client
