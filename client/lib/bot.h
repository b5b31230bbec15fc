// A test client that plays at random and checks all that it receives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "common/core/rng.h"

namespace orrery::client {

// The results of a bot. A problem is something that a correct server never does, whatever the
// network does.
struct BotReport {
  bool connected = false;
  std::uint64_t snapshots = 0;   // snapshots with all bodies or a selection of them
  std::uint64_t selected = 0;    // snapshots with a selection
  std::uint64_t incomplete = 0;  // snapshots of all bodies with lost parts
  std::uint64_t late = 0;        // snapshots that were completed after a newer one
  std::uint64_t commands = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t bytes_received = 0;
  double round_trip_seconds = 0;    // seconds from sending to acknowledgement
  double loss = 0;                  // share of its packets that were lost, 0 to 1
  std::uint64_t hash_checks = 0;    // ticks of a follower that were compared
  std::uint64_t hash_failures = 0;  // 1 if a state of the follower differed, otherwise 0
  std::uint64_t problems = 0;
  std::string first_problem;
};

// A client that plays at random, by a seed, and checks everything it receives.
class Bot {
 public:
  // Starts to connect. With a follower the bot plays with the follower's world, and counts a
  // mismatch as a problem. REQUIRES: the environment outlives the bot.
  Bot(net::NetEnvironment& environment, const net::ConnectToken& token, std::uint64_t seed,
      net::Nanoseconds now, std::unique_ptr<Follower> follower = nullptr);

  // Takes a datagram from the network.
  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now);
  // Plays, and sends the datagrams that are due. REQUIRES: several calls per tick.
  void update(net::Nanoseconds now);

  // Stops giving commands, so that the server can acknowledge all of them before stop().
  void finish() { finishing_ = true; }
  // Checks that the connection lasted, all commands are acknowledged and all messages were valid.
  // Then disconnects.
  void stop(net::Nanoseconds now);

  // Returns true if the connection has ended.
  bool ended() const { return connection_.endpoint().state() == net::ClientState::ended; }
  const Connection& connection() const { return connection_; }
  BotReport report() const;

 private:
  void problem(const std::string& what);
  void take(const Snapshot& snapshot, net::Nanoseconds now);
  void follow(net::Nanoseconds now);
  void check(const Snapshot& snapshot, net::Nanoseconds now);
  void check_generations(const Snapshot& snapshot);

  void play(const Snapshot& snapshot);
  void hold_and_throw(const Snapshot& snapshot);
  void push(const Snapshot& snapshot);
  void change_population(const Snapshot& snapshot);
  Vec3f around(const Vec3& center, double reach);
  const codec::BodyState& any(const Snapshot& snapshot);

  const std::unique_ptr<Follower> follower_;
  Connection connection_;
  SplitMix64 random_;
  BotReport found_;
  bool finishing_ = false;
  Tick newest_;
  net::Nanoseconds newest_at_ = 0;
  int holding_ = 0;             // snapshots until the held body is thrown; 0: none is held
  Vec3 held_at_;                // position at which it was grabbed
  std::vector<BodyId> pushed_;  // bodies that this bot gave a thrust or torque
  std::vector<std::uint32_t> generations_;  // newest generation that was seen, by slot
};

}  // namespace orrery::client
