// Owns what the server tells its operator: a line for each event, never more than ten a second of a
// kind.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/host/disk/log_file.h"
#include "common/net/environment.h"
#include "common/session/follow_messages.h"
#include "common/world/world.h"

namespace orrery::server {

// Lets ten through in a second and counts the rest.
class LineLimit {
 public:
  // True if a line may be written; `left_out` is how many were not since the last that was.
  bool allow(net::Nanoseconds now, std::uint64_t& left_out);

 private:
  net::Nanoseconds second_started_ = 0;
  int written_ = 0;
  std::uint64_t left_out_ = 0;
};

// Writes through spdlog, to stderr. Nothing that it writes is foreign text.
class Journal {
 public:
  void joined(ClientId client, const std::string& address, net::Nanoseconds now);
  void left(ClientId client, codec::message::DisconnectReason reason, net::Nanoseconds now);
  // A client that follows came to another state.
  void mismatched(ClientId client, const session::Mismatch& mismatch, net::Nanoseconds now);
  // Ticks that are late and will stay so.
  void slowed(std::uint64_t ticks, net::Nanoseconds now);
  // Says when the disk does not take the log or another program has damaged a file of it, each
  // minute while that lasts, and when the log is durable again.
  void durability(const host::LogState& log, const World& world, net::Nanoseconds now);

 private:
  LineLimit joins_;
  LineLimit leaves_;
  LineLimit mismatches_;
  LineLimit slow_;
  LineLimit disk_;
  bool behind_ = false;  // the disk, of the session
  bool damaged_ = false;
  net::Nanoseconds behind_said_ = 0;
};

}  // namespace orrery::server
