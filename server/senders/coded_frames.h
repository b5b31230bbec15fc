// Codes frames as differences to what each client has, for clients of mode delta.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "server/clients.h"
#include "server/senders/encoding.h"

namespace orrery::server {

// The coded frames of a world. Clients with the same baseline share an encoding. Frames with equal
// content are one object: clients of different paths share baselines again after two frames.
class CodedFrames {
 public:
  // Bodies that are coded per second for all clients together, with a frame of all bodies counted
  // as all slots of the world. This is about a third of a processor at level fast. A tick codes at
  // least one frame, and at most SharedEncodings::kMost.
  static constexpr std::uint64_t kBodiesPerSecond = 600'000;

  // REQUIRES: the world and the baselines outlive it.
  CodedFrames(const World& world, Baselines& baselines);

  // Sets the level of coding.
  void set_level(codec::DeltaLevel level) { codec_.set_level(level); }
  // Returns the slots of the world.
  std::size_t slots() const { return codec_.scene().slots; }
  // Returns the checksum of all bodies after the last tick, for CodedFrame::bodies_checksum.
  std::uint64_t checksum();

  // Returns the frame of all bodies for the client. Returns nullptr if the kept frames have reached
  // their limit, and nothing if this tick has coded as many bodies as it may.
  std::optional<Encoding*> whole(ClientId client);
  // Returns the frame of a selection of the bodies for the client, until the next one. Returns
  // nullptr if the kept frames have reached their limit.
  Encoding* selection(ClientId client, const codec::SnapshotSelection& selection);
  // Replaces `parts` by the messages of a frame, until the next call.
  void cut(const Encoding& encoding, const codec::CommandReport& report, std::vector<Bytes>& parts);

  // Returns the number of bodies in all frames that whole() has coded.
  std::uint64_t bodies_coded() const { return bodies_coded_; }

 private:
  void see_tick();
  bool code(ClientId client, const codec::QuantisedFrame& frame, Encoding& out);

  const World& world_;
  codec::DeltaCodec codec_;
  Baselines& baselines_;
  codec::QuantisedFrame bodies_;  // after the last tick
  std::uint64_t checksum_ = 0;    // of bodies_
  std::vector<std::uint32_t> references_;
  SharedEncodings shared_;
  std::uint64_t bodies_coded_ = 0;
  codec::QuantisedFrame selection_;     // the bodies that one client receives
  Encoding own_;                        // of the last selection
  std::vector<std::uint8_t> messages_;  // scratch
};

}  // namespace orrery::server
