// Receives the frames of mode delta: puts parts together, decodes, and makes snapshots.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "client/lib/snapshot_buffer.h"
#include "common/codec/delta/delta_message.h"
#include "common/codec/message_codec.h"
#include "common/net/environment.h"

namespace orrery::client {

// Counts since the start of a receiver.
struct DeltaCounters {
  std::uint64_t frames = 0;
  std::uint64_t stale = 0;      // parts that are repeated, contradictory, or of too old a frame
  std::uint64_t unknown = 0;    // frames whose baseline this client does not have
  std::uint64_t malformed = 0;  // messages and frames that do not decode
};

// The client's side of mode delta. A frame is coded as differences to a baseline: an earlier frame
// that the client has acknowledged. If the client lacks the baseline, or a frame does not decode,
// it asks for a frame that needs none. It never shows such a frame.
class DeltaReceiver {
 public:
  explicit DeltaReceiver(const codec::message::Welcome& welcome);

  // Takes a message of type delta, from untrusted bytes. Returns the snapshot that it completes, or
  // nullptr. It is valid until the next call.
  const Snapshot* take(Bytes message);

  // Returns the report about the client's commands in the message of the last call, if it was the
  // first message of its frame.
  const std::optional<codec::CommandReport>& report() const { return report_; }

  // Returns the tick to acknowledge, if one is due: that of a new frame, or 0 after a missing
  // baseline. Acknowledgements of frames are at least kAckSpacing apart.
  std::optional<Tick> next_ack(net::Nanoseconds now);

  // Returns the counts so far.
  const DeltaCounters& counters() const { return counters_; }

 private:
  // The parts of a frame that has not arrived completely.
  struct Assembly {
    codec::DeltaHead head{};
    std::vector<std::vector<std::uint8_t>> parts{};
    std::vector<bool> came{};
    std::size_t missing = 0;
  };

  Assembly* assembly_of(const codec::DeltaPart& part);
  const Snapshot* decode(const Assembly& assembly);
  void show(const codec::CodedFrame& frame, const codec::DeltaHead& head);
  codec::BodyState state_of(const codec::CodedFrame& frame, std::uint32_t slot,
                            const codec::BodyMotion* motion) const;
  std::shared_ptr<codec::CodedFrame> empty_frame();

  codec::DeltaCodec codec_;
  const bool receives_all_;  // frames have all bodies of the world
  const double tick_time_;
  std::array<Assembly, 4> assemblies_;
  codec::KeptFrames kept_;
  codec::KeptFrames::Frame baseline_;  // baseline of the newest frame: the server may use it again
  codec::KeptFrames::Frame newest_;
  std::vector<std::shared_ptr<codec::CodedFrame>> pool_;
  Snapshot snapshot_;
  std::optional<codec::CommandReport> report_;
  Tick acknowledged_;  // newest tick that was acknowledged
  bool lacks_baseline_ = false;
  net::Nanoseconds acked_at_ = 0;
  DeltaCounters counters_;
};

}  // namespace orrery::client
