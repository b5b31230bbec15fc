// Owns linear probing, and removal that leaves no gaps in a chain.
#include "common/net/peer_table.h"

#include <bit>

#include "common/core/hash.h"

namespace orrery {

PeerTable::PeerTable(std::uint32_t capacity, std::uint64_t seed)
    : entries_(std::bit_ceil(std::size_t{2} * capacity)), capacity_(capacity), seed_(seed) {
  ORRERY_ASSERT(capacity >= 1);
}

std::size_t PeerTable::home(const Address& address) const {
  const std::uint64_t hash = mix64(checksum(address.ip, seed_) ^ address.port);
  return static_cast<std::size_t>(hash) & (entries_.size() - 1);
}

std::size_t PeerTable::locate(const Address& address) const {
  ORRERY_ASSERT(size_ < entries_.size());
  std::size_t at = home(address);
  while (entries_[at].slot != kNone && entries_[at].address != address) at = next(at);
  return at;
}

std::uint32_t PeerTable::find(const Address& address) const {
  return entries_[locate(address)].slot;
}

void PeerTable::insert(const Address& address, std::uint32_t slot) {
  ORRERY_ASSERT(slot != kNone && size_ < capacity_);
  Entry& entry = entries_[locate(address)];
  ORRERY_ASSERT(entry.slot == kNone);
  entry = {address, slot};
  ++size_;
}

void PeerTable::erase(const Address& address) {
  std::size_t hole = locate(address);
  ORRERY_ASSERT(entries_[hole].slot != kNone);
  entries_[hole].slot = kNone;
  --size_;
  // Whoever was pushed past the hole moves into it, so that every chain stays unbroken.
  for (std::size_t at = next(hole); entries_[at].slot != kNone; at = next(at)) {
    const std::size_t mask = entries_.size() - 1;
    const std::size_t from_home = (at - home(entries_[at].address)) & mask;
    const std::size_t from_hole = (at - hole) & mask;
    if (from_home < from_hole) continue;
    entries_[hole] = entries_[at];
    entries_[at].slot = kNone;
    hole = at;
  }
}

}  // namespace orrery
