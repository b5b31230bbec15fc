// Assembles snapshots from their parts, and keeps the newest.
#include "client/lib/snapshot_buffer.h"

#include <algorithm>
#include <iterator>

#include "common/core/assert.h"

namespace orrery::client {
namespace {

// Least time between two acknowledgements. With a shorter time, they cost more. With a longer one,
// the server repeats more bodies that have arrived already.
constexpr net::Nanoseconds kAckSpacing = 25 * net::kMillisecond;

}  // namespace

SnapshotBuffer::SnapshotBuffer() : entries_(limits::kSnapshotsBuffered) {}

const Snapshot* SnapshotBuffer::insert(const codec::SnapshotPart& part) {
  if (part.presence) return select(part);
  Entry& e = entry(part.tick);
  const bool other = !e.used || e.snapshot.tick != part.tick;
  if (other && e.used && e.snapshot.tick > part.tick) {
    ++counters_.repeated;
    return nullptr;
  }
  if (other) begin(e, part);
  if (part.parts != e.came.size()) {
    ++counters_.unsound;
    return nullptr;
  }
  if (e.came[part.part]) {
    ++counters_.repeated;
    return nullptr;
  }
  ORRERY_ASSERT(e.missing >= 1);
  e.came[part.part] = true;
  e.parts[part.part] = part.bodies;
  e.snapshot.input = std::max(e.snapshot.input, part.report.input);
  return --e.missing == 0 ? complete(e) : nullptr;
}

const Snapshot* SnapshotBuffer::insert(const Snapshot& snapshot) {
  if (newest_ != nullptr && newest_->tick >= snapshot.tick) {
    ++counters_.repeated;
    return nullptr;
  }
  ++(snapshot.whole ? counters_.complete : counters_.selected);
  merged_ = snapshot;
  newest_ = &merged_;
  return newest_;
}

void SnapshotBuffer::begin(Entry& entry, const codec::SnapshotPart& part) {
  if (entry.used && entry.missing != 0) ++counters_.abandoned;
  // this entry is about to be reused, and its snapshot is the newest: keep it
  if (newest_ == &entry.snapshot) {
    merged_ = entry.snapshot;
    newest_ = &merged_;
  }
  entry.used = true;
  entry.snapshot.tick = part.tick;
  entry.snapshot.input = part.report.input;
  entry.snapshot.bodies.clear();
  entry.came.assign(part.parts, false);
  entry.parts.resize(part.parts);
  entry.missing = part.parts;
}

const Snapshot* SnapshotBuffer::complete(Entry& entry) {
  auto& bodies = entry.snapshot.bodies;
  for (auto& part : entry.parts) {
    const bool ascending =
        bodies.empty() || part.empty() || slot_of(bodies.back().id) < slot_of(part.front().id);
    if (!ascending) {
      ++counters_.unsound;
      entry.used = false;
      return nullptr;
    }
    bodies.insert(bodies.end(), part.begin(), part.end());
    part = {};
  }
  ++counters_.complete;
  if (!newest_ || newest_->tick < entry.snapshot.tick) {
    newest_ = &entry.snapshot;
    complete_ = std::max(complete_, entry.snapshot.tick);
  }
  return &entry.snapshot;
}

// Adds a part of a selection. A lost part delays nothing: the parts of a tick are merged when the
// part with the highest index arrives, when all parts have arrived, or when a part of a later tick
// arrives.
const Snapshot* SnapshotBuffer::select(const codec::SnapshotPart& part) {
  // Selections are merged into each other, but not into a snapshot of mode delta of their tick.
  const bool is_late =
      newest_ && newest_->tick >= part.tick && (newest_->whole || newest_->rounded);
  if (is_late || part.tick < selected_tick_) {
    ++counters_.repeated;
    return nullptr;
  }
  if (part.tick > selected_tick_) {
    merge();
    selected_came_.assign(part.parts, false);
    selected_missing_ = part.parts;
  }
  selected_tick_ = part.tick;
  // Limits the number of parts that are kept. A hostile server may claim a different number of
  // parts in each part of a tick, so the comparison is >= and not ==.
  if (selected_parts_ >= part.parts) {
    ++counters_.unsound;
    return nullptr;
  }
  ++selected_parts_;
  const bool has_all = count_selected(part);
  selected_.insert(selected_.end(), part.bodies.begin(), part.bodies.end());
  const codec::Presence& presence = *part.presence;
  const std::size_t tile = presence.first / limits::kTileBodies;
  vacant_.resize(std::max(vacant_.size(), tile + presence.tiles));
  for (std::size_t i = 0; i < presence.tiles; ++i) vacant_[tile + i] |= ~presence.masks[i];
  merged_.input = std::max(merged_.input, part.report.input);
  if (part.part + 1 < part.parts) {
    if (has_all) merge();  // the part with the highest index came before
    return nullptr;
  }
  merge();
  ++counters_.selected;
  return newest_;
}

// Notes that a part of the selected tick came. Returns true if it was the last missing one.
bool SnapshotBuffer::count_selected(const codec::SnapshotPart& part) {
  if (part.parts != selected_came_.size() || selected_came_[part.part]) return false;
  selected_came_[part.part] = true;
  if (--selected_missing_ != 0) return false;
  complete_ = std::max(complete_, selected_tick_);
  return true;
}

std::optional<Tick> SnapshotBuffer::next_ack(net::Nanoseconds now) {
  if (complete_ <= acknowledged_ || now - acked_at_ < kAckSpacing) return std::nullopt;
  acknowledged_ = complete_;
  acked_at_ = now;
  return complete_;
}

bool SnapshotBuffer::is_vacant(std::uint32_t slot) const {
  const std::size_t tile = slot / limits::kTileBodies;
  return tile < vacant_.size() && (vacant_[tile] >> slot % limits::kTileBodies & 1) != 0;
}

void SnapshotBuffer::merge() {
  const auto lower = [](const codec::BodyState& a, const codec::BodyState& b) {
    return slot_of(a.id) < slot_of(b.id);
  };
  const auto same = [](const codec::BodyState& a, const codec::BodyState& b) {
    return slot_of(a.id) == slot_of(b.id);
  };
  const bool whole_is_newer = newest_ && newest_->tick > selected_tick_;
  if (selected_parts_ > 0 && !whole_is_newer) {
    std::sort(selected_.begin(), selected_.end(), lower);
    selected_.erase(std::unique(selected_.begin(), selected_.end(), same), selected_.end());
    merging_.clear();
    if (newest_ == &merged_) {
      std::swap(merging_, merged_.bodies);
    } else if (newest_) {
      merging_ = newest_->bodies;
    }
    std::erase_if(merging_, [this](const codec::BodyState& b) { return is_vacant(slot_of(b.id)); });
    merged_.bodies.clear();
    merged_.bodies.reserve(selected_.size() + merging_.size());
    std::set_union(selected_.begin(), selected_.end(), merging_.begin(), merging_.end(),
                   std::back_inserter(merged_.bodies), lower);
    merged_.tick = selected_tick_;
    merged_.whole = false;
    merged_.rounded = false;
    newest_ = &merged_;
  }
  selected_parts_ = 0;
  selected_.clear();
  std::fill(vacant_.begin(), vacant_.end(), 0);
}

}  // namespace orrery::client
