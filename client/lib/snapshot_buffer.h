// Owns the snapshots that have come lately, put together from their parts.
#pragma once

#include <cstdint>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/ids.h"
#include "common/core/limits.h"

namespace orrery {

// The bodies after a tick.
struct Snapshot {
  Tick tick;
  Sequence input;                 // the server had this client's commands up to here
  std::vector<BodyState> bodies;  // ascending slot
};

struct SnapshotCounters {
  std::uint64_t complete = 0;
  std::uint64_t abandoned = 0;  // a newer one needed the room before all parts had come
  std::uint64_t repeated = 0;   // parts that had come before, or of an older tick than is kept
  std::uint64_t unsound = 0;    // parts that contradict others of their snapshot
};

// A ring by tick, of limits::kSnapshotsBuffered: memory is bounded by what the server may send.
class SnapshotBuffer {
 public:
  SnapshotBuffer();

  // Returns true if the part completes the snapshot of its tick.
  bool insert(const SnapshotPart& part);

  // The complete snapshot of the highest tick, or nullptr.
  const Snapshot* newest() const { return newest_; }
  // The complete snapshot of a tick, or nullptr.
  const Snapshot* find(Tick tick) const;

  const SnapshotCounters& counters() const { return counters_; }

 private:
  struct Entry {
    Snapshot snapshot;
    std::vector<std::vector<BodyState>> parts;  // those that have come; emptied when all have
    std::vector<bool> came;
    std::uint32_t missing = 0;
    bool used = false;
  };

  Entry& entry(Tick tick) { return entries_[tick.value % entries_.size()]; }
  void begin(Entry& entry, const SnapshotPart& part);
  void complete(Entry& entry);

  std::vector<Entry> entries_;
  const Snapshot* newest_ = nullptr;
  SnapshotCounters counters_;
};

}  // namespace orrery
