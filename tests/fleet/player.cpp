// Owns what honest clients do.
#include "tests/fleet/player.h"

#include "common/core/limits.h"

namespace orrery::fleet {
namespace {

constexpr double kPush = 4;                 // N
constexpr double kTurn = 0.1;               // N m
constexpr double kReach = 2;                // m, of a hand
constexpr std::size_t kSpawned = 4;         // bodies more than the scene has, at most
constexpr std::uint32_t kTokenRetry = 500;  // milliseconds

}  // namespace

Player::Player(Network& network, const Cipher& cipher, Issuer& issuer, Invariants& invariants,
               std::uint64_t seed, std::uint32_t number, Nanoseconds connect_at)
    : network_(network),
      issuer_(issuer),
      invariants_(invariants),
      random_(seed),
      number_(number),
      machine_(network, cipher, mix64(seed), address_of(kOwnNetwork + number, port_)),
      connect_at_(connect_at) {}

Tick Player::newest() const {
  const Snapshot* const snapshot = connection_->snapshots().newest();
  return snapshot ? snapshot->tick : Tick{};
}

void Player::connect() {
  connection_.reset();
  sessions_.emplace_back();
  was_connected_ = false;
  connection_.emplace(machine_, issuer_.issue(number_, Role::play), network_.now);
}

bool Player::receive(const Datagram& datagram) {
  if (!connection_ || network_.now < paused_until_) return false;
  if (!datagram.damaged && !datagram.bytes.empty() &&
      (datagram.bytes[0] & 0xf) == static_cast<int>(PacketType::challenge)) {
    invariants_.reached(datagram.to);
  }
  const ConnectionCounters counters = connection_->counters();
  const ClientState state = connection_->endpoint().state();
  const Tick newest_before = newest();
  const Snapshot* const snapshot =
      connection_->receive(datagram.from, datagram.bytes, network_.now);
  if (datagram.damaged) invariants_.damage_changes_nothing(*connection_, counters, state);
  if (connection_->connected() && !was_connected_) {
    was_connected_ = true;
    sessions_.back().client = connection_->endpoint().welcome().client;
    invariants_.connected(sessions_.back());
  }
  if (!snapshot) return true;
  invariants_.clients_see_the_truth(*snapshot, newest_before, newest());
  if (connection_->connected() && !finishing_) play(*snapshot);
  return true;
}

void Player::update() {
  const Nanoseconds now = network_.now;
  if (gone_ || now < paused_until_) return;
  if (!connection_) {
    if (now >= connect_at_) connect();
    return;
  }
  connection_->update(now);
  if (connection_->endpoint().state() != ClientState::ended) return;
  connection_.reset();
  connect_at_ = now + random_.below(kTokenRetry) * kMillisecond;
}

void Player::leave() {
  if (connection_) connection_->disconnect(network_.now);
}

void Player::go() {
  leave();
  gone_ = true;
}

void Player::change_address() { machine_.move_to(address_of(kOwnNetwork + number_, ++port_)); }

void Player::play(const Snapshot& snapshot) {
  if (snapshot.bodies.empty() || random_.below(4) != 0) return;
  const CommandPayload payload = any_command(snapshot);
  if (connection_->command(payload)) sessions_.back().given.push_back({payload});
}

CommandPayload Player::any_command(const Snapshot& snapshot) {
  const std::uint32_t scene_bodies = connection_->endpoint().welcome().scene_bodies;
  const auto count = static_cast<std::uint32_t>(snapshot.bodies.size());
  const BodyState& any = snapshot.bodies[random_.below(count)];
  const Vec3f near = narrow(any.position + widen(any_vector(kReach)));
  switch (random_.below(8)) {
    case 0:
      thrusting_ = !thrusting_;
      if (thrusting_) thrust_on_ = any.id;
      return command::Thrust{thrust_on_, thrusting_ ? any_vector(kPush) : Vec3f{}};
    case 1:
      turning_ = !turning_;
      if (turning_) torque_on_ = any.id;
      return command::Torque{torque_on_, turning_ ? any_vector(kTurn) : Vec3f{}};
    case 2:
      return command::Impulse{any.id, any_vector(1)};
    case 3:
      return command::Grab{any.id, {}, near};
    case 4:
      return command::Release{};
    case 5:
      if (count >= scene_bodies + kSpawned) return command::Remove{snapshot.bodies.back().id};
      return command::Spawn{random_.below(scene_bodies), near, any_vector(1)};
    default:
      return command::Move{near};
  }
}

Vec3f Player::any_vector(double scale) {
  const double x = random_.symmetric();
  const double y = random_.symmetric();
  const double z = random_.symmetric();
  return narrow({scale * x, scale * y, scale * z});
}

}  // namespace orrery::fleet
