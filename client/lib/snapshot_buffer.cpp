// Owns how parts become snapshots.
#include "client/lib/snapshot_buffer.h"

#include "common/core/assert.h"

namespace orrery {

SnapshotBuffer::SnapshotBuffer() : entries_(limits::kSnapshotsBuffered) {}

bool SnapshotBuffer::insert(const SnapshotPart& part) {
  Entry& e = entry(part.tick);
  const bool other = !e.used || e.snapshot.tick != part.tick;
  if (other && e.used && e.snapshot.tick > part.tick) {
    ++counters_.repeated;
    return false;
  }
  if (other) begin(e, part);
  if (part.parts != e.came.size()) {
    ++counters_.unsound;
    return false;
  }
  if (e.came[part.part]) {
    ++counters_.repeated;
    return false;
  }
  ORRERY_ASSERT(e.missing >= 1);
  e.came[part.part] = true;
  e.parts[part.part] = part.bodies;
  e.snapshot.input = std::max(e.snapshot.input, part.input);
  if (--e.missing != 0) return false;
  complete(e);
  return e.used;
}

void SnapshotBuffer::begin(Entry& entry, const SnapshotPart& part) {
  if (entry.used && entry.missing != 0) ++counters_.abandoned;
  if (newest_ == &entry.snapshot) newest_ = nullptr;
  entry.used = true;
  entry.snapshot.tick = part.tick;
  entry.snapshot.input = part.input;
  entry.snapshot.bodies.clear();
  entry.came.assign(part.parts, false);
  entry.parts.resize(part.parts);
  entry.missing = part.parts;
}

void SnapshotBuffer::complete(Entry& entry) {
  auto& bodies = entry.snapshot.bodies;
  for (auto& part : entry.parts) {
    const bool ascending =
        bodies.empty() || part.empty() || slot_of(bodies.back().id) < slot_of(part.front().id);
    if (!ascending) {
      ++counters_.unsound;
      entry.used = false;
      return;
    }
    bodies.insert(bodies.end(), part.begin(), part.end());
    part = {};
  }
  ++counters_.complete;
  if (!newest_ || newest_->tick < entry.snapshot.tick) newest_ = &entry.snapshot;
}

const Snapshot* SnapshotBuffer::find(Tick tick) const {
  const Entry& e = entries_[tick.value % entries_.size()];
  return e.used && e.missing == 0 && e.snapshot.tick == tick ? &e.snapshot : nullptr;
}

}  // namespace orrery
