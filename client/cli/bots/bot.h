// A test client: it plays in some way, and checks everything that it receives.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/cli/bots/shown.h"
#include "client/lib/client.h"
#include "common/world/command.h"

namespace orrery::client {

// The results of a bot. A problem is something that a correct server never does, whatever the
// network does. Counts are of all its connections.
struct BotReport {
  bool connected = false;        // the server accepted it at least once
  bool only_watches = false;     // the server ignores its commands
  std::uint64_t snapshots = 0;   // snapshots with all bodies or a selection of them
  std::uint64_t selected = 0;    // snapshots with a selection
  std::uint64_t incomplete = 0;  // snapshots of all bodies with lost parts
  std::uint64_t late = 0;        // snapshots that were completed after a newer one
  std::uint64_t commands = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t refused = 0;  // commands that the server refused
  std::uint64_t bytes_received = 0;
  std::uint64_t narrowed = 0;       // 1 if its path drops large datagrams, otherwise 0
  double round_trip_seconds = 0;    // seconds from sending to acknowledgement
  double loss = 0;                  // share of its packets that were lost, 0 to 1
  std::uint64_t hash_checks = 0;    // ticks of a follower that were compared
  std::uint64_t hash_failures = 0;  // 1 if a state of the follower differed, otherwise 0
  std::shared_ptr<const session::Flight> flight;  // the last ten seconds before that, if known
  std::uint64_t connections = 0;                  // connections that the server accepted
  std::uint64_t reconnects = 0;  // connections after a lost one; hostile: after the first
  std::uint64_t frames = 0;      // frames that were shown and checked
  std::uint64_t problems = 0;
  std::string first_problem;
  ConnectAttempt attempt;  // the newest attempt to connect, once the bot was stopped
};

// How a bot plays:
// - mixed: grabs, throws, pushes and spins bodies, spawns and removes some.
// - idle: gives no commands.
// - wander: pushes one body from place to place with a thrust.
// - throws: grabs bodies, swings them about and throws them.
// - push: gives impulses.
// - visit: pushes too, leaves after some seconds, and joins again with another token.
// - hostile: sends the server anything but valid messages, and floods it.
enum class BotKind : std::uint8_t { mixed, idle, wander, throws, push, visit, hostile };

// Returns the kind with this name: "mixed", "idle", "wander", "throw", "push", "visit" or
// "hostile". Returns nothing for another name.
std::optional<BotKind> bot_kind(std::string_view name);

// The settings of a bot.
struct BotOptions {
  BotKind kind = BotKind::mixed;
  std::uint64_t seed = 1;  // seed of the random choices
  bool follow = false;     // step the world, and compare each state hash
  // receive plain snapshots instead of differences (mode plain, not delta)
  bool plain = false;
  std::optional<session::Fault> fault;  // of the followed world, for tests
  std::size_t shown_max = 0;            // shown poses to keep for a comparison with the log
};

// A test client. It has no socket and no clock, like a Client.
class Bot {
 public:
  virtual ~Bot() = default;

  // Takes a datagram from the network, which came by a route (Client::receive). Bots other than
  // hostile ones give their commands here, when a new state arrives.
  virtual void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now,
                       std::uint32_t route) = 0;
  // Shows a frame if one is due, and connects again if the connection was lost. A hostile bot
  // attacks here. REQUIRES: several calls per tick.
  virtual void update(net::Nanoseconds now) = 0;
  // Returns the next datagram to send, valid until the next call; nothing if none waits.
  virtual std::optional<Outgoing> poll_send() = 0;

  // Stops giving commands, so that the server can acknowledge all of them before stop().
  virtual void finish() = 0;
  // Notes a problem if the connection was lost for good. Unless the bot is hostile, also notes one
  // if a command was not acknowledged. Then disconnects.
  virtual void stop(net::Nanoseconds now) = 0;

  // Returns the results so far.
  virtual BotReport report() const = 0;
  // Returns the poses that were kept, in any order.
  virtual std::vector<Shown> shown() const { return {}; }
};

// Makes a bot, which starts to connect. `tokens` gives another token for each connection.
std::unique_ptr<Bot> make_bot(ClientEnvironment environment, TokenSource tokens,
                              const BotOptions& options, net::Nanoseconds now);

}  // namespace orrery::client
