// Sends snapshots to clients: all bodies if the world, the budget and the path allow it, otherwise
// a selection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/core/per_client.h"
#include "server/clients.h"
#include "server/senders/coded_frames.h"
#include "server/senders/interest.h"
#include "server/senders/rows.h"

namespace orrery::server {

// The snapshots of a session. A snapshot is a frame: bodies after a tick, as their difference to
// the baseline of the client, which is the newest frame that it has acknowledged. A frame is coded
// (mode delta) or has rows (mode plain). Clients of mode delta get rows too, if not all of their
// bodies fit into a coded frame. Clients in mode follow get no snapshots.
//
// No client can make the others wait, whatever it acknowledges:
// - Baselines become too old (baselines.h). The client is then coded against nothing, which all
//   such clients share.
// - A tick codes a limited number of bodies. The clients with the newest baselines come first, and
//   those that waited longest. The rest gets a frame in a later tick.
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
  void set_delta_level(codec::DeltaLevel level) { coded_.set_level(level); }

  // Adds a client, which gets snapshots from the next one on. REQUIRES: the client joined after the
  // last tick.
  void join(ClientId client);
  // Forgets the client, so that its id may be used again.
  void leave(ClientId client);
  // Takes an acknowledgement of a frame. Returns false if it does not decode.
  bool acknowledge(ClientId client, Bytes message);

  // Sends the state of the last tick to each client for which a snapshot is due.
  void send(net::Nanoseconds now);

  // Returns the number of bodies in all coded frames of all bodies.
  std::uint64_t bodies_coded() const { return coded_.bodies_coded(); }

 private:
  // Bytes of a selected body before the first selection.
  static constexpr double kBodyBytes = 12;

  // The snapshots of one client. Rows to a client of mode delta are not counted.
  struct Reader {
    std::uint64_t refilled = 0;     // tick at which the budget was refilled
    bool waits = false;             // a selection of bodies is due
    std::uint64_t saves_until = 0;  // no snapshot before this tick; 0: one is due
    bool acknowledges = false;
    Tick last_sent{};
    Tick last_coded{};               // when all bodies were last coded for it
    Sequence reported{};             // in the last snapshot
    double body_bytes = kBodyBytes;  // of a selected body: a mean over the last coded selections
  };

  // A frame of all bodies that is due for a client.
  struct DueFrame {
    std::int64_t rank = 0;
    ClientId client{};
    bool has_saved = false;  // its budget was saved for this frame
  };

  std::uint64_t interval() const;
  std::uint64_t idle_interval() const;
  void find_due(net::Nanoseconds now);
  bool is_due(ClientId client);
  bool is_overdue(ClientId client) const;
  std::int64_t rank(ClientId client) const;
  void send_whole(net::Nanoseconds now);
  void send_if_it_fits(ClientId client, Encoding* frame, bool has_saved, net::Nanoseconds now);
  void send_selected(std::uint64_t interval, net::Nanoseconds now);
  Encoding* select(ClientId client, std::size_t room);
  std::optional<Encoding*> select_coded(ClientId client, std::size_t room);
  Encoding* select_rows(ClientId client, std::size_t room);
  void send_frame(ClientId client, Encoding& frame, net::Nanoseconds now);
  Acknowledged acknowledged(ClientId client);
  bool arrives_whole(ClientId client, std::size_t parts, double lost_max) const;
  void save(ClientId client, std::size_t parts, double seconds);

  Clients& clients_;
  Interest interest_;
  Baselines baselines_;
  CodedFrames coded_;
  Rows rows_;
  PerClient<Reader> readers_;
  ClientId last_served_{};          // client that send_selected() served last (round-robin)
  std::uint64_t interval_min_ = 1;  // minimum ticks between snapshots
  std::vector<DueFrame> due_;       // scratch
  std::vector<Bytes> parts_;        // scratch
};

}  // namespace orrery::server
