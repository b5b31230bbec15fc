// How a test client plays: the commands that it gives when a new state arrives.
#include "client/cli/bots/behaviour.h"

#include <algorithm>

namespace orrery::client {
namespace {

constexpr int kHeldSnapshots = 40;
constexpr int kSnapshotsPerPush = 6;
constexpr int kSnapshotsPerSteer = 10;
constexpr int kSnapshotsPerGoal = 180;
constexpr std::size_t kPushedMax = 4;
constexpr std::uint32_t kSpawnedMax = 8;
constexpr std::uint32_t kSpawnersMax = 8;  // highest id of a client that spawns bodies
// largest offset of a target or of a spawned body, along each axis
constexpr double kReach = 2;
// largest distance of a goal from the first place, in units of the scene
constexpr double kRange = 5;
constexpr double kForce = 20;
constexpr double kTorque = 2;
constexpr double kImpulse = 2;

class Idle final : public Behaviour {
 public:
  void play(Turn&) override {}
};

// Grabs a body, moves it about at random for kHeldSnapshots snapshots, and releases it.
class Throw final : public Behaviour {
 public:
  void play(Turn& turn) override {
    if (holding_ == 0) {
      const codec::BodyState& body = turn.any();
      held_at_ = body.position;
      const Vec3f target = turn.around(held_at_, kReach);
      if (turn.command(command::Grab{body.id, {}, target})) holding_ = kHeldSnapshots;
      return;
    }
    --holding_;
    if (holding_ == 0) {
      if (!turn.command(command::Release{})) holding_ = 1;
    } else if (holding_ % 4 == 0) {
      turn.command(command::Move{turn.around(held_at_, kReach)});
    }
  }

 private:
  int holding_ = 0;  // snapshots until the held body is thrown; 0: none is held
  Vec3 held_at_;     // position at which it was grabbed
};

// Gives a random body an impulse now and then.
class Push final : public Behaviour {
 public:
  void play(Turn& turn) override {
    if (++snapshots_ % kSnapshotsPerPush != 0) return;
    turn.command(command::Impulse{turn.any().id, turn.around({}, kImpulse)});
  }

 private:
  int snapshots_ = 0;
};

// Pushes one body with a thrust from goal to goal. The goals are near the place at which the body
// was first.
class Wander final : public Behaviour {
 public:
  void play(Turn& turn) override {
    const codec::BodyState* body = body_ ? turn.find(*body_) : nullptr;
    if (!body) {
      body = &turn.any();
      body_ = body->id;
      home_ = body->position;
      snapshots_ = 0;
    }
    if (snapshots_ % kSnapshotsPerGoal == 0) goal_ = turn.around(home_, kRange);
    if (snapshots_++ % kSnapshotsPerSteer != 0) return;
    const Vec3 way = widen(goal_) - body->position;
    const Vec3 force = (kForce / std::max(kRange, length(way))) * way;
    turn.command(command::Thrust{body->id, narrow(force)});
  }

 private:
  std::optional<BodyId> body_;
  Vec3 home_;
  Vec3f goal_;
  int snapshots_ = 0;  // snapshots that arrived since it chose this body
};

// Throws bodies as Throw does. At random, also gives bodies impulses, thrusts and torques, and
// spawns and removes bodies.
class Mixed final : public Behaviour {
 public:
  void play(Turn& turn) override {
    throw_.play(turn);
    switch (turn.random.below(16)) {
      case 0:
      case 1:
        return push(turn);
      case 2:
        turn.command(command::Impulse{turn.any().id, turn.around({}, kImpulse)});
        return;
      case 3:
        return change_population(turn);
      default:
        return;
    }
  }

 private:
  // Sets a thrust or torque on a random body. It acts until it is set to zero. If kPushedMax of
  // this bot already act, ends the oldest one instead.
  void push(Turn& turn) {
    if (pushed_.size() == kPushedMax) {
      const BodyId body = pushed_.front();
      if (!turn.command(command::Thrust{body, {}})) return;
      turn.command(command::Torque{body, {}});
      pushed_.erase(pushed_.begin());
      return;
    }
    const BodyId body = turn.any().id;
    const bool given = turn.random.below(2) == 0
                           ? turn.command(command::Thrust{body, turn.around({}, kForce)})
                           : turn.command(command::Torque{body, turn.around({}, kTorque)});
    if (given) pushed_.push_back(body);
  }

  // Spawns a body, or removes one if kSpawnedMax spawned bodies exist. Never removes a body of the
  // scene. Only clients with low ids do this: a crowd of bots would spawn hundreds of bodies before
  // it saw the first.
  void change_population(Turn& turn) {
    if (turn.client.welcome().client.value > kSpawnersMax) return;
    const std::uint32_t scene_bodies = turn.client.welcome().scene_bodies;
    const auto& bodies = turn.state.bodies;
    const auto spawned = std::find_if(
        bodies.begin(), bodies.end(),
        [scene_bodies](const codec::BodyState& b) { return slot_of(b.id) >= scene_bodies; });
    const auto count = static_cast<std::uint32_t>(bodies.end() - spawned);
    if (count >= kSpawnedMax) {
      turn.command(command::Remove{spawned[turn.random.below(count)].id});
    } else if (scene_bodies > 0) {
      const std::uint32_t prototype = turn.random.below(scene_bodies);
      const Vec3f position = turn.around(turn.any().position, kReach);
      turn.command(command::Spawn{prototype, position, turn.around({}, 1)});
    }
  }

  Throw throw_;
  std::vector<BodyId> pushed_;  // bodies that this bot gave a thrust or torque
};

}  // namespace

Vec3f Turn::around(const Vec3& centre, double reach) {
  const double x = random.symmetric();
  const double y = random.symmetric();
  const double z = random.symmetric();
  return narrow(clamped(centre + reach * Vec3{x, y, z}, limits::kLengthMax / 2));
}

const codec::BodyState& Turn::any() {
  ORRERY_ASSERT(!state.bodies.empty());
  return state.bodies[random.below(static_cast<std::uint32_t>(state.bodies.size()))];
}

const codec::BodyState* Turn::find(BodyId id) const {
  const auto at = std::lower_bound(
      state.bodies.begin(), state.bodies.end(), slot_of(id),
      [](const codec::BodyState& body, std::uint32_t slot) { return slot_of(body.id) < slot; });
  return at != state.bodies.end() && at->id == id ? &*at : nullptr;
}

std::unique_ptr<Behaviour> make_behaviour(BotKind kind) {
  ORRERY_ASSERT(kind != BotKind::hostile);
  switch (kind) {
    case BotKind::idle:
      return std::make_unique<Idle>();
    case BotKind::wander:
      return std::make_unique<Wander>();
    case BotKind::throws:
      return std::make_unique<Throw>();
    case BotKind::push:
    case BotKind::visit:
      return std::make_unique<Push>();
    default:
      return std::make_unique<Mixed>();
  }
}

}  // namespace orrery::client
