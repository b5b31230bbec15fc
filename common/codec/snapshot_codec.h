// Owns the plain snapshot: the bodies after a tick as self-contained parts of a datagram each.
#pragma once

#include <cstdint>
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
  Vec3 position;
  Vec3 velocity;
  Quat orientation;       // unit length to within 1e-3
  Vec3 angular_velocity;  // world frame, rad per time unit
};

// Bodies in a part, so that packet header, message and bodies fit into a datagram.
inline constexpr std::size_t kSnapshotPartBodies = 15;

struct SnapshotPart {
  Tick tick;
  Sequence input;  // the server has this client's commands up to here
  std::uint16_t part = 0;
  std::uint16_t parts = 1;
  std::vector<BodyState> bodies;  // ascending slot
};

// Encodes the state of a world once for all clients.
class SnapshotEncoder {
 public:
  // Forgets the last snapshot and encodes the first limits::kSnapshotBodiesMax bodies of the world.
  void encode(const World& world);

  std::size_t parts() const { return ends_.size(); }
  // The message of a part, with what one client is told of its commands.
  Bytes part(std::size_t index, Sequence input);

 private:
  void append_part(std::span<const std::uint32_t> slots, const World& world, std::size_t part,
                   std::size_t parts);

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::size_t> ends_;    // of each part, in bytes_
  std::vector<std::size_t> inputs_;  // where in bytes_ each part says what a client is told
};

// Foreign bytes of at most a datagram, at a multiple of eight in memory. Replaces `out`, whose
// memory is kept; false if the bytes are not a sound part: then `out` is of no use.
bool decode_snapshot_part(Bytes bytes, SnapshotPart& out);

}  // namespace orrery
