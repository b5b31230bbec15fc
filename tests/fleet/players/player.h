// Owns an honest client of a fleet: it connects, plays, leaves and comes back.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "client/lib/connection.h"
#include "tests/fleet/checks/invariants.h"
#include "tests/fleet/players/issuer.h"

namespace orrery::fleet {

class Player {
 public:
  // All references outlive the player. `number` names it: account, address, and what it does.
  Player(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
         std::uint64_t seed, std::uint32_t number, net::Nanoseconds connect_at);

  const net::Address& address() const { return machine_.address(); }
  // False if it does not listen.
  bool receive(const net::Datagram& datagram);
  // A few times in every tick.
  void update();

  // What may happen to a client.
  void leave();
  void pause_until(net::Nanoseconds time) { paused_until_ = time; }
  void rest_until(net::Nanoseconds time) { resting_until_ = time; }
  void change_address();
  ClientMachine& machine() { return machine_; }
  // It has a slot, and the server may have let it in.
  bool greets() const {
    return connection_ && connection_->endpoint().state() == net::ClientState::greeting;
  }
  // This time it leaves as it comes in, if it may: before the tick in which it would join.
  bool is_fickle() const { return fickle_; }

  // Gives no more commands; and, gone, does not come back.
  void finish() { finishing_ = true; }
  void go();
  // It comes all the same.
  void come_back();
  // It neither follows nor is told of events.
  bool only_looks() const { return !follower_ && !wants_events(); }

  // Tells of what it shows from now on; the prediction outlives the player.
  void predict_with(Prediction& prediction) { prediction_ = &prediction; }

  // From its next connection on the world that it follows breaks, and it comes to another state.
  void break_world(const session::Fault& fault) { fault_ = fault; }
  bool breaks() const { return fault_.has_value(); }

  const std::optional<client::Connection>& connection() const { return connection_; }
  // The last tick whose state it has, or 0.
  Tick newest() const;
  // The snapshot of that tick, if it is sent any.
  const client::Snapshot* shown() const { return connection_->snapshots().newest(); }
  const Session& session() const { return sessions_.back(); }
  // When it was connected last.
  net::Nanoseconds connected_at() const { return connected_at_; }

 private:
  // Bodies that it knows of, and where the first is.
  struct Seen {
    BodyId any;
    Vec3 position;
    BodyId last;
    std::size_t count = 0;
  };

  bool wants_events() const;
  void connect();
  void follow(Tick newest_before);
  Seen look(const client::Snapshot& snapshot);
  Seen look(const World& world);
  void play(const Seen& seen);
  CommandPayload any_command(const Seen& seen);
  // Ends what lasts: a thrust, or else a grab.
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
  std::optional<client::Follower> follower_;  // of who follows
  std::optional<client::Connection> connection_;
  std::deque<Session> sessions_;  // that others point to
  BodyId thrust_on_;              // held until it is ended; one at a time
  bool thrusting_ = false;
  bool grabbing_ = false;
  net::Nanoseconds paused_until_ = 0;
  net::Nanoseconds resting_until_ = 0;  // it only lets go
  net::Nanoseconds connect_at_;
  bool was_connected_ = false;
  net::Nanoseconds connected_at_ = 0;
  bool fickle_ = false;
  bool finishing_ = false;
  bool gone_ = false;
};

}  // namespace orrery::fleet
