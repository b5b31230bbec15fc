// Compares the checkpoints of a segment with those that its indexes list.
#pragma once

#include <algorithm>
#include <vector>

#include "common/core/bytes.h"
#include "common/session/log_records.h"

namespace orrery::session {

// The checkpoints read in one segment.
class SegmentCheckpoints {
 public:
  // Begins a segment. With `all`, every checkpoint of the segment will be added, else only some.
  void begin(bool all) {
    places_.clear();
    all_ = all;
  }
  // Adds the next checkpoint. REQUIRES: its offset is larger than all added before.
  void add(const CheckpointEntry& place) { add_to_index(places_, place); }

  // Returns true if `payload` is a valid index record and lists exactly the checkpoints that were
  // added, as far as add_to_index() keeps them. If only some were added, any valid index will do.
  bool agree_with(Bytes payload) {
    const auto equal = [](const CheckpointEntry& a, const CheckpointEntry& b) {
      return a.tick == b.tick && a.offset == b.offset;
    };
    return decode_index(payload, index_) &&
           (!all_ ||
            std::equal(index_.begin(), index_.end(), places_.begin(), places_.end(), equal));
  }

 private:
  std::vector<CheckpointEntry> places_;
  bool all_ = true;
  std::vector<CheckpointEntry> index_;  // reused buffer
};

}  // namespace orrery::session
