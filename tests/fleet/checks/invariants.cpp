// Checks the invariants of a run, which hold with every network and every client.
#include "tests/fleet/checks/invariants.h"

#include <algorithm>
#include <utility>

#include "common/core/limits.h"
#include "common/session/replay/replay.h"
#include "tests/fleet/checks/body_bounds.h"
#include "tests/fleet/checks/end_reasons.h"
#include "tests/fleet/held_memory.h"

namespace orrery::fleet {
namespace {

// Bounds of the memory of a server, in bytes: for each client slot that was ever used, for each
// body slot, and for the rest. Most of the rest are the records of the last minute, which the
// server keeps for followers.
constexpr std::int64_t kHeldPerSlot = 16 << 10;
constexpr std::int64_t kHeldPerBody = 6 << 10;
constexpr std::int64_t kHeldSlack = 512 << 10;
// A baseline and 32 frames of mode delta, of 108 bytes for each body.
constexpr std::int64_t kHeldPerSlotAndBody = 33 * 108;

constexpr std::uint64_t kTicksBehindMax = 3;  // from one snapshot to the next

std::string number(std::uint64_t value) { return std::to_string(value); }

// Returns the longest delay between snapshots, in ticks. Events take half of the budget, so the
// slowest paths do not have room for a datagram at every snapshot.
std::uint64_t ticks_behind_max(const net::CongestionControl& budget, std::uint32_t tick_rate) {
  const double left = budget.rate() / 2 * kTicksBehindMax / tick_rate;
  return left < net::CongestionControl::kDatagramBytes ? 2 * kTicksBehindMax : kTicksBehindMax;
}

}  // namespace

Marks marks_of(const client::Connection& connection, Tick newest) {
  const client::ConnectionCounters& counters = connection.counters();
  const client::SnapshotCounters& snapshots = connection.snapshots().counters();
  return {static_cast<std::uint64_t>(connection.endpoint().state()),
          newest.value,
          connection.commands().acknowledged().value,
          counters.malformed,
          counters.messages.events,
          counters.messages.events_missed,
          snapshots.complete,
          snapshots.selected,
          snapshots.abandoned,
          snapshots.repeated,
          snapshots.unsound};
}

void Invariants::fail(std::string invariant, std::string what) {
  if (!violation_) violation_ = Violation{std::move(invariant), std::move(what)};
}

void Invariants::watch(const server::Server& server, const World& world) {
  server_ = &server;
  exchanges_.watch(server);
  world_ = &world;
  watched_since_ = network_.now;
  commands_.restart();
  first_ = last_ = world.tick();
  slots_.watch(world);
  tick_time_ = world.tick_time();
  truth_.remember(world);
  events_.watch(server);
  energy_.emplace(world);
  held_at_start_ = held_by_server();
}

void Invariants::what_was_durable_is_there(Tick durable, const World& recovered) {
  const Tick tick = recovered.tick();
  if (tick < durable || tick > last_ || recovered.hash() != truth_.hash(tick)) {
    fail("durable ticks survive", "the disk had durable tick " + number(durable.value) + " of " +
                                      number(last_.value) + ", and tick " + number(tick.value) +
                                      " was recovered");
  }
  ticks_undone_ += last_.value - tick.value;
}

void Invariants::connected(Session& session) {
  commands_.connected(session);
  hostile_was_here_ = hostile_was_here_ || session.hostile;
}

void Invariants::heard(const net::Datagram& datagram, net::ClientState before,
                       net::ClientState after) {
  const bool asked =
      before == net::ClientState::requesting && after == net::ClientState::responding;
  // A client with another address gets a challenge while it is connected.
  const bool moves = before == net::ClientState::connected && !datagram.damaged &&
                     (datagram.bytes[0] & 0xf) == static_cast<int>(net::PacketType::challenge);
  if (asked || moves) exchanges_.reached(datagram.to);
}

void Invariants::check_tick() {
  if (!nonces_.repeated.empty()) fail("nonces are fresh", nonces_.repeated);
  ticks_follow_one_another();
  no_tick_is_early();
  note(commands_.check_tick(*world_, network_.now - watched_since_));
  note(check_body_bounds(*world_, hostile_was_here_));
  energy_comes_from_commands();
  note(slots_.check(*server_, *world_));
  memory_is_bounded();
  truth_.remember(*world_);
  events_.remember(*world_);
}

void Invariants::few_ticks_are_caught_up(std::uint32_t due) {
  if (due <= limits::kCatchUpTicksMax) return;
  fail("ticks follow one another", number(due) + " ticks are caught up at once");
}

void Invariants::ticks_follow_one_another() {
  if (world_->tick().value != last_.value + 1) {
    fail("ticks follow one another",
         "tick " + number(world_->tick().value) + " after " + number(last_.value));
  }
  last_ = world_->tick();
}

void Invariants::no_tick_is_early() {
  if (world_->tick_time() != tick_time_)
    fail("nobody is faster than time", "the length of a tick has changed");
  const net::Nanoseconds passed = network_.now - watched_since_;
  const std::uint64_t due = passed / net::kMillisecond * world_->scene().tick_rate / 1000 + 1;
  if (world_->tick().value - first_.value > due) {
    fail("nobody is faster than time", "tick " + number(world_->tick().value) + " is not due");
  }
}

void Invariants::energy_comes_from_commands() {
  energy_->follow(*world_);
  // After a hostile client was there, this check does not apply to scenes with collision: the
  // client may push so hard that no step resolves the springs.
  if (hostile_was_here_ && world_->collision()) return;
  if (energy_->energy() <= energy_->most()) return;
  fail("energy comes from commands", std::to_string(energy_->energy()) + " J exceed " +
                                         std::to_string(energy_->most()) +
                                         ", the initial energy and the work of commands");
}

void Invariants::memory_is_bounded() {
  const std::int64_t held = held_by_server() - held_at_start_;
  const auto slots = static_cast<std::int64_t>(server_->endpoint().peers().highest().value);
  const auto bodies = static_cast<std::int64_t>(world_->bodies().capacity());
  if (held >
      kHeldSlack + slots * (kHeldPerSlot + bodies * kHeldPerSlotAndBody) + bodies * kHeldPerBody) {
    fail("memory is bounded", std::to_string(held) + " bytes more than at the start");
  }
}

void Invariants::clients_see_the_truth(const client::Snapshot& snapshot, Tick newest_before,
                                       Tick newest) {
  ++snapshots_;
  if (!truth_.had(snapshot)) {
    fail("clients see the truth", "a snapshot of tick " + number(snapshot.tick.value) +
                                      " differs from the state or is incomplete");
  }
  if (snapshot.tick == newest_before || newest != std::max(newest_before, snapshot.tick)) {
    fail("clients see the truth", "of ticks " + number(newest_before.value) + " and " +
                                      number(snapshot.tick.value) + " after it, " +
                                      number(newest.value) + " is shown");
  }
}

void Invariants::followers_come_to_the_truth(const client::Follower& follower,
                                             const std::optional<session::Fault>& fault) {
  ++states_followed_;
  if (follower.error()) return fail("followers reach the truth", follower.error()->message);
  const World* const world = follower.world();
  if (!world) return fail("followers reach the truth", "it has no state");
  const bool equal = truth_.had(world->tick(), world->hash());
  const bool broken = fault && world->tick() == fault->tick;
  mismatched_ = mismatched_ || broken;
  if (equal != broken && follower.mismatch().has_value() == broken) return;
  fail("followers reach the truth",
       "tick " + number(world->tick().value) +
           (equal ? " has the right state" : " has another state") +
           (follower.mismatch() ? ", and the follower reports a mismatch"
                                : ", and the follower reports none"));
}

void Invariants::mismatches_are_told() {
  const std::uint64_t there = mismatched_ ? 1 : 0;
  if (server_->mismatches() == there) return;
  fail("mismatches are reported",
       number(server_->mismatches()) + " mismatches reached the server, of " + number(there));
}

void Invariants::events_have_come(const Session& session, net::Nanoseconds trip) {
  note(events_.check_all_arrived(session, ticks_in(trip) + kTicksBehindMax, network_.now));
}

void Invariants::connections_end_for_a_reason(EndReason reason) {
  if (is_fair_end(reason)) return;
  fail("connections end for a reason", "the server " + std::string(describe(reason)));
}

void Invariants::damage_changes_nothing(const Marks& before, const Marks& after) {
  if (before != after) fail("damage changes nothing", "a client accepted a damaged datagram");
}

void Invariants::clients_converge(Tick newest, Sequence acknowledged, const Session& session,
                                  net::Nanoseconds trip) {
  const std::string name = "client " + number(session.client.value);
  const net::CongestionControl& budget = server_->endpoint().peers()[session.client].budget;
  const std::uint64_t behind_max = ticks_behind_max(budget, world_->scene().tick_rate);
  if (newest.value + ticks_in(trip) + behind_max < world_->tick().value) {
    fail("clients converge", name + " is late");
  }
  const Sequence received = server_->inbox().received(session.client);
  if (acknowledged != received || received.value != session.given.size()) {
    fail("clients converge", name + " and the server do not agree on its commands");
  }
}

void Invariants::nothing_gone_is_shown(const client::Snapshot& snapshot) {
  if (truth_.had_bodies(snapshot)) return;
  fail("clients converge", "a snapshot of tick " + number(snapshot.tick.value) +
                               " has other bodies than the world had");
}

void Invariants::predictions_are_close(Prediction& prediction) {
  if (const auto wrong = prediction.check(*world_)) fail("predictions are close", *wrong);
}

void Invariants::visits_leave_nothing(std::int64_t least_left) {
  if (least_left <= 0) return;
  fail("memory is bounded",
       "every visit of clients has left at least " + std::to_string(least_left) + " bytes");
}

void Invariants::log_replays(const session::OpenSegment& segments) {
  const auto first = segments(0);
  if (!first) return fail("the log replays", first.error().text());
  session::LogReader reader(*first.value(), segments);
  const auto header = reader.read_header();
  auto world = header ? session::initial_world(header.value()) : Result<World>(header.error());
  if (!world) return fail("the log replays", world.error().text());
  SerialExecutor executor;
  const session::Verification found =
      session::verify(reader, header.value(), world.value(), executor, [] {});
  if (!found.sound() || found.verified != last_.value || found.hash != world_->hash()) {
    fail("the log replays", number(found.verified) + " ticks verified of " + number(last_.value));
  }
}

}  // namespace orrery::fleet
