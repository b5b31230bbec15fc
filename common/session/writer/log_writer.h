// Writes the records of a session: a header, one record a tick, checkpoints and an end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/session/log_records.h"
#include "common/session/writer/record_sink.h"
#include "common/world/world.h"

namespace orrery::session {

// Time from one regular checkpoint to the next, in seconds. A second is as many ticks as the
// scene's tick rate says.
inline constexpr std::uint64_t kCheckpointSeconds = 10;

// Returns the header of a session that starts with this world.
// REQUIRES: the world is in its initial state.
codec::LogHeader make_log_header(const World& world, std::string build,
                                 const codec::SessionId& session);

// The producer of a session's records. It encodes each tick once: the log, the shadow (a second
// world that checks the server's) and the followers (session/follow_messages.h) all use those
// bytes. It allocates nothing per tick after warm-up, except for a checkpoint that is larger than
// all before. REQUIRES: `sink` outlives the object.
class SessionLog {
 public:
  // Begins a session.
  // REQUIRES: header.segment is 0.
  SessionLog(RecordSink& sink, const codec::LogHeader& header);

  // Resumes a session in a new segment. The header has the number of the new segment, the tick of
  // `world` and the checksum of the last record of the existing log, but no scene. The first record
  // is a checkpoint of `world`.
  // REQUIRES: the image of `world` fits into a record.
  SessionLog(RecordSink& sink, const codec::LogHeader& header, const World& world);

  // Records the tick that step() has just made (world.applied() and world.hash()), and a checkpoint
  // if one is due. Returns false if the sink refuses a record. REQUIRES: every tick is recorded, in
  // order.
  bool append_tick(const World& world);

  // Writes the end record: the session was closed on purpose. REQUIRES: no tick is recorded after
  // it.
  void close();

  // Returns the header that the log was begun with, without the scene.
  const codec::LogHeader& header() const { return header_; }
  // Returns the last tick recorded.
  std::uint64_t ticks() const { return ticks_; }
  // Returns the payload of the last tick record; empty before the first. It is valid until the next
  // tick.
  Bytes last_tick() const { return tick_; }

 private:
  // Stores the image of `world` in `image_`. Returns false if it is too large for a record.
  bool take_image(const World& world);
  // Returns a checkpoint of `world` with `image_`. The checkpoint is valid until the next record.
  // REQUIRES: take_image() has just stored the image of `world`.
  LogRecord checkpoint(const World& world);

  RecordSink& sink_;
  codec::LogHeader header_;
  std::uint64_t ticks_ = 0;
  bool closed_ = false;
  std::vector<std::uint8_t> tick_;  // the payload of the last tick
  // The payload of the last record that is not a tick. For a checkpoint, only the part before the
  // image.
  std::vector<std::uint8_t> payload_;
  std::vector<std::uint8_t> image_;
};

}  // namespace orrery::session
