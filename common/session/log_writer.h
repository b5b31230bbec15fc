// Owns the writing of a session log: a header, a record for each tick, checkpoints, an index, and
// an end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/session/byte_sink.h"
#include "common/session/log_format.h"
#include "common/session/log_records.h"
#include "common/world/world.h"

namespace orrery::session {

// A checkpoint is written at least this often.
inline constexpr std::uint64_t kCheckpointSeconds = 10;

// The header of a session that starts with this world, which is in its initial state.
codec::LogHeader make_log_header(const World& world, std::string build,
                                 const codec::SessionId& session);

// Writes records to a sink that outlives it. Allocates nothing per tick after warm-up, but where a
// checkpoint is larger than those before.
class SessionLog {
 public:
  // Writes the preamble and the header.
  SessionLog(ByteSink& sink, const codec::LogHeader& header);

  // Goes on with a session in a later segment: its header names the segment, the tick that `world`
  // is at, and the last record before. `sink` is at the start of the segment, and is given header
  // and checkpoint at once.
  SessionLog(ByteSink& sink, const codec::LogHeader& header, const World& world);

  // Records the tick that step() has just made: world.applied and world.hash; and, when it is time,
  // a checkpoint. Every tick is recorded, in order. False if the sink did not take it.
  bool append_tick(const World& world);

  // Records a checkpoint of the last tick, unless it has one already.
  bool add_checkpoint(const World& world);

  // Writes the end record: the session was closed on purpose. Nothing may follow.
  void close();

  // Of this segment, without the scene.
  const codec::LogHeader& header() const { return header_; }
  // The last tick recorded.
  std::uint64_t ticks() const { return ticks_; }
  // The payload of the last tick record, as it went to the sink; empty before the first.
  Bytes last_tick() const { return tick_; }
  // The checksum of the last record.
  std::uint64_t last_checksum() const { return chain_; }

 private:
  // Frames preamble and header.
  void start(const codec::LogHeader& header);
  // Makes the image for a checkpoint of `world`; false if it is too large for a record.
  bool take_image(const World& world);
  // Writes the checkpoint of the image taken.
  bool append_checkpoint(const World& world);
  bool append_index();
  // Frames a record, of `payload` and then `more`, behind what was framed.
  void frame(RecordType type, Bytes payload, Bytes more = {});
  // Hands what was framed to the sink.
  bool send();
  bool append(RecordType type, Bytes payload, Bytes more = {});

  ByteSink& sink_;
  codec::LogHeader header_;  // of the segment, without the scene
  std::uint64_t chain_ = 0;  // the checksum of the last record
  std::uint64_t ticks_ = 0;
  std::uint64_t segment_bytes_ = 0;
  bool closed_ = false;
  std::vector<CheckpointEntry> checkpoints_;  // of this segment
  std::vector<std::uint8_t> tick_;            // the payload of a tick
  std::vector<std::uint8_t> payload_;         // of any other record
  std::vector<std::uint8_t> image_;
  std::vector<std::uint8_t> framed_;
};

}  // namespace orrery::session
