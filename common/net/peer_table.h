// Owns the finding of a peer by its address: a flat table with open addressing.
#pragma once

#include <cstdint>
#include <vector>

#include "common/net/environment.h"

namespace orrery {

// Maps addresses to slot numbers; holds at most `capacity` and never allocates after construction.
// The seed keeps senders from choosing addresses that collide.
class PeerTable {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  PeerTable(std::uint32_t capacity, std::uint64_t seed);

  // The slot of an address, or kNone.
  std::uint32_t find(const Address& address) const;
  // The address is not in the table, and there is room.
  void insert(const Address& address, std::uint32_t slot);
  // The address is in the table.
  void erase(const Address& address);

 private:
  struct Entry {
    Address address;
    std::uint32_t slot = kNone;
  };

  std::size_t home(const Address& address) const;
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }
  // Where the address is, or the free entry where it would be.
  std::size_t locate(const Address& address) const;

  std::vector<Entry> entries_;  // a power of two, at least twice the capacity
  std::uint32_t capacity_;
  std::uint32_t size_ = 0;
  std::uint64_t seed_;
};

}  // namespace orrery
