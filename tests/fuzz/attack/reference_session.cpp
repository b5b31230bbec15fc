// Records the random session of a seed, while a follower joins in every tick.
#include "tests/fuzz/attack/reference_session.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

#include "common/session/writer/log_writer.h"
#include "common/world/image/image.h"
#include "common/world/image/state_hash.h"
#include "common/world/step.h"
#include "tests/fuzz/attack/random_commands.h"
#include "tests/fuzz/attack/random_scene.h"
#include "tests/support/session.h"

namespace orrery::attack {
namespace {

void count_tick(const World& world, Counts& counts) {
  constexpr const char* kCommands[] = {"thrust",
                                       "torque",
                                       "impulse",
                                       "grab",
                                       "move",
                                       "release",
                                       "spawn",
                                       "remove",
                                       "set parameter",
                                       "join",
                                       "leave",
                                       "set control",
                                       "disown",
                                       "set velocity",
                                       "move to",
                                       "place",
                                       "set motor",
                                       "set target",
                                       "set value",
                                       "message",
                                       "tell",
                                       "set filter",
                                       "set gravity scale",
                                       "kick",
                                       "ban"};
  static_assert(std::size(kCommands) == std::variant_size_v<CommandPayload>);
  for (const char* name : kCommands) counts[std::string("applied: ") + name] += 0;
  counts["slots that changed hands in a tick"] += 0;
  for (const Command& c : world.applied()) {
    counts[std::string("applied: ") + kCommands[c.payload.index()]] += 1;
    const auto* const removal = std::get_if<command::Remove>(&c.payload);
    const bool replaced = removal && world.bodies().alive(slot_of(removal->body));
    counts["slots that changed hands in a tick"] += replaced;
  }
  counts["ticks"] += 1;
  counts["contacts that began or ended, and hits"] += world.events().list.size();
  const bool sleeps = world.collision() && world.collision()->sleeping;
  counts["bodies asleep"] += sleeps ? world.collision()->sleeping->count() : 0;
}

// Saves the movable bodies of the state in the middle of the session, in which a fault can be
// planted.
void keep_movable(const World& world, Session& session) {
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (!world.bodies().alive(slot) || !is_dynamic(prototype_of(world, slot).kind)) continue;
    session.movable.push_back(body_id(world, slot));
  }
}

bool same_event(const WorldEvent& x, const WorldEvent& y) {
  return x.kind == y.kind && x.a == y.a && x.b == y.b && x.part_a == y.part_a &&
         x.part_b == y.part_b && x.joint == y.joint && x.speed == y.speed && x.at == y.at &&
         x.normal == y.normal;
}

// Followers that join in every tick. They take turns, so each restores an image over an older
// state.
class Followers {
 public:
  explicit Followers(const World& world) : worlds_{World(world.scene()), World(world.scene())} {
    save_image(world, before_);
  }

  // Restores the state before the last tick of `world`, and repeats the tick. Returns the first
  // difference, or an empty string.
  std::string repeat(const World& world, std::span<const Command> commands) {
    World& follower = worlds_[world.tick().value % 2];
    save_image(world, after_);
    const Status restored = restore_image(follower, before_);
    before_.swap(after_);
    if (!restored) return "a follower cannot join: " + restored.error().text();
    step(follower, commands, serial_);
    save_image(follower, after_);
    if (follower.hash() != world.hash() || after_ != before_) {
      return "the state of a follower that joined differs";
    }
    const auto& theirs = follower.events().list;
    const auto& ours = world.events().list;
    const bool same =
        std::equal(theirs.begin(), theirs.end(), ours.begin(), ours.end(), same_event);
    return same ? "" : "the events of a follower that joined differ";
  }

  // Returns the image of the last state.
  const std::vector<std::uint8_t>& image() const { return before_; }

 private:
  std::array<World, 2> worlds_;
  SerialExecutor serial_;
  std::vector<std::uint8_t> before_, after_;
};

}  // namespace

std::string tick_text(std::size_t tick) { return "tick " + std::to_string(tick); }

Session record(Attempt& attempt) {
  SplitMix64 draw(attempt.seed);
  Session session;
  session.scene = random_scene(attempt.seed);
  count_kinds(session.scene, attempt.counts);
  const bool large = session.scene.bodies.size() > 200;
  session.given.resize(large ? 8 + draw.below(8) : 20 + draw.below(160));
  World world(session.scene);
  SerialExecutor serial;
  test::MemorySink sink;
  WildCommands commands(attempt.seed);
  session::SessionLog log(sink, session::make_log_header(world, "test", codec::SessionId{1}));
  session.hashes.push_back(world.hash());
  Followers followers(world);
  for (std::size_t tick = 1; tick <= session.ticks(); ++tick) {
    session.given[tick - 1] = commands.next(world);
    step(world, session.given[tick - 1], serial);
    log.append_tick(world);
    session.hashes.push_back(world.hash());
    count_tick(world, attempt.counts);
    const std::string difference = followers.repeat(world, session.given[tick - 1]);
    if (!difference.empty() && attempt.problem.empty()) {
      attempt.problem = tick_text(tick) + ": " + difference;
    }
    if (tick == session.middle()) {
      session.image = followers.image();
      keep_movable(world, session);
    }
    const bool looked_at = draw.below(16) == 0 || tick == session.ticks();
    if (looked_at && attempt.problem.empty() &&
        (!test::finite(world) || world.hash() != state_hash(world, serial))) {
      attempt.problem =
          tick_text(tick) + ": a number is not finite, or the hash is of another state";
    }
  }
  log.close();
  session.log = std::move(sink.bytes);
  return session;
}

}  // namespace orrery::attack
