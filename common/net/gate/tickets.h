// Remembers which resumption tickets are valid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/net/fixed_map.h"

namespace orrery::net {

// The valid tickets of all accounts. Tickets have numbers, and an account needs one entry however
// many tickets it gets: its tickets from a certain number on are valid. A ticket that was used or
// revoked, or that has no entry, never becomes valid again.
class Tickets {
 public:
  // REQUIRES: the environment outlives it.
  Tickets(std::uint32_t capacity, const NetEnvironment& environment)
      : accounts_(capacity, environment) {}

  // Makes another ticket valid, and returns its number. Returns nothing if there is no memory for
  // another account.
  std::optional<std::uint64_t> issue(std::uint64_t account, std::uint64_t expires) {
    Entry* entry = accounts_.find(account);
    if (!entry) entry = accounts_.insert(account, Entry{issued_ + 1, 0});
    if (!entry) return std::nullopt;
    ORRERY_ASSERT(entry->first <= issued_ + 1);
    entry->expires = std::max(entry->expires, expires);
    return ++issued_;
  }

  // Returns true if a ticket is valid. REQUIRES: the ticket has not expired.
  bool is_valid(std::uint64_t account, std::uint64_t number) const {
    const Entry* const entry = accounts_.find(account);
    return entry && number >= entry->first;
  }

  // Makes a ticket and all older ones of its account invalid. REQUIRES: the ticket was valid.
  void spend(std::uint64_t account, std::uint64_t number) {
    ORRERY_ASSERT(number >= 1 && number <= issued_);
    if (Entry* const entry = accounts_.find(account)) {
      entry->first = std::max(entry->first, number + 1);
    }
  }

  // Makes all tickets of an account invalid. Later tickets are valid.
  void revoke(std::uint64_t account) {
    if (accounts_.contains(account)) accounts_.erase(account);
  }

  // Forgets accounts whose tickets have all expired.
  void forget_expired(std::uint64_t unix_seconds) {
    accounts_.erase_if([&](const Entry& entry) { return entry.expires <= unix_seconds; });
  }

 private:
  struct Entry {
    std::uint64_t first = 0;    // lowest valid number
    std::uint64_t expires = 0;  // when the last ticket expires, in Unix seconds
  };

  FixedMap<std::uint64_t, Entry> accounts_;
  std::uint64_t issued_ = 0;  // number of tickets so far
};

}  // namespace orrery::net
