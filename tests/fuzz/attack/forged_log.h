// Owns session logs taken apart into records, changed, and put together again with right checksums.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/rng.h"
#include "common/session/log_format.h"

namespace orrery::attack {

// The bytes of each segment.
using LogFiles = std::vector<std::vector<std::uint8_t>>;

struct ForgedRecord {
  std::uint8_t type = 0;
  std::vector<std::uint8_t> payload;
  bool as_is = false;                 // an index that is not made anew, a header likewise
  std::optional<std::uint64_t> size;  // what it says instead of its size
};

struct ForgedSegment {
  std::uint32_t version = 0;
  std::vector<ForgedRecord> records;
  std::vector<std::uint8_t> rest;         // behind the last whole record
  std::optional<std::size_t> goes_on_at;  // the record of the segment before that it comes after
};

using ForgedLog = std::vector<ForgedSegment>;

ForgedLog take_apart(const LogFiles& files);

// Chains all records anew. Indexes and what headers say of the segment before are made anew too, so
// that a reader finds nothing wrong with them; unless they are as_is.
LogFiles put_together(const ForgedLog& log);

// One way to change a log.
struct Forgery {
  const char* name;
  // Changes the log at a random place. False if it has no such place, and is as it was.
  bool (*change)(ForgedLog& log, SplitMix64& draw);
  bool always_found;  // alone in a log that lost nothing, verify() finds it
};

std::span<const Forgery> forgeries();

}  // namespace orrery::attack
