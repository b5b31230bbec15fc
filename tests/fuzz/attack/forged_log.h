// Splits session logs into records and joins changed records with correct checksums.
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

// A record that may have been changed.
struct ForgedRecord {
  std::uint8_t type = 0;
  std::vector<std::uint8_t> payload;
  bool as_is = false;                 // true: write an index, or the checksum in a header, as given
  std::optional<std::uint64_t> size;  // size to write instead of the real one
};

// A segment as records.
struct ForgedSegment {
  std::uint32_t version = 0;
  std::vector<ForgedRecord> records;
  std::vector<std::uint8_t> rest;  // bytes after the last whole record
  // index of the record in the previous segment whose checksum is in this segment's header
  std::optional<std::size_t> goes_on_at;
};

using ForgedLog = std::vector<ForgedSegment>;

// Splits a log into records by their frames.
ForgedLog take_apart(const LogFiles& files);

// Joins the records and recomputes all checksums, so that a reader finds no wrong one, unless a
// record has a forged `size`. Also recomputes indexes and the checksums in the headers of later
// segments. Exceptions: a record with `as_is`, and a segment with an empty `goes_on_at`.
LogFiles put_together(const ForgedLog& log);

// A way to change a log.
struct Forgery {
  const char* name;
  // Changes the log at a random place. Returns false, without a change, if the log has no suitable
  // place.
  bool (*change)(ForgedLog& log, SplitMix64& draw);
  // True if verify() detects this forgery when it is the only change, in a log without lost ticks.
  bool always_found;
};

std::span<const Forgery> forgeries();

}  // namespace orrery::attack
