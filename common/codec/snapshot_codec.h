// Plain snapshots: the bodies after a tick, in self-contained parts of one datagram each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/codec/command_report.h"
#include "common/core/bytes.h"
#include "common/core/ids.h"
#include "common/core/limits.h"
#include "common/math/quat.h"
#include "common/math/vec3.h"
#include "common/world/world.h"

namespace orrery::codec {

// A body as a client knows it. The position is exact; the rest was rounded to binary32 for the
// wire.
struct BodyState {
  BodyId id;
  Tick tick;  // the tick after which the body was in this state
  Vec3 position;
  Vec3 velocity;
  Quat orientation;             // unit length to within 1e-3
  Vec3 angular_velocity;        // world frame, rad per time unit
  std::uint32_t prototype = 0;  // index of the scene body that this body is, or is a copy of
};

// Capacities of a part, chosen so that packet header and message fit into a datagram. A part of a
// snapshot of all bodies has room for kSnapshotPartBodies bodies. A part of a selection has room
// for kSelectionPartBodies bodies and a Presence of kSnapshotTiles tiles of 64 slots.
inline constexpr std::size_t kSnapshotPartBodies = 15;
inline constexpr std::size_t kSelectionPartBodies = 14;
inline constexpr std::uint32_t kSnapshotTiles = 8;

// Bodies that a server examines in a tick to make selections. Each selection examines all bodies of
// the world, and the clients take turns. In a world with more bodies than this limit, a tick makes
// one selection.
inline constexpr std::uint32_t kBodiesExaminedPerTick = 40'000;

// Maximum number of parts of any snapshot, whether it has all bodies or a selection.
inline constexpr std::size_t kSnapshotPartsMax =
    (limits::kSnapshotBodiesMax + kSnapshotPartBodies - 1) / kSnapshotPartBodies;

// Says, for the slots of a few consecutive tiles, where the client has bodies after this snapshot.
// In these tiles, the client removes every body that it has in another slot.
struct Presence {
  std::uint32_t first = 0;  // the first slot, a multiple of 64
  std::uint32_t tiles = 0;  // number of tiles
  // Bit i of masks[t]: there is a body in slot first + 64 t + i.
  std::array<std::uint64_t, kSnapshotTiles> masks{};
};

// One part of a snapshot, decoded.
struct SnapshotPart {
  Tick tick;
  CommandReport report;              // about the client's commands
  std::uint16_t part = 0;            // index of this part, 0 to parts - 1
  std::uint16_t parts = 1;           // number of parts of the snapshot
  std::vector<BodyState> bodies;     // in ascending order of slots
  std::optional<Presence> presence;  // only if the snapshot is a selection of bodies
};

// The bodies that one client receives in a tick, selected from all bodies that it may see.
struct SnapshotSelection {
  std::span<const std::uint32_t> slots;  // slots of the selected bodies, ascending
  // For each tile of the world, a mask of the bodies that the client has after this snapshot.
  std::span<const std::uint64_t> presence;
  // The masks in part 0 start at tile kSnapshotTiles * first_presence_part. Each later part
  // continues with the next tiles, and after the last tile with tile 0.
  std::uint32_t first_presence_part = 0;
  // Least number of parts. More parts than the bodies need carry more of the masks.
  std::size_t parts_min = 1;
};

// Returns how many parts it takes to send the masks of this many tiles.
constexpr std::size_t presence_parts(std::size_t tiles) {
  return (tiles + kSnapshotTiles - 1) / kSnapshotTiles;
}

// An encoder of snapshots. A snapshot has all bodies and is encoded once for all clients, or it has
// the bodies selected for one client.
class SnapshotEncoder {
 public:
  // Encodes a new snapshot and forgets the previous one. Without a selection, it contains the first
  // limits::kSnapshotBodiesMax bodies of the world. With a selection, it contains the selected
  // bodies.
  void encode(const World& world);
  void encode(const World& world, const SnapshotSelection& selection);

  // Returns the number of parts of the snapshot.
  std::size_t parts() const { return ends_.size(); }
  // Writes the report for the receiving client into the message of a part and returns the message.
  // The bytes are valid until the next call of part() or encode().
  Bytes part(std::size_t index, const CommandReport& report);

 private:
  void append_parts(const World& world, std::span<const std::uint32_t> slots,
                    const SnapshotSelection* selection);
  void append_part(const World& world, std::span<const std::uint32_t> slots,
                   const SnapshotSelection* selection, std::size_t part, std::size_t parts);

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::size_t> ends_;   // end of each part in bytes_
  std::vector<std::size_t> heads_;  // offset in bytes_ of the SnapshotHead of each part
};

// Decodes a part from untrusted bytes into `out`, whose memory is reused. Returns false if the
// bytes are not a valid part; `out` is then meaningless. REQUIRES: bytes.data() is aligned to 8.
bool decode_snapshot_part(Bytes bytes, SnapshotPart& out);

}  // namespace orrery::codec
