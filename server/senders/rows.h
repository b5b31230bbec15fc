// Makes frames with rows: bodies with exact numbers, without those that a client has already.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/core/ids.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/world/world.h"
#include "server/senders/encoding.h"

namespace orrery::server {

// The rows of a world, and the tick of the last change of each body. Every bit counts as a change.
class Rows {
 public:
  // REQUIRES: the world outlives it.
  explicit Rows(const World& world) : world_(world) {}

  // Starts to look for changes. Before, see_tick() does nothing.
  void watch() { is_watching_ = true; }
  // Looks for changes, once in each tick with a frame. A change that is noticed late counts as one
  // of the tick of the look: a body is sent once too often, never too seldom.
  void see_tick();
  // Returns the tick of the last change of each body, by slot. Empty before the first look.
  std::span<const Tick> changed() const { return changed_; }
  // Returns the newest of these ticks.
  Tick last_change() const { return last_change_; }

  // Returns the bodies that changed since a baseline, or all of them if these have fewer parts, or
  // without a baseline. It returns all bodies too if the tick has too many baselines.
  Encoding& against(const Baselines::Frame& baseline);
  // Returns the bodies of a selection, until the next one.
  Encoding& selection(const codec::SnapshotSelection& selection);

 private:
  // A body as rows have it, before rounding.
  struct Seen {
    BodyId id{};
    bool present = false;
    Vec3 position{};
    Vec3 velocity{};
    Quat orientation{};
    Vec3 angular_velocity{};
    bool operator==(const Seen&) const = default;
  };

  Seen look(std::uint32_t slot) const;
  bool write_changed(Tick since, codec::SnapshotEncoder& out);

  const World& world_;
  bool is_watching_ = false;
  Tick tick_;                  // of the last look
  std::vector<Seen> seen_;     // by slot
  std::vector<Tick> changed_;  // by slot
  Tick last_change_;
  SharedEncodings shared_;            // the first has all bodies
  Encoding own_;                      // of the last selection
  std::vector<std::uint32_t> slots_;  // scratch: changed bodies
  std::vector<std::uint64_t> alive_;  // scratch: masks of all bodies
};

}  // namespace orrery::server
