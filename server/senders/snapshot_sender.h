// Sends snapshots to clients: all bodies if the world, the budget and the path allow it, otherwise
// a selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/codec/snapshot_codec.h"
#include "common/core/per_client.h"
#include "server/clients.h"
#include "server/senders/delta_snapshots.h"
#include "server/senders/interest.h"
#include "server/senders/plain_snapshots.h"

namespace orrery::server {

// The snapshots of a session. Clients in mode follow get none.
class SnapshotSender {
 public:
  // REQUIRES: the clients outlive it.
  explicit SnapshotSender(Clients& clients);

  // Limits snapshots to `per_second` for each client, rounded down to one in a whole number of
  // ticks. Without this limit, a client may get one in each tick. With or without it, clients get
  // fewer in large worlds, on slow paths, and while no body changes.
  // REQUIRES: per_second >= 1.
  void limit(std::uint32_t per_second);

  // Sets the level of coding of mode delta. Without this, it is fast.
  void set_delta_level(codec::DeltaLevel level) { delta_.set_level(level); }

  // Adds a client, which gets snapshots from the next one on. REQUIRES: the client joined after the
  // last tick.
  void join(ClientId client);
  // Forgets the client, so that its id may be used again.
  void leave(ClientId client);
  // Takes an acknowledgement of a frame or a plain snapshot. Returns false if it does not decode.
  bool acknowledge(ClientId client, Bytes message);

  // Sends the state of the last tick to each client for which a snapshot is due.
  void send(net::Nanoseconds now);

  // Returns the frames of mode delta.
  const DeltaSnapshots& delta() const { return delta_; }

 private:
  // The snapshots of one client.
  struct Schedule {
    std::uint64_t refilled = 0;     // tick at which the budget was refilled
    bool waits = false;             // a selection of bodies is due
    std::uint64_t saves_until = 0;  // no snapshot before this tick; 0: one is due
  };

  // A frame of all bodies that is due for a client.
  struct DueFrame {
    std::int64_t rank = 0;
    ClientId client{};
    bool has_saved = false;  // its budget was saved for this frame
  };

  std::uint64_t interval() const;
  void send_whole(net::Nanoseconds now);
  void send_frames(net::Nanoseconds now);
  void send_if_it_fits(ClientId client, std::size_t frame_parts, bool has_saved,
                       net::Nanoseconds now);
  void send_selected(std::uint64_t interval, net::Nanoseconds now);
  void send_selected_plain(ClientId client, std::size_t room, net::Nanoseconds now);
  void send_selected_frame(ClientId client, std::size_t room, net::Nanoseconds now);
  void send_parts(ClientId client, codec::SnapshotEncoder* plain, net::Nanoseconds now);
  std::uint64_t repeat_after(ClientId client) const;
  bool arrives_whole(ClientId client, std::size_t parts, double lost_max) const;
  void save(ClientId client, std::size_t parts, double seconds);

  Clients& clients_;
  Interest interest_;
  DeltaSnapshots delta_;
  PlainSnapshots plain_;
  PerClient<Schedule> schedules_;
  ClientId last_served_{};            // client that send_selected() served last (round-robin)
  std::uint64_t interval_min_ = 1;    // minimum ticks between snapshots
  codec::SnapshotEncoder selection_;  // selected bodies, for one client
  std::vector<DueFrame> due_frames_;  // scratch
  std::vector<Bytes> parts_;          // scratch
};

}  // namespace orrery::server
