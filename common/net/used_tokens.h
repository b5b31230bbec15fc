// Owns the memory of which tokens have made a session.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/net/fixed_map.h"

namespace orrery {

// A token makes one session: a second one under its keys would repeat nonces. Nothing is forgotten
// before it has expired; when the memory is full, nobody gets in.
class UsedTokens {
 public:
  // The environment outlives it.
  UsedTokens(std::uint32_t capacity, const NetEnvironment& environment)
      : tokens_(capacity, environment), capacity_(capacity) {}

  // Whether a token, by the seal of its private part, has made a session, for all that is known: of
  // those that expire no later than one that was forgotten nothing is, should the clock be set
  // back.
  bool contains(const Seal& seal, std::uint64_t expires) {
    return expires <= forgotten_ || tokens_.find(seal) != nullptr;
  }

  bool is_full() const { return tokens_.size() == capacity_; }

  // The token makes a session. There is room.
  void insert(const Seal& seal, std::uint64_t expires) {
    ORRERY_ASSERT(!is_full());
    tokens_.insert(seal, expires);
  }

  // Whoever comes with a token that has expired is refused for that.
  void forget_expired(std::uint64_t unix_seconds) {
    tokens_.erase_if([&](std::uint64_t expires) {
      if (expires > unix_seconds) return false;
      forgotten_ = std::max(forgotten_, expires);
      return true;
    });
  }

 private:
  FixedMap<Seal, std::uint64_t> tokens_;  // when they expire, in Unix seconds
  const std::uint32_t capacity_;
  std::uint64_t forgotten_ = 0;  // the last to expire of those that were
};

}  // namespace orrery
