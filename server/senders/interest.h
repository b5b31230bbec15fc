// Selects the bodies to send to a client in a tick when there is no room for all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/ids.h"
#include "common/core/per_client.h"
#include "common/world/world.h"

namespace orrery::server {

// The bodies of a client that acknowledges rows. If `changed` is empty, nothing is known.
struct Acknowledged {
  std::span<const Tick> changed{};  // by slot: tick of the last change of the body
  Tick all{};                       // the client has all bodies of this tick; 0: not known
  std::uint64_t repeat_after = 0;   // ticks in which an acknowledgement of a body should come
};

// A priority accumulator (G. Fiedler, "State Synchronization", 2015). Each body gains priority for
// each client with every snapshot, until it is sent. The client's own bodies gain most, then bodies
// within half the interest_radius of those, then moving bodies. All other bodies gain some too, so
// every body is sent eventually.
//
// If the scene has an interest_radius, a client receives only bodies within that distance of its
// own bodies. Distances are measured from the body that it grabs and from its bodies in the
// lowest slots, at most eight in all. A client without bodies receives all.
//
// If the client acknowledges, a body is left out while the client has it as it is. It is also left
// out while an acknowledgement may be under way.
class Interest {
 public:
  // REQUIRES: the world outlives it.
  explicit Interest(const World& world);

  // Returns at most `most` of the bodies that the client receives. Valid until the next call. The
  // first call for a client allocates, and so does the first one with `changed`.
  // REQUIRES: `changed` is empty or has each slot of the world.
  codec::SnapshotSelection select(ClientId client, std::size_t most,
                                  const Acknowledged& acknowledged = {});
  // Records that the last selection was sent, and the number of its parts.
  void note_sent(ClientId client, std::size_t parts);
  // Returns true if the client may not know that a body has left, or is out of its region.
  bool owes_masks(ClientId client) const { return waiting_[client].masks_owed > 0; }

  // Records that the snapshot of a tick has arrived. Any tick may be given: one without a selection
  // says nothing.
  void acknowledge(ClientId client, Tick tick) { waiting_[client].acknowledged = tick; }

  // Records that the client was sent all bodies as they are now.
  void told_all(ClientId client) { told_all_[client] = 1; }

  // Forgets the client, so that its id may be used again.
  void leave(ClientId client);

 private:
  // The last sending of a body.
  struct Delivery {
    Tick sent;  // 0: never
    bool arrived = false;
  };
  struct Waiting {
    // Indexed by slot: the current priority of the body, and the id of the body that the client was
    // last sent for this slot.
    std::vector<std::uint32_t> priorities;
    std::vector<std::uint32_t> known;
    std::uint32_t turn = 0;            // of the masks: part of them that comes next
    std::uint32_t masks_owed = 0;      // parts with masks to send soon
    std::vector<Delivery> deliveries;  // indexed by slot; empty: the client acknowledges nothing
    Tick acknowledged;                 // the last one
  };
  struct Candidate {
    std::uint32_t priority = 0;
    std::uint32_t slot = 0;
  };

  // REQUIRES: the slot has a body.
  bool is_own(std::uint32_t slot, const Client& client) const;
  void find_own(const Client& client);
  std::uint32_t gain(std::uint32_t slot, const Client& client) const;
  void gather(const Client& client, const Acknowledged& acknowledged, Waiting& waiting);
  void forget(std::uint32_t slot, Waiting& waiting) const;
  bool is_settled(std::uint32_t slot, const Acknowledged& acknowledged,
                  const Waiting& waiting) const;
  void keep_first(std::size_t most, Waiting& waiting);
  std::uint32_t id_at(std::uint32_t slot) const;
  void know_all(Waiting& waiting) const;

  const World& world_;
  PerClient<Waiting> waiting_;
  // 1 if the client was sent all bodies since its last selection. It is separate from waiting_
  // because every whole snapshot writes it for each client, and a compact array makes this fast.
  PerClient<std::uint8_t> told_all_;
  std::vector<Vec3> own_;              // scratch: positions of the client's bodies
  std::vector<Candidate> candidates_;  // scratch
  std::vector<std::uint32_t> slots_;   // scratch
  std::vector<std::uint64_t> told_;    // scratch
};

}  // namespace orrery::server
