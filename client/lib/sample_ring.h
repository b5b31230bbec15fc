// The newest states of a body, oldest first.
#pragma once

#include <cstddef>
#include <vector>

#include "client/lib/path_piece.h"
#include "common/core/assert.h"

namespace orrery::client {

// A ring of samples, ascending by tick. It takes memory for the samples that have come.
class SampleRing {
 public:
  static constexpr std::size_t kSamples = 16;

  // Returns the number of samples.
  std::size_t size() const { return ring_.size(); }
  // Returns sample `i`, from the oldest on. REQUIRES: i < size().
  const Sample& operator[](std::size_t i) const { return ring_[(oldest_ + i) % kSamples]; }
  // Returns the newest sample. REQUIRES: there is one.
  const Sample& back() const { return (*this)[size() - 1]; }

  // Adds a sample in its place, and forgets the oldest if there is no room. Does nothing if there
  // is one of the same tick, or if there is no room and all are newer.
  void insert(const Sample& sample) {
    std::size_t at = size();
    while (at > 0 && (*this)[at - 1].tick > sample.tick) --at;
    if (at > 0 && (*this)[at - 1].tick == sample.tick) return;
    if (size() == kSamples) {
      if (at == 0) return;
      oldest_ = (oldest_ + 1) % kSamples;  // its place becomes that of the newest
      --at;
    } else {
      ring_.push_back(sample);
    }
    for (std::size_t i = size() - 1; i > at; --i) place(i) = place(i - 1);
    place(at) = sample;
  }

 private:
  Sample& place(std::size_t i) { return ring_[(oldest_ + i) % kSamples]; }

  std::vector<Sample> ring_;
  std::size_t oldest_ = 0;  // 0 until the ring is full
};

}  // namespace orrery::client
