// Owns the plain snapshot: the bodies after a tick as self-contained parts of a datagram each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/limits.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/world/world.h"

namespace orrery {

// A body as a client knows it. Position is exact; the rest was rounded to binary32 on its way.
struct BodyState {
  BodyId id;
  Tick tick;  // after which it was in this state
  Vec3 position;
  Vec3 velocity;
  Quat orientation;       // unit length to within 1e-3
  Vec3 angular_velocity;  // world frame, rad per time unit
};

// Bodies in a part, so that packet header, message and bodies fit into a datagram; and where the
// snapshot has not all bodies, and a part says of so many tiles of 64 slots where some are.
inline constexpr std::size_t kSnapshotPartBodies = 15;
inline constexpr std::size_t kSelectionPartBodies = 14;
inline constexpr std::uint32_t kSnapshotTiles = 8;

// Parts of a snapshot of all bodies at most, and of one of some.
inline constexpr std::size_t kSnapshotPartsMax =
    (limits::kSnapshotBodiesMax + kSnapshotPartBodies - 1) / kSnapshotPartBodies;

// Where there are bodies, in some slots.
struct Presence {
  std::uint32_t first = 0;  // slot, a multiple of 64
  std::uint32_t tiles = 0;
  std::array<std::uint64_t, kSnapshotTiles> masks{};
};

struct SnapshotPart {
  Tick tick;
  Sequence input;  // the server has this client's commands up to here
  std::uint16_t part = 0;
  std::uint16_t parts = 1;
  std::vector<BodyState> bodies;     // ascending slot
  std::optional<Presence> presence;  // if the parts of this tick are not all bodies
};

// What a client is told of in a tick, of all that it is told of at some time.
struct SnapshotSelection {
  std::span<const std::uint32_t> slots;  // ascending
  std::span<const std::uint64_t> told;   // a mask for each tile of the world
  std::uint32_t turn = 0;                // the masks that the first part says: from 8 * turn on
};

// Parts that it takes to say all masks of so many tiles.
constexpr std::size_t turns_of(std::size_t tiles) {
  return (tiles + kSnapshotTiles - 1) / kSnapshotTiles;
}

// Encodes the state of a world: once for all clients, or what was selected for one.
class SnapshotEncoder {
 public:
  // Forget the last snapshot and encode the first limits::kSnapshotBodiesMax bodies of the world,
  // or those selected.
  void encode(const World& world);
  void encode(const World& world, const SnapshotSelection& selection);

  std::size_t parts() const { return ends_.size(); }
  // The message of a part, with what one client is told of its commands.
  Bytes part(std::size_t index, Sequence input);

 private:
  void append_parts(const World& world, std::span<const std::uint32_t> slots,
                    const SnapshotSelection* selection);
  void append_part(const World& world, std::span<const std::uint32_t> slots,
                   const SnapshotSelection* selection, std::size_t part, std::size_t parts);

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::size_t> ends_;    // of each part, in bytes_
  std::vector<std::size_t> inputs_;  // where in bytes_ each part says what a client is told
};

// Foreign bytes of at most a datagram, at a multiple of eight in memory. Replaces `out`, whose
// memory is kept; false if the bytes are not a sound part: then `out` is of no use.
bool decode_snapshot_part(Bytes bytes, SnapshotPart& out);

}  // namespace orrery
