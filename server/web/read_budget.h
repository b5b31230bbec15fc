// Limits the bytes that connections may send to the server in a short time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/net/environment.h"

namespace orrery::server::web {

// Bytes that may be read in each window of 10 ms.
class ReadBudget {
 public:
  static constexpr net::Nanoseconds kWindow = 10 * net::kMillisecond;

  explicit ReadBudget(std::size_t bytes) : bytes_(bytes), left_(bytes) {}

  // Returns the bytes that may still be read in the window of `now`.
  std::size_t room(net::Nanoseconds now) {
    if (now - window_ >= kWindow) {
      window_ = now;
      left_ = bytes_;
    }
    return left_;
  }
  // Takes bytes that were read.
  void spend(std::size_t bytes) { left_ -= std::min(left_, bytes); }

 private:
  const std::size_t bytes_;
  std::size_t left_;
  net::Nanoseconds window_ = 0;
};

}  // namespace orrery::server::web
