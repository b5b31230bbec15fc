// Plain snapshots: all bodies, or those that changed since a snapshot that the client has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/per_client.h"
#include "common/world/world.h"
#include "server/senders/interest.h"

namespace orrery::server {

// The plain snapshots of clients that receive all bodies, and the acknowledgements of all plain
// clients. A client that acknowledges snapshots gets only the bodies that changed since the newest
// one that it has acknowledged, and nothing for a while if none changed. Clients that have
// acknowledged the same tick share an encoding.
class PlainSnapshots {
 public:
  // REQUIRES: the world outlives it.
  explicit PlainSnapshots(const World& world);

  // Adds a client, which has no bodies.
  void join(ClientId client) { readers_[client] = {}; }
  // Forgets the client, so that its id may be used again.
  void leave(ClientId client) { readers_[client] = {}; }
  // Takes the acknowledgement of a snapshot. A tick for which encode() gave none says only that the
  // client acknowledges.
  void acknowledge(ClientId client, Tick tick);

  // Returns true if the client should be sent the state of the last tick. It should if bodies
  // changed since its acknowledged snapshot, or if it was sent nothing for a while. A new `input`
  // is due too: the sequence up to which the server has the client's commands.
  bool is_due(ClientId client, Sequence input);
  // Returns the snapshot of the last tick for the client. It is valid until the next tick.
  // REQUIRES: is_due() was true in this tick.
  codec::SnapshotEncoder& encode(ClientId client);
  // Notes that the client was sent the snapshot of encode().
  void note_sent(ClientId client, Sequence input);

  // Returns the state of a client of selections. It is valid until the next tick.
  Acknowledged acknowledged(ClientId client, std::uint64_t repeat_after);
  // Returns true if a selection without news should be sent. It should if the client acknowledges
  // nothing, was sent nothing for a while, or does not know that its commands came.
  bool is_overdue(ClientId client, Sequence input) const;
  // Notes that the client was sent a selection.
  void note_selection(ClientId client, Sequence input);

 private:
  struct Reader {
    bool acknowledges = false;
    Tick has{};  // the newest acknowledged snapshot; 0: none
    Tick last_sent{};
    Sequence reported{};          // in the last snapshot
    std::array<Tick, 64> sent{};  // ticks of the last snapshots
    std::size_t next = 0;         // index in `sent`
  };
  // A body as snapshots have it, before rounding.
  struct Seen {
    BodyId id{};
    bool present = false;
    Vec3 position{};
    Vec3 velocity{};
    Quat orientation{};
    Vec3 angular_velocity{};
    bool operator==(const Seen&) const = default;
  };
  // An encoding of this tick.
  struct Encoding {
    Tick has{};
    bool is_whole = false;  // the client gets the first encoding, which has fewer parts
    codec::SnapshotEncoder snapshot{};
  };

  void see_tick();
  Seen look(std::uint32_t slot) const;
  bool select_changed(Tick since);

  const World& world_;
  PerClient<Reader> readers_;
  Tick tick_;                        // of the last look at the bodies
  std::vector<Seen> seen_;           // by slot
  std::vector<Tick> changed_;        // by slot: the tick in which a change was noticed
  Tick last_change_;                 // the newest of them
  std::vector<Encoding> encodings_;  // the first encoded_ are of the tick encoded_at_
  std::size_t encoded_ = 0;
  Tick encoded_at_;
  std::vector<std::uint32_t> slots_;  // scratch: selected bodies
  std::vector<std::uint64_t> alive_;  // scratch: masks of all bodies
};

}  // namespace orrery::server
