// Chooses the places of a log that forgeries change, and random values for them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/session/log_format.h"
#include "tests/fuzz/attack/forged_log.h"

namespace orrery::attack {

// Returns a random index below `size`. REQUIRES: size >= 1.
inline std::uint32_t draw_index(SplitMix64& draw, std::size_t size) {
  return draw.below(static_cast<std::uint32_t>(size));
}

// Returns a small number, a number just below 2^64, a power of two, or any 64-bit number.
inline std::uint64_t any_number(SplitMix64& draw) {
  const std::uint64_t kinds[] = {draw.below(100), ~std::uint64_t{0} - draw.below(3),
                                 std::uint64_t{1} << draw.below(64), draw.next()};
  return kinds[draw.below(4)];
}

// Flips bits of one to four random bytes from index `from` on. Returns false if there are none.
inline bool scribble(std::vector<std::uint8_t>& bytes, SplitMix64& draw, std::size_t from = 0) {
  if (bytes.size() <= from) return false;
  for (std::uint32_t i = 1 + draw.below(4); i > 0; --i) {
    bytes[from + draw_index(draw, bytes.size() - from)] ^=
        static_cast<std::uint8_t>(1 + draw.below(255));
  }
  return true;
}

// A record's position in a log.
struct Place {
  ForgedSegment* segment = nullptr;
  std::size_t index = 0;

  explicit operator bool() const { return segment != nullptr; }
  ForgedRecord& record() const { return segment->records[index]; }
  auto iterator() const { return segment->records.begin() + static_cast<std::ptrdiff_t>(index); }
};

// Returns a random record of the type. Without a type, returns any record except a header. Returns
// an empty Place if there is none.
inline Place any_place(ForgedLog& log, SplitMix64& draw,
                       std::optional<session::RecordType> type = {}) {
  std::vector<Place> places;
  for (ForgedSegment& segment : log) {
    for (std::size_t i = 0; i < segment.records.size(); ++i) {
      const auto found = static_cast<session::RecordType>(segment.records[i].type);
      if (type ? found == *type : found != session::RecordType::header)
        places.push_back({&segment, i});
    }
  }
  return places.empty() ? Place{} : places[draw_index(draw, places.size())];
}

// Applies `change` to a random record as any_place() chooses it. Returns false if there is none, or
// if `change` returned false.
template <class Change>
bool at_any(ForgedLog& log, SplitMix64& draw, std::optional<session::RecordType> type,
            Change change) {
  const Place place = any_place(log, draw, type);
  return place && change(place);
}

// Returns the forgeries of the header and of the scene in it.
std::span<const Forgery> header_forgeries();

}  // namespace orrery::attack
