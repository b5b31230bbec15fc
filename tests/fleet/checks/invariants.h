// Checks the invariants of a run, which hold with every network and every client.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "common/session/log_reader.h"
#include "server/server.h"
#include "tests/fleet/checks/applied_commands.h"
#include "tests/fleet/checks/energy_budget.h"
#include "tests/fleet/checks/exchanges.h"
#include "tests/fleet/checks/prediction.h"
#include "tests/fleet/checks/received_events.h"
#include "tests/fleet/checks/session.h"
#include "tests/fleet/checks/slots.h"
#include "tests/fleet/checks/truth.h"
#include "tests/fleet/checks/watched_cipher.h"
#include "tests/fleet/network.h"

namespace orrery::fleet {

// The state and the counters of a connection. A damaged datagram must not change any of them.
using Marks = std::array<std::uint64_t, 11>;
Marks marks_of(const client::Connection& connection, Tick newest);

// A set of checks that runs along with a simulation. The name of a check states the invariant. Only
// the first violation is kept.
class Invariants {
 public:
  Invariants(const Network& network, const UsedNonces& nonces)
      : network_(network), nonces_(nonces) {}

  // Starts to watch a server that starts or resumes with this world. REQUIRES: both exist in all
  // later checks, until the next call of watch().
  void watch(const server::Server& server, const World& world);
  // Checks the world that was recovered after a crash. Call it before watch().
  void what_was_durable_is_there(Tick durable, const World& recovered);
  // Records the client id of a new session, and keeps a pointer to the session.
  void connected(Session& session);
  // Records that a client received a datagram, which changed its state. If this was the challenge
  // for its own request or move, it proves its address.
  void heard(const net::Datagram& datagram, net::ClientState before, net::ClientState after);
  // Records that the client at `address` is connected and receives snapshots.
  void shown(const net::Address& address) { exchanges_.shown(address); }

  void server_sends(const net::Address& to, Bytes datagram) {
    note(exchanges_.server_sends(to, datagram));
  }
  void server_receives(const net::Datagram& datagram) {
    note(exchanges_.server_receives(datagram));
  }
  void server_has_heard_all() { note(exchanges_.server_has_heard_all()); }
  void few_ticks_are_caught_up(std::uint32_t due);
  // Runs the checks of one tick. Call it after each tick.
  void check_tick();

  // Checks a snapshot that has arrived, or that has become the newest.
  void clients_see_the_truth(const client::Snapshot& snapshot, Tick newest_before, Tick newest);
  // Checks a follower's state. A follower with a fault must diverge in the tick of the fault, and
  // report it.
  void followers_come_to_the_truth(const client::Follower& follower,
                                   const std::optional<session::Fault>& fault);
  void mismatches_are_told();
  // Check the events of a client that asked for them. Call events_come_all_and_in_order() after
  // each datagram, and events_have_come() after a time without faults. `trip` is the round trip
  // time.
  void events_come_all_and_in_order(Session& session,
                                    const std::vector<codec::message::Events>& received) {
    note(events_.check(session, received, network_.now));
  }
  void events_have_come(const Session& session, net::Nanoseconds trip);
  // Checks the acknowledged commands of a client.
  void what_is_acknowledged_was_taken(Session& session, Sequence acknowledged) {
    note(check_acknowledged(session, acknowledged, world_->scene()));
  }
  // Checks the reason for which an honest client was disconnected.
  void connections_end_for_a_reason(EndReason reason);
  void damage_changes_nothing(const Marks& before, const Marks& after);
  // Check a connected client after two seconds without faults. nothing_gone_is_shown() is only for
  // clients with snapshots.
  void clients_converge(Tick newest, Sequence acknowledged, const Session& session,
                        net::Nanoseconds trip);
  void nothing_gone_is_shown(const client::Snapshot& snapshot);
  // Checks the poses that a client extrapolates. Call it after each tick of a time without faults.
  void predictions_are_close(Prediction& prediction);
  // Checks that the server and its world keep no client. Call it when all clients are gone.
  void slots_come_back() { note(check_slots_came_back(*server_, *world_)); }
  // Checks the memory that remains after repeated visits of clients. `least_left` is the smallest
  // growth that any visit left, in bytes.
  void visits_leave_nothing(std::int64_t least_left);
  void log_replays(const session::OpenSegment& segments);

  // Record a violation, unless there already is one.
  void fail(std::string invariant, std::string what);
  void note(const std::optional<Violation>& found) {
    if (found) fail(found->invariant, found->what);
  }
  const std::optional<Violation>& violation() const { return violation_; }
  // Numbers of snapshots and states that were compared.
  std::uint64_t snapshots() const { return snapshots_; }
  std::uint64_t states_followed() const { return states_followed_; }
  // Number of ticks that crashes have undone.
  std::uint64_t ticks_undone() const { return ticks_undone_; }

 private:
  void ticks_follow_one_another();
  void no_tick_is_early();
  void energy_comes_from_commands();
  void memory_is_bounded();
  // Returns the first number of ticks that takes longer than `time`.
  std::uint64_t ticks_in(net::Nanoseconds time) const {
    return time * world_->scene().tick_rate / net::kSecond + 1;
  }

  const Network& network_;
  const UsedNonces& nonces_;
  const server::Server* server_ = nullptr;
  const World* world_ = nullptr;
  std::optional<Violation> violation_;

  net::Nanoseconds watched_since_ = 0;
  Tick first_;  // the tick from which this server started
  Tick last_;   // the last checked tick
  double tick_time_ = 0;
  std::int64_t held_at_start_ = 0;
  std::uint64_t snapshots_ = 0;
  std::uint64_t states_followed_ = 0;
  std::uint64_t ticks_undone_ = 0;
  bool mismatched_ = false;  // the deliberately broken follower diverged
  bool hostile_was_here_ = false;

  Exchanges exchanges_;
  AppliedCommands commands_;
  Slots slots_;
  ReceivedEvents events_;
  Truth truth_;
  std::optional<EnergyBudget> energy_;
};

}  // namespace orrery::fleet
