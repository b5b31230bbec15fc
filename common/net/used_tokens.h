// Owns the memory of which tokens have come.
#pragma once

#include <cstdint>

#include "common/net/fixed_map.h"

namespace orrery {

// A token connects from one address, and once: a second session under its keys would repeat nonces.
// Nothing is forgotten before it has expired; when the memory is full, new tokens are refused.
class UsedTokens {
 public:
  // The environment outlives it.
  UsedTokens(std::uint32_t capacity, const NetEnvironment& environment)
      : tokens_(capacity, environment) {}

  // A token, by the seal of its private part, has come from an address. False if it came from
  // another before, if it has made a session, or if there is no room to remember it.
  bool admit(const Seal& seal, const Address& from, std::uint64_t expires) {
    if (const Token* const token = tokens_.find(seal)) {
      return token->from == from && !token->consumed;
    }
    return tokens_.insert(seal, {from, expires, false}) != nullptr;
  }

  // It makes a session. It was admitted, and may have expired since.
  void consume(const Seal& seal) {
    if (Token* const token = tokens_.find(seal)) token->consumed = true;
  }

  // Whoever comes with a token that has expired is refused for that.
  void forget_expired(std::uint64_t unix_seconds) {
    tokens_.erase_if([&](const Token& token) { return token.expires <= unix_seconds; });
  }

  std::size_t size() const { return tokens_.size(); }

 private:
  struct Token {
    Address from;
    std::uint64_t expires = 0;  // Unix seconds
    bool consumed = false;
  };

  FixedMap<Seal, Token> tokens_;
};

}  // namespace orrery
