// Simulates an honest client that connects, plays, leaves and returns.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "client/lib/connection.h"
#include "tests/fleet/checks/invariants.h"
#include "tests/fleet/players/issuer.h"

namespace orrery::fleet {

// An honest client. Its number decides whether it follows the world, receives snapshots and events,
// or receives only snapshots.
class Player {
 public:
  // `number` determines the account, the address and the behaviour. REQUIRES: all references
  // outlive the player.
  Player(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
         std::uint64_t seed, std::uint32_t number, net::Nanoseconds connect_at);

  const net::Address& address() const { return machine_.address(); }
  // Handles a datagram for this client. Returns false, without effect, if the client has no
  // connection or is paused.
  bool receive(const net::Datagram& datagram);
  // Sends everything that is due. Call it several times in every tick.
  void update();

  // Events in the life of a client, called by the simulation.
  void leave();
  void pause_until(net::Nanoseconds time) { until_.paused = time; }
  void rest_until(net::Nanoseconds time) { until_.resting = time; }
  void rush_until(net::Nanoseconds time) { until_.rushing = time; }
  void change_address();
  ClientMachine& machine() { return machine_; }
  // Returns true while the client has a slot but not yet the welcome of the server.
  bool greets() const {
    return connection_ && connection_->endpoint().state() == net::ClientState::greeting;
  }
  // Returns true if this client tests early ends: the simulation may end its connection after the
  // server gave it a slot and before the tick of its join.
  bool is_fickle() const { return fickle_; }

  // Stops sending commands.
  void finish() { finishing_ = true; }
  // Leaves. The client does not return before come_back().
  void go();
  // Connects again. After finish() the client still sends no commands.
  void come_back();
  // Returns true if the client neither follows nor receives events.
  bool only_looks() const { return !follower_ && !wants_events(); }

  // From now on, gives a prediction each received snapshot that is the newest. REQUIRES: the
  // prediction outlives the player.
  void predict_with(Prediction& prediction) { prediction_ = &prediction; }

  // Makes the world that the client follows diverge, from its next connection on.
  void break_world(const session::Fault& fault) { fault_ = fault; }
  bool breaks() const { return fault_.has_value(); }

  const std::optional<client::Connection>& connection() const { return connection_; }
  // Returns the tick of the newest state that the client knows, or 0. REQUIRES: connection() has a
  // value, or the client follows.
  Tick newest() const;
  // Returns the newest snapshot, or nullptr if there is none. REQUIRES: connection() has a value.
  const client::Snapshot* shown() const { return connection_->snapshots().newest(); }
  const Session& session() const { return sessions_.back(); }
  // Returns the time at which the newest connection was established.
  net::Nanoseconds connected_at() const { return connected_at_; }

 private:
  // What a client knows of the bodies: the id and position of a random one, the id of the last one,
  // and their number.
  struct Seen {
    BodyId any;
    Vec3 position;
    BodyId last;
    std::size_t count = 0;
  };

  struct Until {
    net::Nanoseconds paused = 0;
    net::Nanoseconds resting = 0;  // the client only ends its thrust and its grab
    net::Nanoseconds rushing = 0;  // it gives as many commands as it can
  };

  bool wants_events() const;
  void connect();
  void follow(Tick newest_before);
  Seen look(const client::Snapshot& snapshot);
  Seen look(const World& world);
  void play(const Seen& seen);
  CommandPayload any_command(const Seen& seen);
  // Returns the command that ends the held thrust or, without one, the grab.
  CommandPayload let_go();
  Vec3f any_vector(double scale);

  Network& network_;
  Issuer& issuer_;
  Invariants& invariants_;
  SplitMix64 random_;
  const std::uint32_t number_;
  std::uint16_t port_ = 1000;
  ClientMachine machine_;
  std::optional<session::Fault> fault_;
  Prediction* prediction_ = nullptr;
  std::optional<client::Follower> follower_;  // only for a follower
  std::optional<client::Connection> connection_;
  std::deque<Session> sessions_;  // a deque, because other objects keep pointers to the sessions
  BodyId thrust_on_;              // body of the held thrust; there is at most one
  bool thrusting_ = false;
  bool grabbing_ = false;
  Until until_;
  net::Nanoseconds connect_at_;
  bool was_connected_ = false;
  net::Nanoseconds connected_at_ = 0;
  bool fickle_ = false;
  bool finishing_ = false;
  bool gone_ = false;
};

}  // namespace orrery::fleet
