// Decides to which address of a server a client sends next, and for how long.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "common/net/environment.h"

namespace orrery::net {

// The search of a client for an address that answers. It tries the addresses of a token in turn,
// and returns to those that did not answer. Each try has another route. The first round gives
// each address kTryFirst. Each later round gives it twice the time, up to a limit, so that the
// answer of a distant server arrives in time.
class PathSearch {
 public:
  static constexpr Nanoseconds kTryFirst = kSecond / 2;

  // Starts with the address of number `first`. `try_max`: time of the longest try. REQUIRES: there
  // is at least one address; first < servers.size().
  PathSearch(const AddressList& servers, std::size_t first, Nanoseconds try_max,
             NetEnvironment& environment, Nanoseconds now)
      : servers_(servers), first_(first), at_(first), try_max_(try_max) {
    ORRERY_ASSERT(first < servers.size());
    begin(environment, now);
  }

  // Return the address and the route of the present try.
  const Address& server() const { return servers_.span()[at_]; }
  std::uint32_t route() const { return route_; }
  // Returns true if the time of the present try is over.
  bool is_over(Nanoseconds now) const { return now - began_ >= time_; }

  // Tries the next address that was not excluded. REQUIRES: left() > 0.
  void next(NetEnvironment& environment, Nanoseconds now) {
    ORRERY_ASSERT(left() > 0);
    do {
      at_ = (at_ + 1) % servers_.size();
      if (at_ == first_) time_ = std::min(2 * time_, try_max_);
    } while (excluded_.test(at_));
    begin(environment, now);
  }
  // Starts the time of the present try again: the address has answered.
  void extend(Nanoseconds now) { began_ = now; }
  // Excludes the present address from the next tries.
  void exclude() { excluded_.set(at_); }
  // Returns the number of addresses that were not excluded.
  std::size_t left() const { return servers_.size() - excluded_.count(); }

 private:
  void begin(NetEnvironment& environment, Nanoseconds now) {
    route_ = environment.open_route();
    began_ = now;
    ORRERY_ASSERT(!excluded_.test(at_));
  }

  AddressList servers_;
  std::size_t first_ = 0;
  std::size_t at_ = 0;
  std::bitset<AddressList::kMax> excluded_;
  Nanoseconds try_max_ = 0;
  Nanoseconds time_ = kTryFirst;  // of a try in this round
  Nanoseconds began_ = 0;
  std::uint32_t route_ = 0;
};

}  // namespace orrery::net
