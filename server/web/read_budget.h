// Limits the bytes that connections may send to the server in a short time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/net/environment.h"

namespace orrery::server::web {

// Limits the bytes that are read in each window of 10 ms. A read that exceeds the budget of its
// window uses up the budgets of the next windows.
class ReadBudget {
 public:
  static constexpr net::Nanoseconds kWindow = 10 * net::kMillisecond;

  explicit ReadBudget(std::size_t bytes)
      : bytes_(static_cast<std::int64_t>(bytes)), left_(bytes_) {}

  // Returns the bytes that may still be read in the window of `now`.
  std::size_t room(net::Nanoseconds now) {
    const net::Nanoseconds windows = (now - window_) / kWindow;
    if (windows > 0) {
      window_ = now;
      left_ = std::min(bytes_, left_ + bytes_ * static_cast<std::int64_t>(windows));
    }
    return static_cast<std::size_t>(std::max<std::int64_t>(left_, 0));
  }
  // Takes bytes that were read.
  void spend(std::size_t bytes) { left_ -= static_cast<std::int64_t>(bytes); }

 private:
  const std::int64_t bytes_;
  std::int64_t left_;
  net::Nanoseconds window_ = 0;
};

}  // namespace orrery::server::web
