// Owns which bodies a client is told of in a tick when it cannot be told of all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/ids.h"
#include "common/world/world.h"

namespace orrery::server {

// A priority accumulator (G. Fiedler, "State Synchronization", 2015): for each client each body
// gathers priority from snapshot to snapshot until it is sent. What is the client's own gathers
// most, then what is near that, then what moves; what is at rest far away gathers too, so nothing
// waits for ever, however many bodies there are. Where the scene has an interest_radius, a client
// is not told of what is farther than that from all that is its own (from what it holds, and from
// the seven others of the lowest slots); who has nothing is told of everything.
class Interest {
 public:
  // The world outlives it.
  explicit Interest(const World& world);

  // At most so many of the bodies that the client is told of. Valid until the next call. The first
  // call for a client allocates.
  codec::SnapshotSelection select(ClientId client, std::size_t most);

  // The client is sent all bodies as they are now.
  void told_all(ClientId client) { told_all_[client.value - 1] = 1; }

  void leave(ClientId client);

 private:
  struct Waiting {
    // Of each slot: what was gathered since it was sent, and the body that the client knows there.
    std::vector<std::uint32_t> priorities;
    std::vector<std::uint32_t> known;
    std::uint32_t turn = 0;
  };
  struct Candidate {
    std::uint32_t priority = 0;
    std::uint32_t slot = 0;
  };

  // There is a body in the slot.
  bool is_own(std::uint32_t slot, const Client& client) const;
  void find_own(const Client& client);
  std::uint32_t gain(std::uint32_t slot, const Client& client) const;
  void gather(const Client& client, Waiting& waiting);
  void keep_first(std::size_t most, Waiting& waiting);
  std::uint32_t id_at(std::uint32_t slot) const;
  void know_all(Waiting& waiting) const;
  Waiting& at(ClientId client);

  const World& world_;
  std::vector<Waiting> waiting_;  // client c is at c - 1
  // The same: 1 if it was told of all since it was selected for last. Apart, as it is written for
  // each client in each snapshot.
  std::vector<std::uint8_t> told_all_;
  std::vector<Vec3> own_;              // scratch: where bodies of the client are
  std::vector<Candidate> candidates_;  // scratch
  std::vector<std::uint32_t> slots_;   // scratch
  std::vector<std::uint64_t> told_;    // scratch
};

}  // namespace orrery::server
