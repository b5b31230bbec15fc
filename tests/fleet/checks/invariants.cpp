// Checks the invariants of a run, which hold with every network and every client.
#include "tests/fleet/checks/invariants.h"

#include <algorithm>
#include <utility>

#include "common/codec/command_codec.h"
#include "common/core/limits.h"
#include "common/math/range.h"
#include "common/session/replay/replay.h"
#include "tests/fleet/checks/end_reasons.h"
#include "tests/fleet/held_memory.h"

namespace orrery::fleet {
namespace {

// Bounds that honest clients and a few minutes of free fall never reach.
constexpr double kReachMax = 1e6;    // m
constexpr double kSpeedMax = 1e4;    // m/s
constexpr double kSpinMax = 1e6;     // rad/s, body frame
constexpr double kNormSlack = 1e-9;  // allowed error of the squared length of an orientation

// Factor on the limits of a world, for runs with hostile clients. A hostile client can push bodies
// up to the limits of commands, and gravity then accelerates them beyond.
constexpr double kLimitsSlack = 2;

// Bounds of the memory of a server, in bytes: for each client slot that was ever used, for each
// body slot, and for the rest. Most of the rest are the records of the last minute, which the
// server keeps for followers.
constexpr std::int64_t kHeldPerSlot = 16 << 10;
constexpr std::int64_t kHeldPerBody = 6 << 10;
constexpr std::int64_t kHeldSlack = 512 << 10;
// A baseline and 32 frames of mode delta, of 108 bytes for each body.
constexpr std::int64_t kHeldPerSlotAndBody = 33 * 108;

constexpr std::uint64_t kTicksBehindMax = 3;  // from one snapshot to the next
// Largest number by which the applied commands of a client may exceed N, in any N ticks.
constexpr std::int64_t kCommandsAheadMax = 8;

std::string number(std::uint64_t value) { return std::to_string(value); }

bool same(const CommandPayload& a, const CommandPayload& b) {
  return codec::encodes_equally({{}, {}, a}, {{}, {}, b});
}

// Returns true if the command always changes the world. This holds for an impulse on a body of the
// scene that anyone may push, because honest clients never remove such a body.
bool always_applies(const CommandPayload& payload, const Scene& scene) {
  const auto* const push = std::get_if<command::Impulse>(&payload);
  if (!push || push->impulse == Vec3f{} || push->body.value >= scene.bodies.size()) return false;
  const BodyDef& body = scene.bodies[push->body.value];
  return is_dynamic(body.kind) && body.control == Control::anyone;
}

Vec3 spin_of(const physics::Bodies& bodies, std::uint32_t slot) {
  return scaled(bodies.inverse_inertia(slot), bodies.angular_momentum(slot));
}

// Returns true if the state is within the bounds of honest play. NaN is not within them.
bool within_reach_of_the_honest(const physics::Bodies& bodies, std::uint32_t slot) {
  return within(bodies.position(slot), kReachMax) && within(bodies.velocity(slot), kSpeedMax) &&
         within(spin_of(bodies, slot), kSpinMax);
}

// Returns true if the state is within the bounds of hostile play. Free rotation conserves angular
// momentum, so the spin grows when the body turns about an axis of smaller inertia.
bool within_limits(const World& world, std::uint32_t slot) {
  const double speed = kLimitsSlack * limits::kSpeedMax;
  const double time = static_cast<double>(world.tick().value) * world.tick_time();
  const Vec3 inertia = momentum_inertia(prototype_of(world, slot));
  const double turn = kLimitsSlack * square_root(3) * limits::kAngularSpeedMax *
                      std::max({inertia.x, inertia.y, inertia.z});
  return within(world.bodies().position(slot), limits::kLengthMax + speed * time) &&
         within(world.bodies().velocity(slot), speed) &&
         within(world.bodies().angular_momentum(slot), turn);
}

// Returns the longest delay between snapshots, in ticks. Events take half of the budget, so the
// slowest paths do not have room for a datagram at every snapshot.
std::uint64_t ticks_behind_max(const net::CongestionControl& budget, std::uint32_t tick_rate) {
  const double left = budget.rate() / 2 * kTicksBehindMax / tick_rate;
  return left < net::CongestionControl::kDatagramBytes ? 2 * kTicksBehindMax : kTicksBehindMax;
}

std::string text_of(const Vec3& v) {
  return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace

Marks marks_of(const client::Connection& connection, Tick newest) {
  const client::ConnectionCounters& messages = connection.counters();
  const client::SnapshotCounters& snapshots = connection.snapshots().counters();
  return {static_cast<std::uint64_t>(connection.endpoint().state()),
          newest.value,
          connection.commands().acknowledged().value,
          messages.malformed,
          messages.events,
          messages.events_missed,
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
  first_ = last_ = world.tick();
  tick_time_ = world.tick_time();
  truth_.remember(world);
  events_.begin();
  events_left_out_before_ = events_left_out_;
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
  sessions_[session.client.value] = &session;
  hostile_was_here_ = hostile_was_here_ || session.hostile;
}

void Invariants::check_tick() {
  nonces_are_fresh();
  ticks_follow_one_another();
  commands_come_once_and_in_order();
  nobody_is_faster_than_time();
  state_is_sound();
  energy_comes_from_commands();
  slots_are_conserved();
  nothing_outlives_its_client();
  memory_is_bounded();
  truth_.remember(*world_);
  events_.remember(*world_);
  events_left_out_ = events_left_out_before_ + server_->events_left_out();
}

void Invariants::few_ticks_are_caught_up(std::uint32_t due) {
  if (due <= limits::kCatchUpTicksMax) return;
  fail("ticks follow one another", number(due) + " ticks are caught up at once");
}

void Invariants::nonces_are_fresh() {
  if (!nonces_.repeated.empty()) fail("nonces are fresh", nonces_.repeated);
}

void Invariants::ticks_follow_one_another() {
  if (world_->tick().value != last_.value + 1) {
    fail("ticks follow one another",
         "tick " + number(world_->tick().value) + " after " + number(last_.value));
  }
  last_ = world_->tick();
}

void Invariants::commands_come_once_and_in_order() {
  const std::vector<Command>& applied = world_->applied();
  const auto unordered =
      std::adjacent_find(applied.begin(), applied.end(),
                         [](const Command& a, const Command& b) { return !comes_before(a, b); });
  if (unordered != applied.end()) {
    fail("commands are applied once and in order",
         "client " + number(unordered->client.value) + ", command " +
             number(unordered->sequence.value) + ", is out of order");
  }
  for (const Command& command : applied) take(command);
}

void Invariants::take(const Command& command) {
  const std::uint32_t client = command.client.value;
  if (command.client == kServer) {
    if (const auto* join = std::get_if<command::Join>(&command.payload)) {
      taken_[join->client.value] = {};
    } else if (const auto* leave = std::get_if<command::Leave>(&command.payload)) {
      taken_.erase(leave->client.value);
    }
    return;
  }
  const auto wrong = [&](const char* what) {
    fail("commands are applied once and in order",
         "command " + number(command.sequence.value) + " of client " + number(client) + what);
  };
  const auto taken = taken_.find(client);
  if (taken == taken_.end()) return wrong(", which is not joined");
  // The order of sequences is not checked: a command for a later tick is applied after commands
  // with higher sequences. Only a repeated sequence is an error.
  ++taken->second.in_tick;
  if (!taken->second.sequences.insert(command.sequence.value).second) {
    return wrong(" is taken again");
  }
  Session* const session = sessions_[client];
  if (session && session->hostile) return;
  const bool known = session && command.sequence.value <= session->given.size();
  if (!known || !same(session->given[command.sequence.value - 1].payload, command.payload)) {
    return wrong(" is none that it has given");
  }
  session->given[command.sequence.value - 1].taken = true;
}

void Invariants::nobody_is_faster_than_time() {
  if (world_->tick_time() != tick_time_)
    fail("nobody is faster than time", "the length of a tick has changed");
  const net::Nanoseconds passed = network_.now - watched_since_;
  const std::uint64_t due = passed / net::kMillisecond * world_->scene().tick_rate / 1000 + 1;
  if (world_->tick().value - first_.value > due) {
    fail("nobody is faster than time", "tick " + number(world_->tick().value) + " is not due");
  }
  // Kadane's algorithm: the largest excess of commands over ticks in any window that ends here.
  for (auto& [client, taken] : taken_) {
    taken.ahead = std::max<std::int64_t>(taken.ahead, 0) + std::exchange(taken.in_tick, 0) - 1;
    if (taken.ahead <= kCommandsAheadMax) continue;
    fail("nobody is faster than time", number(static_cast<std::uint64_t>(taken.ahead)) +
                                           " commands of client " + number(client) +
                                           " exceed its ticks");
  }
}

void Invariants::state_is_sound() {
  const physics::Bodies& bodies = world_->bodies();
  for (std::uint32_t slot = 0; slot < bodies.capacity(); ++slot) {
    if (!bodies.alive(slot)) continue;
    const Quat q = bodies.orientation(slot);
    const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    const bool bounded =
        hostile_was_here_ ? within_limits(*world_, slot) : within_reach_of_the_honest(bodies, slot);
    if (bounded && within(norm - 1, kNormSlack)) continue;
    fail("the state is finite and bounded",
         "the body in slot " + number(slot) + " is at " + text_of(bodies.position(slot)) +
             ", moves with " + text_of(bodies.velocity(slot)) + " and spins with " +
             text_of(spin_of(bodies, slot)));
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

void Invariants::slots_are_conserved() {
  const net::ServerPeers& peers = server_->endpoint().peers();
  std::uint64_t joined = 0;
  for (ClientId client{1}; client <= peers.highest(); ++client.value) {
    if (peers[client].joined) ++joined;
  }
  const auto& clients = world_->controls().clients;
  const bool same_clients =
      joined == clients.size() && std::all_of(clients.begin(), clients.end(), [&](const auto& c) {
        return c.id <= peers.highest() && peers[c.id].joined;
      });
  if (!same_clients || peers.count() < joined) {
    fail("slots are conserved", number(clients.size()) + " clients in the world, " +
                                    number(joined) + " joined, " + number(peers.count()) +
                                    " connected");
  }
}

// Checks that no thrust, body or kept data of a client remains after the client has left.
void Invariants::nothing_outlives_its_client() {
  const Controls& controls = world_->controls();
  const auto is_there = [&](ClientId id) {
    return std::any_of(controls.clients.begin(), controls.clients.end(),
                       [id](const Client& c) { return c.id == id; });
  };
  const auto is_held = [&](const HeldThrust& t) {
    return is_there(t.client) && contains(*world_, t.body);
  };
  if (!std::all_of(controls.thrusts.begin(), controls.thrusts.end(), is_held)) {
    fail("slots are conserved", "a thrust has no client or no body");
  }
  for (std::uint32_t slot = 0; slot < controls.owners.size(); ++slot) {
    const std::uint32_t owner = controls.owners[slot];
    const bool alive = world_->bodies().alive(slot);
    const bool given = alive && owner == world_->scene().bodies[controls.prototypes[slot]].owner;
    if (owner == 0 || given || (alive && is_there(ClientId{owner}))) continue;
    fail("slots are conserved", "the body in slot " + number(slot) + " belongs to client " +
                                    number(owner) + ", which is not joined");
  }
  const net::ServerPeers& peers = server_->endpoint().peers();
  std::size_t followers = 0;
  for (const Client& client : controls.clients) {
    if (peers[client.id].follows) ++followers;
  }
  if (followers != server_->followers()) {
    fail("slots are conserved", number(server_->followers()) + " followers are served, and " +
                                    number(followers) + " follow");
  }
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

void Invariants::events_come_all_and_in_order(Session& session,
                                              const std::vector<codec::message::Events>& told) {
  for (const codec::message::Events& events : told) {
    const std::uint64_t due = session.next_event.value_or(events.first);
    if (events.first < due || !events_.had(events)) {
      fail("events arrive all and in order",
           "number " + number(events.first) + ", of tick " + number(events.tick.value) +
               ", differs from the real event, or " + number(due) + " was due");
    }
    events_missed_ += events.first - std::min(events.first, due);
    session.next_event = events.first + events.events.size();
    session.events_at = network_.now;
  }
  if (events_missed_ <= events_left_out_) return;
  fail("events arrive all and in order", number(events_missed_) + " events did not arrive, and " +
                                             number(events_left_out_) + " were left out");
}

void Invariants::events_have_come(const Session& session, net::Nanoseconds trip) {
  const std::uint64_t trip_ticks = trip * world_->scene().tick_rate / net::kSecond + 1;
  const std::uint64_t due = events_.count(trip_ticks + kTicksBehindMax);
  if (!session.next_event || *session.next_event >= due) return;
  // While events wait for room in the budget, older ones arrive. Else the newest were left out.
  const bool waits = !server_->endpoint().peers()[session.client].link.sender().idle();
  if (waits && network_.now - session.events_at < net::kSecond / 4) return;
  if (!waits && events_missed_ + due - *session.next_event <= events_left_out_) return;
  fail("events arrive all and in order", "client " + number(session.client.value) +
                                             " has received " + number(*session.next_event) +
                                             " of " + number(due));
}

void Invariants::what_is_acknowledged_was_taken(Session& session, Sequence acknowledged) {
  for (; session.acknowledged < acknowledged.value; ++session.acknowledged) {
    const bool given = session.acknowledged < session.given.size();
    const Session::Given* const command = given ? &session.given[session.acknowledged] : nullptr;
    if (given && (command->taken || !always_applies(command->payload, world_->scene()))) continue;
    return fail("commands are applied once and in order",
                "command " + number(session.acknowledged + 1) + " of client " +
                    number(session.client.value) + " is acknowledged but was not applied");
  }
}

void Invariants::connections_end_for_a_reason(net::EndReason reason) {
  if (is_fair_end(reason)) return;
  fail("connections end for a reason", "the server " + std::string(net::describe(reason)));
}

void Invariants::damage_changes_nothing(const Marks& before, const Marks& after) {
  if (before != after) fail("damage changes nothing", "a client accepted a damaged datagram");
}

void Invariants::clients_converge(Tick newest, Sequence acknowledged, const Session& session,
                                  net::Nanoseconds trip) {
  const std::string name = "client " + number(session.client.value);
  const std::uint64_t trip_ticks = trip * world_->scene().tick_rate / net::kSecond + 1;
  const net::CongestionControl& budget = server_->endpoint().peers()[session.client].budget;
  const std::uint64_t behind_max = ticks_behind_max(budget, world_->scene().tick_rate);
  if (newest.value + trip_ticks + behind_max < world_->tick().value) {
    fail("clients converge", name + " is late");
  }
  const Sequence received = server_->inbox().received(session.client);
  if (acknowledged != received || received.value != session.given.size()) {
    fail("clients converge", name + " and the server do not agree on its commands");
  }
  const auto lost = [this](const Session::Given& given) {
    return !given.taken && always_applies(given.payload, world_->scene());
  };
  if (std::any_of(session.given.begin(), session.given.end(), lost)) {
    fail("clients converge", "a command of " + name + " was never applied");
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

void Invariants::slots_come_back() {
  const std::size_t connected = server_->endpoint().peers().count();
  const Controls& controls = world_->controls();
  if (connected == 0 && controls.clients.empty() && controls.thrusts.empty()) return;
  fail("slots are conserved", "all clients are gone, and " + number(connected) +
                                  " are connected, " + number(controls.clients.size()) +
                                  " in the world");
}

void Invariants::visits_leave_nothing(std::int64_t least_left) {
  if (least_left <= 0) return;
  fail("memory is bounded",
       "every visit of clients has left at least " + std::to_string(least_left) + " bytes");
}

void Invariants::log_replays(const session::OpenSegment& segments) {
  const auto first = segments(0);
  if (!first) return fail("the log replays", first.error().message);
  session::LogReader reader(*first.value(), segments);
  const auto header = reader.read_header();
  auto world = header ? session::initial_world(header.value()) : Result<World>(header.error());
  if (!world) return fail("the log replays", world.error().message);
  SerialExecutor executor;
  const session::Verification found =
      session::verify(reader, header.value(), world.value(), executor, [] {});
  if (!found.sound() || found.verified != last_.value || found.hash != world_->hash()) {
    fail("the log replays", number(found.verified) + " ticks verified of " + number(last_.value));
  }
}

}  // namespace orrery::fleet
