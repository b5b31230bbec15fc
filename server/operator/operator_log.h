// Logs the events of a session for its operator, at most ten lines a second of each event.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/codec/message_codec.h"
#include "common/core/ids.h"
#include "common/host/disk/log_file.h"
#include "common/net/environment.h"
#include "common/session/follow_messages.h"
#include "common/world/world.h"
#include "server/operator/log_line.h"

namespace orrery::server {

// Returns "watch", "play" or "admin".
std::string_view role_name(Role role);

// Allows ten lines a second and counts the rest.
class LineLimit {
 public:
  // Returns whether a line may be written now. If so, sets `suppressed` to the number of lines that
  // were refused since the last allowed one.
  bool allow(net::Nanoseconds now, std::uint64_t& suppressed);

 private:
  net::Nanoseconds second_started_ = 0;
  int written_ = 0;  // in this second
  std::uint64_t suppressed_ = 0;
};

// Writes the events that can come in floods. If lines of an event were suppressed, its next line
// has their number in the field `suppressed`.
class OperatorLog {
 public:
  void client_joined(ClientId client, Role role, const std::string& address, net::Nanoseconds now);
  void client_left(ClientId client, EndReason reason, net::Nanoseconds now);
  // Logs that a client left because it connected again. `address` belongs to its new connection.
  void client_replaced(ClientId client, const std::string& address, net::Nanoseconds now);
  // Logs that a client continues from `address`.
  void client_moved(ClientId client, const std::string& address, net::Nanoseconds now);
  // Logs that the path to a client drops large datagrams: it gets none of more than `bytes`.
  void client_narrowed(ClientId client, std::size_t bytes, net::Nanoseconds now);
  // Logs that a follower computed another state than the server.
  void client_diverged(ClientId client, const session::Mismatch& mismatch, net::Nanoseconds now);
  // Logs that the web side refused a request, or ended a connection.
  void web_refused(const std::string& address, std::string_view reason, net::Nanoseconds now);
  // Logs that the session has fallen behind real time, by `ticks` ticks since its start.
  void ticks_slow(std::uint64_t ticks, net::Nanoseconds now);
  // Logs three problems: a write of the session log fails, the disk is more than half a second
  // late, or another program has damaged a file of the log. Repeats the line every minute while the
  // problem lasts. Logs once when the log is durable again. Also logs each time that records were
  // removed to save space.
  void durability(const session::LogState& log, const World& world, net::Nanoseconds now);

 private:
  void write(LogEvent event, std::vector<LogField> fields, net::Nanoseconds now);

  std::array<LineLimit, kLogEvents.size()> limits_;  // indexed by event
  // the last line was about a log that is late or damaged
  bool late_ = false;
  bool damaged_ = false;
  Tick removed_logged_;               // last removed tick in a line
  net::Nanoseconds late_logged_ = 0;  // time of the last line about `late_`
};

}  // namespace orrery::server
