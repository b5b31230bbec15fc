// Owns the snapshots that have come lately, put together from their parts.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/ids.h"
#include "common/core/limits.h"

namespace orrery::client {

// The bodies after a tick, each in its state of that tick, or, where the server had no room for
// all, in the last that has come.
struct Snapshot {
  Tick tick;
  Sequence input;                        // the server had this client's commands up to here
  bool whole = true;                     // all bodies are in their state of this tick
  std::vector<codec::BodyState> bodies;  // ascending slot
};

struct SnapshotCounters {
  std::uint64_t complete = 0;
  std::uint64_t selected = 0;   // those for which the server had no room for all bodies
  std::uint64_t abandoned = 0;  // a newer one needed the room before all parts had come
  std::uint64_t repeated = 0;   // parts that had come before, or of an older tick than is kept
  std::uint64_t unsound = 0;    // parts that contradict others of their snapshot
};

// A ring by tick, of limits::kSnapshotsBuffered, and what was merged, at most a body for each slot
// that there can be. Memory grows with the bodies that come, not with those that a part speaks of.
class SnapshotBuffer {
 public:
  SnapshotBuffer();

  // Returns the snapshot that the part completes, or nullptr. Until the next call.
  const Snapshot* insert(const codec::SnapshotPart& part);

  // The snapshot of the highest tick, or nullptr.
  const Snapshot* newest() const { return newest_; }

  const SnapshotCounters& counters() const { return counters_; }

 private:
  struct Entry {
    Snapshot snapshot;
    std::vector<std::vector<codec::BodyState>>
        parts;  // those that have come; emptied when all have
    std::vector<bool> came;
    std::uint32_t missing = 0;
    bool used = false;
  };

  Entry& entry(Tick tick) { return entries_[tick.value % entries_.size()]; }
  void begin(Entry& entry, const codec::SnapshotPart& part);
  const Snapshot* complete(Entry& entry);
  const Snapshot* select(const codec::SnapshotPart& part);
  bool is_vacant(std::uint32_t slot) const;
  void merge();

  std::vector<Entry> entries_;
  // What the selected parts of a tick say, until it is merged with what was known: the bodies, and
  // of each slot whether there is none.
  Tick selected_tick_;
  std::uint32_t selected_parts_ = 0;
  std::vector<codec::BodyState> selected_;
  std::vector<std::uint64_t> vacant_;  // a mask for each tile of 64 slots
  Snapshot merged_;
  std::vector<codec::BodyState> merging_;  // scratch
  const Snapshot* newest_ = nullptr;
  SnapshotCounters counters_;
};

}  // namespace orrery::client
