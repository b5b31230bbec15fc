// A test client that plays at random and checks all that it receives.
#include "client/lib/bot.h"

#include <algorithm>

#include "common/net/timing.h"

namespace orrery::client {
namespace {

constexpr int kHeldSnapshots = 40;
constexpr std::size_t kPushedMax = 4;
constexpr std::size_t kSpawnedMax = 8;
constexpr double kReach = 2;  // of a hand, in units of the scene
constexpr double kForce = 20;
constexpr double kTorque = 2;
constexpr double kImpulse = 2;

// A sound connection brings a new snapshot within kSilenceMax plus kSilentTicksMax ticks. Even in a
// large world the server sends one at least every 18th tick.
constexpr net::Nanoseconds kSilenceMax = 2 * net::kSecond;
constexpr std::uint32_t kSilentTicksMax = 20;

// Returns a snapshot of a follower's world, with only the ids and positions of the bodies.
Snapshot snapshot_of(const World& world) {
  Snapshot snapshot;
  snapshot.tick = world.tick();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!world.bodies().alive(slot)) continue;
    codec::BodyState& body = snapshot.bodies.emplace_back();
    body.id = body_id(world, slot);
    body.tick = world.tick();
    body.position = world.bodies().position(slot);
  }
  return snapshot;
}

}  // namespace

Bot::Bot(net::NetEnvironment& environment, const net::ConnectToken& token, std::uint64_t seed,
         net::Nanoseconds now, std::unique_ptr<Follower> follower)
    : follower_(std::move(follower)),
      connection_(environment, token, now, /*events=*/false, follower_.get()),
      random_(seed) {}

void Bot::problem(const std::string& what) {
  if (found_.problems++ == 0) found_.first_problem = what;
}

void Bot::receive(const net::Address& from, Bytes datagram, net::Nanoseconds now) {
  const Snapshot* const snapshot = connection_.receive(from, datagram, now);
  if (connection_.connected() && !found_.connected) {
    found_.connected = true;
    newest_at_ = now;
  }
  if (snapshot) take(*snapshot, now);
  if (follower_) follow(now);
}

void Bot::take(const Snapshot& snapshot, net::Nanoseconds now) {
  if (snapshot.tick <= newest_) {
    ++found_.late;
    return;
  }
  check(snapshot, now);
  if (!finishing_ && connection_.connected()) play(snapshot);
}

void Bot::follow(net::Nanoseconds now) {
  if (follower_->error() && found_.problems == 0) {
    problem("the server " + follower_->error()->message);
  }
  if (follower_->mismatch() && found_.hash_failures == 0) {
    found_.hash_failures = 1;
    problem("the world here differs from the server's, " + to_line(*follower_->mismatch()));
  }
  const World* const world = follower_->world();
  if (!world) {
    newest_at_ = now;  // Restart the timer: the first state may take any time to arrive.
  } else if (world->tick() > newest_) {
    take(snapshot_of(*world), now);
  }
}

void Bot::update(net::Nanoseconds now) {
  connection_.update(now);
  if (!connection_.connected()) return;
  const std::uint32_t rate = connection_.endpoint().welcome().tick_rate;
  if (now - newest_at_ <= kSilenceMax + kSilentTicksMax * net::kSecond / rate) return;
  problem("no snapshot for a long time after tick " + std::to_string(newest_.value));
  newest_at_ = now;
}

void Bot::check(const Snapshot& snapshot, net::Nanoseconds now) {
  newest_ = snapshot.tick;
  newest_at_ = now;
  check_generations(snapshot);
}

// Checks that the generation of a slot never falls, except when it wraps to 0.
void Bot::check_generations(const Snapshot& snapshot) {
  for (const codec::BodyState& body : snapshot.bodies) {
    const std::uint32_t slot = slot_of(body.id);
    const std::uint32_t generation = generation_of(body.id);
    if (slot >= generations_.size()) generations_.resize(slot + 1, 0);
    std::uint32_t& seen = generations_[slot];
    const bool wrapped = seen > limits::kGenerationsMax / 2 && generation < seen / 2;
    if (generation < seen && !wrapped) {
      problem("body " + std::to_string(body.id.value) + " came back after it was gone, at tick " +
              std::to_string(snapshot.tick.value));
    }
    seen = generation;
  }
}

void Bot::play(const Snapshot& snapshot) {
  if (snapshot.bodies.empty()) return;
  hold_and_throw(snapshot);
  switch (random_.below(16)) {
    case 0:
    case 1:
      return push(snapshot);
    case 2:
      connection_.command(command::Impulse{any(snapshot).id, around({}, kImpulse)});
      return;
    case 3:
      return change_population(snapshot);
    default:
      return;
  }
}

