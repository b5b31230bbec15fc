// Implements a hash map with fixed memory, which finds connections by address, token or id.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/core/assert.h"
#include "common/net/environment.h"

namespace orrery::net {

// A hash map from keys of type `Name` (network addresses, token seals or numbers) to values. It
// holds at most `capacity` entries and never allocates after construction. It uses open addressing
// with linear probing. The hash function is keyed with a secret, so attackers cannot choose
// colliding keys. Pointers to a value stay valid until the value is erased.
template <class Name, class Value>
class FixedMap {
 public:
  // REQUIRES: capacity >= 1; the environment outlives the map.
  FixedMap(std::uint32_t capacity, const NetEnvironment& environment)
      : entries_(std::bit_ceil(std::size_t{2} * capacity), kNone),
        cells_(capacity),
        environment_(environment) {
    ORRERY_ASSERT(capacity >= 1 && capacity < kNone / 2);
    for (std::uint32_t i = capacity; i > 0; --i) free_.push_back(i - 1);
  }

  // Return the value, or nullptr if the key is absent.
  Value* find(const Name& name) { return const_cast<Value*>(std::as_const(*this).find(name)); }
  const Value* find(const Name& name) const {
    const std::uint32_t cell = entries_[locate(name)];
    return cell == kNone ? nullptr : &cells_[cell]->value;
  }
  // Returns true if the key is present.
  bool contains(const Name& name) const { return entries_[locate(name)] != kNone; }

  // Inserts a key. Returns its value, or nullptr if the map is full. REQUIRES: the key is absent.
  Value* insert(const Name& name, const Value& value) {
    if (free_.empty()) return nullptr;
    std::uint32_t& entry = entries_[locate(name)];
    ORRERY_ASSERT(entry == kNone);
    entry = free_.back();
    free_.pop_back();
    return &cells_[entry].emplace(Cell{name, value}).value;
  }

  // Removes a key. REQUIRES: the key is present.
  void erase(const Name& name) {
    std::size_t hole = locate(name);
    ORRERY_ASSERT(entries_[hole] != kNone);
    cells_[entries_[hole]].reset();
    free_.push_back(entries_[hole]);
    entries_[hole] = kNone;
    // Move entries that were pushed past the hole into it, so that no probe chain breaks.
    for (std::size_t at = next(hole); entries_[at] != kNone; at = next(at)) {
      const std::size_t mask = entries_.size() - 1;
      const std::size_t from_home = (at - home(cells_[entries_[at]]->name)) & mask;
      const std::size_t from_hole = (at - hole) & mask;
      if (from_home < from_hole) continue;
      entries_[hole] = entries_[at];
      entries_[at] = kNone;
      hole = at;
    }
  }

  // Removes every entry for which `is_over(value)` is true.
  template <class Predicate>
  void erase_if(Predicate is_over) {
    std::size_t unseen = size();
    for (std::size_t i = 0; unseen > 0; ++i) {
      ORRERY_ASSERT(i < cells_.size());
      if (!cells_[i]) continue;
      --unseen;
      if (is_over(cells_[i]->value)) erase(Name(cells_[i]->name));
    }
  }

  // Returns the number of entries.
  std::size_t size() const { return cells_.size() - free_.size(); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Cell {
    Name name;
    Value value;
  };

  static std::array<std::uint8_t, 19> bytes_of(const Address& address) {
    std::array<std::uint8_t, 19> bytes;
    std::copy(address.ip.begin(), address.ip.end(), bytes.begin());
    store_little_endian<2>(bytes.data() + 16, address.port);
    bytes[18] = static_cast<std::uint8_t>(address.carrier);
    return bytes;
  }
  static std::array<std::uint8_t, 8> bytes_of(std::uint64_t number) {
    std::array<std::uint8_t, 8> bytes;
    store_little_endian<8>(bytes.data(), number);
    return bytes;
  }
  static const Seal& bytes_of(const Seal& seal) { return seal; }

  std::size_t home(const Name& name) const {
    const std::uint64_t hash = environment_.keyed_hash(bytes_of(name));
    return static_cast<std::size_t>(hash) & (entries_.size() - 1);
  }
  std::size_t next(std::size_t at) const { return (at + 1) & (entries_.size() - 1); }

  // Returns the position of the key in entries_, or of the free entry where it belongs.
  std::size_t locate(const Name& name) const {
    std::size_t at = home(name);
    while (entries_[at] != kNone && cells_[entries_[at]]->name != name) at = next(at);
    return at;
  }

  // indices into cells_, or kNone; its size is a power of two, at least twice the capacity
  std::vector<std::uint32_t> entries_;
  std::vector<std::optional<Cell>> cells_;  // unordered
  std::vector<std::uint32_t> free_;         // unused cells
  const NetEnvironment& environment_;
};

}  // namespace orrery::net
