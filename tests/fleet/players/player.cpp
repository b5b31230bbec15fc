// Simulates an honest client that connects, plays, leaves and returns.
#include "tests/fleet/players/player.h"

#include <utility>

#include "common/core/limits.h"

namespace orrery::fleet {
namespace {

constexpr double kPush = 4;      // N, most in each component
constexpr double kKick = 1;      // N s, most in each component
constexpr double kNudge = 0.01;  // N s, most in each component of each command of a rush
// Largest distance from a body to a target or to a spawned body, in m, for each component.
constexpr double kReach = 2;
// Number of spawned bodies, of all players together, from which on a player removes one instead of
// spawning another.
constexpr std::size_t kSpawned = 4;
// clients with a multiple of this as their number follow
constexpr std::uint32_t kFollowsOneIn = 4;
constexpr std::uint32_t kDeltaOneIn = 2;  // clients with number 1 modulo this have mode delta
// clients with a multiple of this as their number get no events
constexpr std::uint32_t kEventsOneIn = 2;
constexpr std::uint32_t kFickleOneIn = 4;
constexpr std::uint32_t kHastyOneIn = 16;   // share of the commands that name a tick
constexpr std::uint32_t kHastyTicks = 400;  // most ticks that it is ahead of the newest state
constexpr std::uint32_t kTokenRetry = 500;  // longest pause before a reconnection, in ms

}  // namespace

Player::Player(Network& network, const net::Cipher& cipher, Issuer& issuer, Invariants& invariants,
               std::uint64_t seed, std::uint32_t number, net::Nanoseconds connect_at)
    : network_(network),
      issuer_(issuer),
      invariants_(invariants),
      random_(seed),
      number_(number),
      machine_(network, cipher, mix64(seed), address_of(kOwnNetwork + number, port_)),
      connect_at_(connect_at) {}

Tick Player::newest() const {
  if (follower_) return follower_->world() ? follower_->world()->tick() : Tick{};
  return shown() ? shown()->tick : Tick{};
}

bool Player::wants_events() const { return number_ % kEventsOneIn != 0; }

void Player::connect() {
  connection_.reset();
  sessions_.emplace_back();
  was_connected_ = false;
  fickle_ = random_.below(kFickleOneIn) == 0;
  if (number_ % kFollowsOneIn == 0) follower_.emplace(fault_);
  connection_.emplace(machine_, issuer_.issue(number_, Role::play), network_.now, wants_events(),
                      follower_ ? &*follower_ : nullptr, number_ % kDeltaOneIn == 1);
}

bool Player::receive(const net::Datagram& datagram) {
  if (!connection_ || network_.now < until_.paused) return false;
  const net::ClientState state = connection_->endpoint().state();
  const Tick newest_before = newest();
  const Marks marks = marks_of(*connection_, newest_before);
  const client::Snapshot* snapshot =
      connection_->receive(datagram.from, datagram.bytes, network_.now);
  invariants_.heard(datagram, state, connection_->endpoint().state());
  if (datagram.damaged) {
    invariants_.damage_changes_nothing(marks, marks_of(*connection_, newest()));
  }
  if (connection_->connected() && !was_connected_) {
    was_connected_ = true;
    connected_at_ = network_.now;
    sessions_.back().client = connection_->endpoint().welcome().client;
    invariants_.connected(sessions_.back());
    if (!follower_) invariants_.shown(machine_.address());
  }
  if (was_connected_) {
    invariants_.what_is_acknowledged_was_taken(sessions_.back(),
                                               connection_->commands().acknowledged());
  }
  invariants_.events_come_all_and_in_order(sessions_.back(), connection_->events());
  if (follower_) follow(newest_before);
  // A selection (a snapshot of some bodies) can lose its last part. Its other parts become the
  // newest snapshot when the next selection begins to arrive, although receive() then returns
  // nothing.
  if (!snapshot && !follower_ && newest() != newest_before) snapshot = shown();
  if (!snapshot) return true;
  invariants_.clients_see_the_truth(*snapshot, newest_before, newest());
  if (prediction_ && snapshot->tick == newest()) prediction_->add(*snapshot);
  if (!snapshot->bodies.empty()) play(look(*snapshot));
  return true;
}

void Player::update() {
  const net::Nanoseconds now = network_.now;
  if (gone_ || now < until_.paused) return;
  if (!connection_) {
    if (now >= connect_at_) connect();
    return;
  }
  connection_->update(now);
  if (connection_->endpoint().state() != net::ClientState::ended) return;
  invariants_.connections_end_for_a_reason(connection_->endpoint().end_reason());
  connection_.reset();
  connect_at_ = now + random_.below(kTokenRetry) * net::kMillisecond;
}

void Player::leave() {
  if (connection_) connection_->disconnect(network_.now);
}

void Player::go() {
  leave();
  gone_ = true;
}

void Player::come_back() {
  connection_.reset();
  connect_at_ = network_.now;
  gone_ = false;
}

void Player::change_address() { machine_.move_to(address_of(kOwnNetwork + number_, ++port_)); }

void Player::follow(Tick newest_before) {
  const bool fresh = newest() != newest_before;
  const bool surprised = follower_->error() || (follower_->mismatch() && !fault_);
  if (!fresh && !surprised) return;
  invariants_.followers_come_to_the_truth(*follower_, fault_);
  if (fresh && follower_->world()->bodies().count() > 0) play(look(*follower_->world()));
}

Player::Seen Player::look(const client::Snapshot& snapshot) {
  const auto count = static_cast<std::uint32_t>(snapshot.bodies.size());
  const codec::BodyState& any = snapshot.bodies[random_.below(count)];
  return {any.id, any.position, snapshot.bodies.back().id, count};
}

Player::Seen Player::look(const World& world) {
  std::vector<BodyId> ids;
  for (std::uint32_t slot = 0; slot < world.bodies().capacity(); ++slot) {
    if (world.bodies().alive(slot)) ids.push_back(body_id(world, slot));
  }
  const BodyId any = ids[random_.below(static_cast<std::uint32_t>(ids.size()))];
  return {any, world.bodies().position(slot_of(any)), ids.back(), ids.size()};
}

void Player::play(const Seen& seen) {
  if (!connection_->connected() || finishing_) return;
  const bool rests = network_.now < until_.resting;
  const bool rushes = !rests && network_.now < until_.rushing;
  if (!rushes && random_.below(4) != 0) return;
  if (rests && !thrusting_ && !grabbing_) return;
  // Its clock may run ahead, so it may name a tick that is too far ahead.
  const bool hasty = !rests && !rushes && random_.below(kHastyOneIn) == 0;
  do {
    const CommandPayload payload =
        rests ? let_go()
        : hasty || rushes
            ? CommandPayload(command::Impulse{seen.any, any_vector(rushes ? kNudge : kKick)})
            : any_command(seen);
    const Tick tick{hasty ? newest().value + random_.below(kHastyTicks) : 0};
    if (!connection_->command(payload, tick)) return;
    sessions_.back().given.push_back({payload, network_.now, tick});
  } while (rushes);
}

CommandPayload Player::any_command(const Seen& seen) {
  const std::uint32_t scene_bodies = connection_->endpoint().welcome().scene_bodies;
  const Vec3f near = narrow(seen.position + widen(any_vector(kReach)));
  switch (random_.below(8)) {
    case 0:
      if (thrusting_) return let_go();
      thrusting_ = true;
      thrust_on_ = seen.any;
      return command::Thrust{thrust_on_, any_vector(kPush)};
    case 1:
      return command::Impulse{seen.any, any_vector(kKick)};
    case 2:
      // Zero, because a held torque would spin a small body faster and faster.
      return command::Torque{seen.any, {}};
    case 3:
      grabbing_ = true;
      return command::Grab{seen.any, {}, near};
    case 4:
      grabbing_ = false;
      return command::Release{};
    case 5:
      if (seen.count >= scene_bodies + kSpawned) return command::Remove{seen.last};
      return command::Spawn{random_.below(scene_bodies), near, any_vector(1)};
    default:
      return command::Move{near};
  }
}

CommandPayload Player::let_go() {
  if (std::exchange(thrusting_, false)) return command::Thrust{thrust_on_, {}};
  grabbing_ = false;
  return command::Release{};
}

Vec3f Player::any_vector(double scale) {
  const double x = random_.symmetric();
  const double y = random_.symmetric();
  const double z = random_.symmetric();
  return narrow({scale * x, scale * y, scale * z});
}

}  // namespace orrery::fleet
