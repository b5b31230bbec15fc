// Owns what must hold in every run, whatever the network and the clients do.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "common/session/log_reader.h"
#include "server/server.h"
#include "tests/fleet/checks/energy_budget.h"
#include "tests/fleet/checks/exchanges.h"
#include "tests/fleet/checks/prediction.h"
#include "tests/fleet/checks/received_events.h"
#include "tests/fleet/checks/truth.h"
#include "tests/fleet/checks/watched_cipher.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// A connection as its client has it.
struct Session {
  struct Given {
    CommandPayload payload;
    bool taken = false;  // into a tick
  };

  ClientId client{};           // once connected
  bool hostile = false;        // what it sends is not known here
  std::vector<Given> given{};  // command n is at n - 1
  std::size_t acknowledged = 0;
  std::optional<std::uint64_t> next_event{};  // its number, once it has heard of one
};

// What a client has taken from its server, as numbers: equal if nothing was.
using Marks = std::array<std::uint64_t, 11>;
Marks marks_of(const client::Connection& connection, Tick newest);

// Each function that is an invariant says by its name what holds. The first one that does not is
// kept.
class Invariants {
 public:
  Invariants(const Network& network, const UsedNonces& nonces)
      : network_(network), nonces_(nonces) {}

  // A server that starts with this world, or goes on with it. Both outlive the next call.
  void watch(const server::Server& server, const World& world);
  // After a crash; before watch().
  void what_was_durable_is_there(Tick durable, const World& recovered);
  // A session has got its client id.
  void connected(Session& session);
  // A client has taken the challenge that it had asked for: it is where it says that it is.
  void reached(const net::Address& address) { exchanges_.reached(address); }
  // It is connected and sent snapshots.
  void shown(const net::Address& address) { exchanges_.shown(address); }

  void server_sends(const net::Address& to, Bytes datagram) {
    note(exchanges_.server_sends(to, datagram));
  }
  void server_receives(const net::Datagram& datagram) {
    note(exchanges_.server_receives(datagram));
  }
  void server_has_heard_all() { note(exchanges_.server_has_heard_all()); }
  void few_ticks_are_caught_up(std::uint32_t due);
  // After each tick.
  void check_tick();

  // Of a snapshot that has come, or that is shown from now on.
  void clients_see_the_truth(const client::Snapshot& snapshot, Tick newest_before, Tick newest);
  // But for one that breaks its own world: it comes to another state in that tick, and says so.
  void followers_come_to_the_truth(const client::Follower& follower,
                                   const std::optional<session::Fault>& fault);
  void mismatches_are_told();
  // Of a client that asked for events: after each datagram; and in a calm.
  void events_come_all_and_in_order(Session& session,
                                    const std::vector<codec::message::Events>& told);
  void events_have_come(const Session& session, net::Nanoseconds trip);
  // Of a client that has heard from the server.
  void what_is_acknowledged_was_taken(Session& session, Sequence acknowledged);
  // Of a client that did nothing wrong.
  void connections_end_for_a_reason(net::EndReason reason);
  void damage_changes_nothing(const Marks& before, const Marks& after);
  // After two seconds in which nothing was lost, of a client that was connected all the while; and
  // of its newest snapshot, if it is sent any.
  void clients_converge(Tick newest, Sequence acknowledged, const Session& session,
                        net::Nanoseconds trip);
  void nothing_gone_is_shown(const client::Snapshot& snapshot);
  // After each tick of that time, of a client that was connected in it.
  void predictions_are_close(Prediction& prediction);
  // When all clients are gone.
  void slots_come_back();
  // When they have come and gone a few times more: the least that one time has left, in bytes.
  void visits_leave_nothing(std::int64_t least_left);
  void log_replays(const session::OpenSegment& segments);

  // Notes a violation, unless there was one.
  void fail(std::string invariant, std::string what);
  const std::optional<Violation>& violation() const { return violation_; }
  // That were compared with what they should be.
  std::uint64_t snapshots() const { return snapshots_; }
  std::uint64_t states_followed() const { return states_followed_; }
  // By crashes.
  std::uint64_t ticks_undone() const { return ticks_undone_; }

 private:
  // What a client has given since it joined.
  struct Taken {
    std::set<std::uint32_t> sequences;
    std::int64_t in_tick = 0;
    std::int64_t ahead = 0;  // commands less ticks, up to this one: the most of any window
  };

  void note(const std::optional<Violation>& found) {
    if (found) fail(found->invariant, found->what);
  }
  void nonces_are_fresh();
  void ticks_follow_one_another();
  void commands_come_once_and_in_order();
  void take(const Command& command);
  void nobody_is_faster_than_time();
  void state_is_sound();
  void energy_comes_from_commands();
  void slots_are_conserved();
  void nothing_outlives_its_client();
  void memory_is_bounded();

  const Network& network_;
  const UsedNonces& nonces_;
  const server::Server* server_ = nullptr;
  const World* world_ = nullptr;
  std::optional<Violation> violation_;

  net::Nanoseconds watched_since_ = 0;
  Tick first_;  // of this server
  Tick last_;
  double tick_time_ = 0;
  std::int64_t held_at_start_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t states_followed_ = 0;
  std::uint64_t ticks_undone_ = 0;
  bool mismatched_ = false;  // the one that shall be
  bool hostile_was_here_ = false;

  Exchanges exchanges_;
  std::map<std::uint32_t, Session*> sessions_;  // the newest, by client
  std::map<std::uint32_t, Taken> taken_;        // by client that is joined
  ReceivedEvents events_;
  std::uint64_t events_missed_ = 0;           // by clients, that heard of later ones
  std::uint64_t events_left_out_ = 0;         // by servers, as they say
  std::uint64_t events_left_out_before_ = 0;  // by those that crashed
  Truth truth_;
  std::optional<EnergyBudget> energy_;
};

}  // namespace orrery::fleet
