// Owns the writing of a session log: a header, a record for each tick, and an end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/codec/log_codec.h"
#include "common/session/byte_sink.h"
#include "common/session/log_format.h"
#include "common/world/world.h"

namespace orrery {

// The header of a session that starts with this world, which is in its initial state.
LogHeader make_log_header(const World& world, std::string build, const SessionId& session);

// Writes records to a sink that outlives it. Allocates nothing per tick after warm-up.
class SessionLog {
 public:
  // Writes the preamble and the header.
  SessionLog(ByteSink& sink, const LogHeader& header);

  // Records the tick that step() has just made: world.applied and world.hash. Every tick is
  // recorded, in order, from tick 1. False if the sink did not take it.
  bool append_tick(const World& world);

  // Writes the end record: the session was closed on purpose. Nothing may follow.
  void close();

  std::uint64_t ticks() const { return ticks_; }

 private:
  // Frames `payload_` and hands it to the sink.
  bool append(RecordType type);

  ByteSink& sink_;
  std::uint64_t chain_ = 0;  // the checksum of the last record
  std::uint64_t ticks_ = 0;
  bool closed_ = false;
  std::vector<std::uint8_t> payload_;
  std::vector<std::uint8_t> record_;
};

}  // namespace orrery
