// Remembers which tokens have made a connection.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/net/fixed_map.h"

namespace orrery::net {

// The set of tokens that made a connection. A token may make only one: a second connection under
// its keys would repeat nonces. A token is forgotten only after it expired. When the set is full,
// nobody can connect.
class UsedTokens {
 public:
  // REQUIRES: the environment outlives it.
  UsedTokens(std::uint32_t capacity, const NetEnvironment& environment)
      : tokens_(capacity, environment), capacity_(capacity) {}

  // Returns true if the token with this seal is in the set. Also returns true for every token that
  // expires no later than a forgotten one. Otherwise a forgotten token could be used again after
  // the clock was set back.
  bool contains(const Seal& seal, std::uint64_t expires) {
    return expires <= forgotten_ || tokens_.find(seal) != nullptr;
  }

  // Returns true if insert() has no room.
  bool is_full() const { return tokens_.size() == capacity_; }

  // Marks a token as used. REQUIRES: !is_full().
  void insert(const Seal& seal, std::uint64_t expires) {
    ORRERY_ASSERT(!is_full());
    tokens_.insert(seal, expires);
  }

  // Forgets expired tokens. The gate refuses expired tokens anyway.
  void forget_expired(std::uint64_t unix_seconds) {
    tokens_.erase_if([&](std::uint64_t expires) {
      if (expires > unix_seconds) return false;
      forgotten_ = std::max(forgotten_, expires);
      return true;
    });
  }

 private:
  FixedMap<Seal, std::uint64_t> tokens_;  // value: expiry in Unix seconds
  const std::uint32_t capacity_;
  std::uint64_t forgotten_ = 0;  // latest expiry of a forgotten token
};

}  // namespace orrery::net
