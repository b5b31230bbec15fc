// Owns a test client: it plays with what it sees, by a seed, and checks all that it receives.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "common/core/rng.h"

namespace orrery::client {

// What a bot has found. A problem is something that a sound server never does, whatever the network
// does.
struct BotReport {
  bool connected = false;
  std::uint64_t snapshots = 0;   // complete ones
  std::uint64_t selected = 0;    // of those: the server had no room for all bodies
  std::uint64_t incomplete = 0;  // parts of them were lost
  std::uint64_t late = 0;        // complete only after a newer one
  std::uint64_t commands = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t bytes_received = 0;
  double round_trip_seconds = 0;    // of what it said, until it heard that it came
  double loss = 0;                  // of that, 0 to 1
  std::uint64_t hash_checks = 0;    // ticks in which a follower's state was compared
  std::uint64_t hash_failures = 0;  // of them
  std::uint64_t problems = 0;
  std::string first_problem;
};

class Bot {
 public:
  // The environment outlives the bot. With a follower it plays with the world of that, and holds
  // every mismatch against the server.
  Bot(net::NetEnvironment& environment, const net::ConnectToken& token, std::uint64_t seed,
      net::Nanoseconds now, std::unique_ptr<Follower> follower = nullptr);

  void receive(const net::Address& from, Bytes datagram, net::Nanoseconds now);
  // To be called a few times in every tick.
  void update(net::Nanoseconds now);

  // Gives no more commands: what was given is acknowledged before the end.
  void finish() { finishing_ = true; }
  // Says goodbye, and judges what must have happened by now.
  void stop(net::Nanoseconds now);

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
  int holding_ = 0;             // snapshots until the body that is held is thrown; 0: none is held
  Vec3 held_at_;                // where it was
  std::vector<BodyId> pushed_;  // bodies with a held thrust or torque of this bot
  std::vector<std::uint32_t> generations_;  // the newest seen, of every slot
};

}  // namespace orrery::client