// Grabs a body, moves it about at random for kHeldSnapshots snapshots, and releases it.
void Bot::hold_and_throw(const Snapshot& snapshot) {
  if (holding_ == 0) {
    const codec::BodyState& body = any(snapshot);
    held_at_ = body.position;
    const Vec3f target = around(held_at_, kReach);
    if (connection_.command(command::Grab{body.id, {}, target})) holding_ = kHeldSnapshots;
    return;
  }
  --holding_;
  if (holding_ == 0) {
    if (!connection_.command(command::Release{})) holding_ = 1;
  } else if (holding_ % 4 == 0) {
    connection_.command(command::Move{around(held_at_, kReach)});
  }
}

// Sets a thrust or torque on a random body, which acts until it is set to zero. If this bot has
// already set kPushedMax, ends the oldest instead.
void Bot::push(const Snapshot& snapshot) {
  if (pushed_.size() == kPushedMax) {
    const BodyId body = pushed_.front();
    if (!connection_.command(command::Thrust{body, {}})) return;
    connection_.command(command::Torque{body, {}});
    pushed_.erase(pushed_.begin());
    return;
  }
  const BodyId body = any(snapshot).id;
  const bool given = random_.below(2) == 0
                         ? connection_.command(command::Thrust{body, around({}, kForce)})
                         : connection_.command(command::Torque{body, around({}, kTorque)});
  if (given) pushed_.push_back(body);
}

// Spawns a body, or removes one if kSpawnedMax spawned bodies exist. Bodies of the scene remain.
void Bot::change_population(const Snapshot& snapshot) {
  const std::uint32_t scene_bodies = connection_.endpoint().welcome().scene_bodies;
  const auto spawned = std::find_if(
      snapshot.bodies.begin(), snapshot.bodies.end(),
      [scene_bodies](const codec::BodyState& b) { return slot_of(b.id) >= scene_bodies; });
  const auto count = static_cast<std::size_t>(snapshot.bodies.end() - spawned);
  if (count >= kSpawnedMax) {
    connection_.command(command::Remove{spawned->id});
  } else if (scene_bodies > 0) {
    const std::uint32_t prototype = random_.below(scene_bodies);
    const Vec3f position = around(any(snapshot).position, kReach);
    connection_.command(command::Spawn{prototype, position, around({}, 1)});
  }
}

Vec3f Bot::around(const Vec3& center, double reach) {
  const double x = random_.symmetric();
  const double y = random_.symmetric();
  const double z = random_.symmetric();
  const Vec3 v = center + reach * Vec3{x, y, z};
  const auto bounded = [](double c) {
    return std::clamp(c, -limits::kLengthMax / 2, limits::kLengthMax / 2);
  };
  return narrow({bounded(v.x), bounded(v.y), bounded(v.z)});
}

const codec::BodyState& Bot::any(const Snapshot& snapshot) {
  ORRERY_ASSERT(!snapshot.bodies.empty());
  return snapshot.bodies[random_.below(static_cast<std::uint32_t>(snapshot.bodies.size()))];
}

void Bot::stop(net::Nanoseconds now) {
  const net::ClientEndpoint& endpoint = connection_.endpoint();
  if (ended() && found_.connected) {
    problem("lost the connection: the server " + std::string(net::describe(endpoint.end_reason())));
  }
  const std::uint64_t given = connection_.counters().commands;
  const std::uint64_t acknowledged = connection_.commands().acknowledged().value;
  if (connection_.connected() && acknowledged < given) {
    problem("the server acknowledged " + std::to_string(acknowledged) + " of " +
            std::to_string(given) + " commands");
  }
  if (connection_.counters().malformed + connection_.snapshots().counters().unsound > 0) {
    problem("the server sent invalid messages");
  }
  connection_.disconnect(now);
}

BotReport Bot::report() const {
  BotReport report = found_;
  const SnapshotCounters& snapshots = connection_.snapshots().counters();
  report.snapshots = snapshots.complete + snapshots.selected;
  report.selected = snapshots.selected;
  report.incomplete = snapshots.abandoned;
  report.commands = connection_.counters().commands;
  report.acknowledged = connection_.commands().acknowledged().value;
  report.bytes_received = connection_.counters().bytes_received;
  const net::PathEstimator& path = connection_.endpoint().path();
  report.round_trip_seconds = static_cast<double>(path.round_trip()) / net::kSecond;
  report.loss = path.loss();
  if (follower_) report.hash_checks = follower_->ticks_checked();
  return report;
}

}  // namespace orrery::client
