// Assembles snapshots from their parts, and keeps the newest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/ids.h"
#include "common/core/limits.h"
#include "common/net/environment.h"

namespace orrery::client {

// The bodies after a tick. If the server sent only a selection of them, every other body has the
// last state that arrived.
struct Snapshot {
  Tick tick;
  Sequence input;                        // commands of this client up to this one are settled
  bool whole = true;                     // all bodies have their state of this tick
  bool rounded = false;                  // poses are on the grid of mode delta (codec::Grid)
  std::vector<codec::BodyState> bodies;  // ascending by slot
};

// Counts of snapshots and parts since the start of the buffer.
struct SnapshotCounters {
  std::uint64_t complete = 0;  // snapshots with all bodies
  // selections (some bodies) of which the part with the highest index came
  std::uint64_t selected = 0;
  std::uint64_t abandoned = 0;  // snapshots with missing parts, replaced by a newer one
  std::uint64_t repeated = 0;   // duplicate parts, and parts of ticks that are too old
  // parts that contradict others of their tick, or exceed their number
  std::uint64_t unsound = 0;
};

// A ring of limits::kSnapshotsBuffered snapshots by tick, and one snapshot into which selections
// are merged. The memory depends on the bodies that arrive, not on the number of parts that a part
// claims.
class SnapshotBuffer {
 public:
  SnapshotBuffer();

  // Adds a part. Returns the snapshot that it completes, or nullptr. A selection is complete when
  // its part with the highest index arrives, even if other parts were lost. The snapshot is valid
  // until the next call.
  const Snapshot* insert(const codec::SnapshotPart& part);

  // Adds a snapshot of mode delta. Returns it, valid until the next call; nullptr if another one is
  // as new.
  const Snapshot* insert(const Snapshot& snapshot);

  // Returns the snapshot of the highest tick, or nullptr.
  const Snapshot* newest() const { return newest_; }

  // Returns the tick of the newest plain snapshot with all its parts received before any part of a
  // later tick; 0 if there is none. The client has every body state that the server sent in it.
  Tick complete() const { return complete_; }
  // Returns that tick if it should be acknowledged now. Acknowledgements are kAckSpacing apart.
  std::optional<Tick> next_ack(net::Nanoseconds now);

  // Returns the counts so far.
  const SnapshotCounters& counters() const { return counters_; }

 private:
  struct Entry {
    Snapshot snapshot;
    // bodies of each part; emptied when all parts have arrived
    std::vector<std::vector<codec::BodyState>> parts;
    std::vector<bool> came;
    std::uint32_t missing = 0;
    bool used = false;
  };

  Entry& entry(Tick tick) { return entries_[tick.value % entries_.size()]; }
  void begin(Entry& entry, const codec::SnapshotPart& part);
  const Snapshot* complete(Entry& entry);
  const Snapshot* select(const codec::SnapshotPart& part);
  bool count_selected(const codec::SnapshotPart& part);
  bool is_vacant(std::uint32_t slot) const;
  void merge();

  std::vector<Entry> entries_;
  // The selected bodies of one tick, until they are merged into `merged_`. `vacant_` marks the
  // slots that the parts declare empty (codec::Presence): the client removes their bodies.
  Tick selected_tick_;
  std::uint32_t selected_parts_ = 0;
  std::vector<bool> selected_came_;  // by part, of selected_tick_
  std::size_t selected_missing_ = 0;
  Tick complete_;
  Tick acknowledged_;
  net::Nanoseconds acked_at_ = 0;
  std::vector<codec::BodyState> selected_;
  std::vector<std::uint64_t> vacant_;  // one mask per tile of 64 slots
  Snapshot merged_;
  std::vector<codec::BodyState> merging_;  // scratch memory of merge()
  const Snapshot* newest_ = nullptr;
  SnapshotCounters counters_;
};

}  // namespace orrery::client
