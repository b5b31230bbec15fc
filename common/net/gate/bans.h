// The client ids that a server refuses until its session ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace orrery::net {

// A set of at most kMax client ids of tokens.
class Bans {
 public:
  static constexpr std::size_t kMax = 65'536;

  // Adds a client id. Does nothing if the set is full.
  void add(std::uint64_t client_id) {
    const auto place = std::lower_bound(ids_.begin(), ids_.end(), client_id);
    const bool known = place != ids_.end() && *place == client_id;
    if (!known && ids_.size() < kMax) ids_.insert(place, client_id);
  }
  // Returns true if the client id was added.
  bool contains(std::uint64_t client_id) const {
    return std::binary_search(ids_.begin(), ids_.end(), client_id);
  }

 private:
  std::vector<std::uint64_t> ids_;  // ascending
};

}  // namespace orrery::net
