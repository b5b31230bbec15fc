// Stores equally long arrays of doubles in one allocation, aligned for vector code.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "common/core/assert.h"

namespace orrery::physics {

// `Count` arrays of `length` numbers each, 64-byte aligned and initially 0. Only the constructor
// allocates.
// REQUIRES: length is a multiple of 8; it may be 0.
template <std::size_t Count>
class AlignedArrays {
 public:
  explicit AlignedArrays(std::size_t length) {
    ORRERY_ASSERT(length % 8 == 0);  // keeps every array aligned like the first
    const std::size_t stride = length + kPaddingWords;
    const std::size_t words = length == 0 ? 0 : stride * Count;
    memory_.reset(static_cast<double*>(::operator new[](words * sizeof(double), kAlignment)));
    std::fill_n(memory_.get(), words, 0.0);
    for (std::size_t i = 0; i < Count; ++i) arrays_[i] = memory_.get() + (words / Count) * i;
  }

  double* operator[](std::size_t i) { return arrays_[i]; }
  const double* operator[](std::size_t i) const { return arrays_[i]; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  // Without padding, arrays of a power-of-two size would all start in the same cache set. Three
  // cache lines between them spread the starts.
  static constexpr std::size_t kPaddingWords = 24;

  struct AlignedDelete {
    void operator()(double* memory) const { ::operator delete[](memory, kAlignment); }
  };

  std::unique_ptr<double[], AlignedDelete> memory_;
  std::array<double*, Count> arrays_{};
};

}  // namespace orrery::physics
