// Keeps the frames that clients have, or may still acknowledge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/codec/delta/delta_message.h"
#include "common/core/per_client.h"
#include "server/clients.h"

namespace orrery::server {

// The baseline of each client, the frames that were sent to it later, and the memory of all frames.
//
// No acknowledgement can keep other clients from their frames: a baseline of more than kSeconds is
// dropped, and if the memory is full, the client with the oldest frames loses them. Frames of rows
// have a tick and no bodies. They need no memory, and are never dropped.
class Baselines {
 public:
  using Frame = codec::KeptFrames::Frame;

  // Age at which a baseline is dropped. An honest client acknowledges each frame within a round
  // trip.
  static constexpr std::uint32_t kSeconds = 2;
  // Most memory of all frames.
  static constexpr std::size_t kBytesMax = std::size_t{256} << 20;

  // `slots`: slots of the world. REQUIRES: the clients outlive it.
  Baselines(const Clients& clients, std::size_t slots);

  // Gives back the frames of a client.
  void forget(ClientId client) { holders_[client] = {}; }
  // Makes a sent frame the baseline of the client, if it is still kept.
  void acknowledge(ClientId client, Tick tick);
  // Drops the baselines that are too old. Call it in each tick.
  void drop_old();

  // Returns the baseline of the client, or nullptr.
  const Frame& of(ClientId client) const { return holders_[client].baseline; }
  // Keeps a frame that was sent to the client. If the client is certain to receive it, it becomes
  // the baseline.
  void sent(ClientId client, const Frame& frame, bool is_reliable);

  // Returns a frame that nobody uses, for the client. If there is none, and no memory for another
  // one, clients with older frames lose theirs. Returns nullptr if there are no such clients.
  std::shared_ptr<codec::CodedFrame> empty_frame(ClientId client);

 private:
  struct Holder {
    Frame baseline{};
    codec::KeptFrames sent{};  // not acknowledged
    // Tick of the baseline, or without one of the oldest frame in `sent`. 0: it has no frames, or
    // frames of rows.
    Tick since{};
  };

  std::uint64_t now() const { return clients_.world.tick().value; }
  std::shared_ptr<codec::CodedFrame> free_frame();
  ClientId oldest_holder(ClientId client) const;

  const Clients& clients_;
  PerClient<Holder> holders_;
  const std::size_t frames_max_;
  std::vector<std::shared_ptr<codec::CodedFrame>> pool_;
  std::size_t pool_next_ = 0;  // where the search for a free frame continues
};

}  // namespace orrery::server
