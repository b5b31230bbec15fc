// Simulates an honest program that plays through a client with clocks, and comes back.
#pragma once

#include <cstdint>
#include <deque>

#include "client/lib/client.h"
#include "tests/fleet/checks/command_waits.h"
#include "tests/fleet/checks/invariants.h"
#include "tests/fleet/pace.h"
#include "tests/fleet/players/issuer.h"
#include "tests/fleet/roaming_machine.h"

namespace orrery::fleet {

// The disturbances of a regular client.
enum class Habit : std::uint8_t {
  stays,   // nothing, but its path may drop large datagrams
  roams,   // its machine moves to another network
  travels  // its path is cut for a while, and its back end gives it no tokens
};

// A program that uses client::Client, as games do. Its path only delays datagrams, or drops large
// ones, except for the disturbances of its habit. If its commands wait or its picture goes back, a
// clock is wrong. If it does not come back in time, a search for a path or a ticket is wrong.
class Regular {
 public:
  // `narrow`: the path of a client that stays drops large datagrams. REQUIRES: all references
  // outlive the client.
  Regular(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
          const ServerPace& pace, std::uint64_t seed, std::uint32_t number, Habit habit,
          bool narrow);
  Regular(const Regular&) = delete;  // the client refers to this object

  // Handles a datagram, if it is for this client.
  void receive(const net::Datagram& datagram);
  // Shows a frame, sends everything that is due, and checks that the client is back in time. Call
  // it several times in every tick.
  void update();
  // Checks the waits of its commands. Call it after each poll and each tick of the server.
  void check_waits(const server::Server& server, Tick next);
  // Checks that it is connected and has the scene, and that the server has taken all commands of
  // its session. Call it when none waits.
  void check_calm(const Scene& scene);

  Habit habit() const { return habit_; }
  // Changes the network of its machine, or cuts its path until `end`. Returns false, without
  // effect, if the client has not yet settled after the last disturbance.
  bool disturb(net::Nanoseconds end);
  // Stops giving commands.
  void finish() { finishing_ = true; }
  // Leaves for good.
  void go() {
    client_.disconnect(network_.now);
    gone_ = true;
  }

  // Returns the number of frames that were shown.
  std::uint64_t frames() const { return shown_.frames; }

 private:
  // The picture: the newest tick that was shown, its epoch, and the number of frames so far. Also
  // when the first state of the newest session arrived, or 0.
  struct Shown {
    double tick = 0;
    std::uint64_t epoch = 0;
    std::uint64_t frames = 0;
    net::Nanoseconds since = 0;
  };

  Result<client::TokenOffer> offer();
  void run();
  void play();
  void show();
  void check_return();

  Network& network_;
  Issuer& issuer_;
  Invariants& invariants_;
  const ServerPace& pace_;
  SplitMix64 random_;
  const std::uint32_t number_;
  const Habit habit_;
  const net::PathFaults path_;
  RoamingMachine machine_;
  client::Client client_;
  std::deque<Session> sessions_;  // a deque, because other objects keep pointers to the sessions
  CommandWaits waits_;
  net::Nanoseconds connected_at_ = 0;  // of the newest session
  net::Nanoseconds disturbed_;         // when the last disturbance of its path ended
  bool moved_ = false;                 // the last disturbance was a move
  net::Nanoseconds state_at_ = 0;      // when the newest state arrived
  net::Nanoseconds play_at_ = 0;       // when it gives its next command
  Shown shown_;
  bool finishing_ = false;
  bool gone_ = false;
};

}  // namespace orrery::fleet
