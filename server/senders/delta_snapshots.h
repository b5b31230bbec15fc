// Codes snapshots as differences to what each client has, for clients of mode delta.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/codec/delta/delta_message.h"
#include "common/codec/snapshot_codec.h"
#include "common/core/per_client.h"
#include "server/clients.h"
#include "server/senders/baselines.h"

namespace orrery::server {

// The frames of the clients of mode delta. The baseline of a client is the newest frame that it has
// acknowledged. Over a WebSocket, which loses nothing, it is the last one sent. Clients with the
// same baseline share an encoding. Frames with equal content are one object: clients of different
// paths share baselines again after two frames.
//
// No client can make the others wait, whatever it acknowledges:
// - A baseline older than Baselines::kSeconds is dropped. The client is then coded against nothing,
//   which all such clients share.
// - A tick codes a limited number of bodies. The clients with the newest baselines come first, and
//   those that waited longest. The rest gets a frame in a later tick.
class DeltaSnapshots {
 public:
  // Bodies that are coded per second for all clients together, with a frame of all bodies counted
  // as all slots of the world. This is about a third of a processor at level fast. A tick codes at
  // least one frame, and at most kBaselinesPerTick.
  static constexpr std::uint64_t kBodiesPerSecond = 600'000;
  static constexpr std::size_t kBaselinesPerTick = 32;

  // REQUIRES: the clients outlive it.
  explicit DeltaSnapshots(Clients& clients);

  // Sets the level of coding.
  void set_level(codec::DeltaLevel level) { codec_.set_level(level); }

  // Adds a client of mode delta, which has no frame. REQUIRES: the client has joined.
  void join(ClientId client);
  // Forgets the client, so that its id may be used again.
  void leave(ClientId client);
  // Takes the acknowledgement of a frame. Tick 0 means that the client has none.
  void acknowledge(ClientId client, Tick tick);

  // Drops the baselines that have become too old. Call it before the frames of a tick are coded.
  void begin_tick() { baselines_.drop_old(); }

  // Returns true if the state of the last tick differs from the client's newest frame, or if the
  // client was sent nothing for a while. Without a baseline, only some ticks are sent: the same for
  // all clients, so that they share encodings. An `input` that the client was not sent is due too:
  // the sequence up to which the server has its commands.
  bool is_due(ClientId client, Sequence input);
  // Returns the rank of the client among those for which a frame is due. The lowest rank is served
  // first: the ticks between its baseline and its last frame, less the ticks since it was served.
  std::int64_t rank(ClientId client) const;
  // Codes all bodies for the client. Returns the number of parts. Returns 0 if the client must get
  // a plain snapshot: the kept frames have reached their limit, or the frame has more than
  // codec::kDeltaPartsMax parts. Returns nothing if this tick has coded as many bodies as it may.
  std::optional<std::size_t> encode_whole(ClientId client);
  // Returns true if the client has a frame that selections can be coded against.
  bool has_baseline(ClientId client) const { return baselines_.of(client) != nullptr; }
  // Returns true if the world is small enough for frames of selections, for which each client needs
  // memory.
  bool takes_selections() const;
  // Returns how many selected bodies so many parts of a frame to the client are likely to hold.
  std::size_t bodies_in(ClientId client, std::size_t parts) const;
  // Codes a selection of the bodies for the client: all bodies that it receives. Returns the number
  // of parts, or 0 if the client has all of it, or waits for an answer to its first frame. Returns
  // nothing if there would be more than `parts_max` parts, or if the kept frames have as much
  // memory as they may. REQUIRES: takes_selections().
  std::optional<std::size_t> encode_selected(ClientId client,
                                             const codec::SnapshotSelection& selection,
                                             std::size_t parts_max);
  // Sends the parts of the last encoding. REQUIRES: it was for this client.
  void send(ClientId client, const codec::CommandReport& report, net::Nanoseconds now);

  // Returns the number of bodies in all frames that encode_whole() has coded.
  std::uint64_t bodies_coded() const { return bodies_coded_; }

 private:
  using Frame = Baselines::Frame;

  // Bytes of a selected body before the first selection.
  static constexpr double kBodyBytes = 12;

  struct Reader {
    Tick last_sent{};
    Tick last_coded{};               // when all bodies were last coded for it
    Sequence reported{};             // in the last frame
    double body_bytes = kBodyBytes;  // of a selected body: a mean over the last selections
  };
  // A frame that was coded in this tick.
  struct Encoding {
    Frame baseline{};
    Frame frame{};
    std::vector<std::uint8_t> bytes{};
  };

  // The bodies after the last tick, and the frames of all of them that were coded.
  struct LastTick {
    codec::QuantisedFrame bodies{};
    std::uint64_t checksum = 0;
    std::vector<std::uint32_t> references{};
    std::vector<Encoding> encodings{};  // the first `count` are in use
    std::size_t count = 0;
    std::size_t count_max = 1;
  };

  void see_tick();
  bool was_idle(ClientId client) const;
  bool encode(ClientId client, const codec::QuantisedFrame& frame, Encoding& out);
  void select(const codec::SnapshotSelection& selection);

  Clients& clients_;
  codec::DeltaCodec codec_;
  Baselines baselines_;
  PerClient<Reader> readers_;
  LastTick now_;
  std::uint64_t bodies_coded_ = 0;
  codec::QuantisedFrame selection_;     // the bodies that one client receives
  Encoding own_;                        // of the last selection
  const Encoding* last_ = nullptr;      // the encoding to send
  std::vector<std::uint8_t> messages_;  // scratch
  std::vector<Bytes> parts_;            // scratch
};

}  // namespace orrery::server
