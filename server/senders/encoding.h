// A frame as bytes, and the frames of a tick that several clients get.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/codec/delta/delta_message.h"
#include "common/codec/snapshot_codec.h"
#include "server/senders/baselines.h"

namespace orrery::server {

// A frame of the last tick. It is coded, or it has rows.
struct Encoding {
  Baselines::Frame baseline{};  // the difference is to this frame
  Baselines::Frame frame{};     // a later baseline; nullptr: it cannot be one
  std::vector<std::uint8_t> bytes{};
  codec::SnapshotEncoder rows{};
  bool is_coded = false;
  bool is_longer = false;  // than the rows of all bodies, which clients get instead

  std::size_t parts() const { return is_coded ? codec::delta_parts(bytes.size()) : rows.parts(); }
};

// The frames of all bodies after a tick in one form, one for each baseline.
class SharedEncodings {
 public:
  // Most of them. A tick has fewer baselines, unless the round trips differ much.
  static constexpr std::size_t kMost = 32;

  // Forgets the encodings of an earlier tick. There may be `most` now, at most kMost.
  void begin(Tick tick, std::size_t most = kMost) {
    if (tick == tick_) return;
    tick_ = tick;
    most_ = most;
    for (std::size_t i = 0; i < count_; ++i) list_[i].baseline = list_[i].frame = nullptr;
    count_ = 0;
  }
  // Returns the encoding that `is_it` accepts, or nullptr.
  Encoding* find(const auto& is_it) {
    const auto end = list_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto at = std::find_if(list_.begin(), end, is_it);
    return at == end ? nullptr : &*at;
  }
  Encoding* against(const Baselines::Frame& baseline) {
    return find([&](const Encoding& e) { return e.baseline == baseline; });
  }
  // Returns memory for another encoding, or nullptr. add() makes it one of the tick.
  Encoding* next() { return count_ == most_ ? nullptr : &list_[count_]; }
  void add() { ++count_; }

 private:
  std::vector<Encoding> list_ = std::vector<Encoding>(kMost);
  std::size_t count_ = 0;  // the first ones, which are in use
  std::size_t most_ = kMost;
  Tick tick_;
};

}  // namespace orrery::server
