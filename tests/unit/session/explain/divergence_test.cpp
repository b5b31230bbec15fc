// Tests the divergence report: it names exactly the planted fault.
#include "common/session/explain/divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <variant>

#include "common/session/explain/fault.h"
#include "common/session/explain/first_difference.h"
#include "common/session/explain/later_difference.h"
#include "common/session/replay/replay.h"
#include "common/session/writer/log_writer.h"
#include "common/world/fault_injector.h"
#include "common/world/image/state_hash.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/displaced_bodies.h"
#include "tests/support/session.h"

namespace orrery {
namespace {

using test::OpenLog;

constexpr std::uint64_t kSeed = 20261;

struct Recorded {
  std::vector<std::uint8_t> log;
  std::vector<std::vector<Command>> commands;  // as applied, from tick 1
  std::vector<BodyId> bodies;                  // at the end
};

// Records a session with random commands, or with the commands of `like`. With `told`, the header
// names the fault.
Recorded record(const Scene& scene, std::uint64_t seed, int ticks, const Recorded* like = nullptr,
                const std::optional<session::Fault>& fault = {}, bool told = false) {
  Recorded session;
  test::MemorySink sink;
  World world(scene);
  SerialExecutor executor;
  CommandStream stream(seed);
  codec::LogHeader header = session::make_log_header(world, "test", {});
  if (told) header.fault = session::to_text(*fault);
  session::SessionLog log(sink, header);
  for (std::size_t i = 0; i < static_cast<std::size_t>(ticks); ++i) {
    const auto commands = like ? std::span<const Command>(like->commands[i]) : stream.next(world);
    if (!session::step_with_fault(world, commands, fault, executor)) return {};
    log.append_tick(world);
    session.commands.push_back(world.applied());
  }
  log.close();
  for (std::uint32_t slot = 0; slot < world.bodies().slots(); ++slot) {
    if (world.bodies().alive(slot)) session.bodies.push_back(body_id(world, slot));
  }
  session.log = std::move(sink.bytes);
  return session;
}

std::optional<session::LogDifference> difference_of(const Recorded& a, const Recorded& b) {
  OpenLog log_a(a.log);
  OpenLog log_b(b.log);
  return session::first_difference(log_a.reader, log_b.reader, log_a.header.initial_hash, [] {});
}

// Does the same as `orrery diff`.
std::optional<session::Divergence> diff(const Recorded& a, const Recorded& b) {
  const auto found = difference_of(a, b);
  if (!found) return {};
  OpenLog log_a(a.log);
  World before = std::move(session::initial_world(log_a.header).value());
  SerialExecutor executor;
  EXPECT_TRUE(session::replay_to(log_a.reader, log_a.header, before, executor,
                                 Tick{found->tick.value - 1}, [] {}));
  const OpenLog log_b(b.log);
  const session::TickSide account_a{
      found->a->commands,        found->a->hash,          "test", log_a.header.fault,
      found->checkpoint_a.image, found->checkpoint_a.hash};
  const session::TickSide account_b{
      found->b->commands,        found->b->hash,          "test", log_b.header.fault,
      found->checkpoint_b.image, found->checkpoint_b.hash};
  return session::explain(&before, found->tick, account_a, account_b, executor);
}

Scene scene_of(std::uint64_t i) {
  const char* const scenes[] = {"playground", "tethers:30", "chain", "ragdolls:4", "crates:20"};
  return built_in_scene(scenes[i % std::size(scenes)]).value();
}

// Half of the headers name the fault. In the other half the changed number is found from the hash.
TEST(Divergence, NamesAHundredRandomUlps) {
  SplitMix64 draw(kSeed);
  int planted = 0;
  Recorded whole;
  for (std::uint64_t i = 0; planted < 100; ++i) {
    const Scene scene = scene_of(i / 4);
    if (i % 4 == 0) whole = record(scene, i, 40);
    session::Fault fault{session::Fault::Kind::ulp, Tick{1 + draw.below(40)}, {}, {}, {}};
    fault.a = whole.bodies[draw.below(static_cast<std::uint32_t>(whole.bodies.size()))];
    fault.field = static_cast<physics::BodyField>(draw.below(physics::kStateFields));
    const bool told = i % 2 == 0;
    const Recorded broken = record(scene, i, 40, &whole, fault, told);
    if (broken.log.empty()) continue;  // the body cannot move, or does not exist yet
    ++planted;
    const auto found = diff(whole, broken);
    ASSERT_TRUE(found) << session::to_text(fault) << " of seed " << i;
    EXPECT_EQ(found->tick, fault.tick) << session::to_text(fault) << " of seed " << i;
    EXPECT_EQ(found->source_a, session::Source::replay);
    EXPECT_EQ(found->source_b, told ? session::Source::replay : session::Source::hash);
    EXPECT_EQ(found->cause, told ? session::Cause::fault : session::Cause::number) << found->why;
    ASSERT_EQ(found->state.fields.size(), 1u) << session::to_text(fault) << " of seed " << i;
    EXPECT_EQ(found->body, fault.a);
    EXPECT_EQ(found->field->field, fault.field);
    EXPECT_GT(found->field->b, found->field->a);
  }
}

World state_after(const Scene& scene, const Recorded& session, std::uint64_t tick) {
  World world(scene);
  SerialExecutor executor;
  for (std::size_t i = 0; i < tick; ++i) step(world, session.commands[i], executor);
  return world;
}

// Returns the first field, in storage order, that differs between two bodies.
std::optional<physics::BodyField> first_field(const World& a, std::uint32_t slot_a, const World& b,
                                              std::uint32_t slot_b) {
  for (std::size_t f = 0; f < physics::kStateFields; ++f) {
    const auto field = static_cast<physics::BodyField>(f);
    const auto bits_a = std::bit_cast<std::uint64_t>(a.bodies().at(field, slot_a));
    const auto bits_b = std::bit_cast<std::uint64_t>(b.bodies().at(field, slot_b));
    if (bits_a != bits_b) return field;
  }
  return {};
}

TEST(Divergence, NamesTwentySwaps) {
  SplitMix64 draw(kSeed);
  int planted = 0;
  for (std::uint64_t i = 0; planted < 20; ++i) {
    const Scene scene = built_in_scene(i % 2 == 0 ? "spheres:60" : "free:60").value();
    const Recorded whole = record(scene, i, 30);
    session::Fault fault{session::Fault::Kind::swap, Tick{1 + draw.below(30)}, {}, {}, {}};
    const std::uint32_t first = draw.below(59);
    fault.a = BodyId{first};
    fault.b = BodyId{first + 1 + draw.below(59 - first)};
    const bool told = i % 4 < 2;
    const Recorded broken = record(scene, i, 30, &whole, fault, told);
    if (broken.log.empty()) continue;
    ++planted;
    const auto found = diff(whole, broken);
    ASSERT_TRUE(found) << session::to_text(fault) << " of seed " << i;
    EXPECT_EQ(found->tick, fault.tick);
    EXPECT_EQ(found->cause, told ? session::Cause::fault : session::Cause::swap)
        << session::to_text(fault);
    EXPECT_EQ(found->state.bodies, 2u) << session::to_text(fault) << " of seed " << i;
    EXPECT_EQ(found->body, fault.a);
    EXPECT_EQ(found->state.fields.back().body, fault.b);
    const World state = state_after(scene, whole, fault.tick.value);
    const std::uint32_t slot_a = slot_of(fault.a);
    const std::uint32_t slot_b = slot_of(fault.b);
    ASSERT_TRUE(found->field) << session::to_text(fault) << " of seed " << i;
    EXPECT_EQ(found->field->field, first_field(state, slot_a, state, slot_b))
        << session::to_text(fault);
    EXPECT_EQ(found->field->a, state.bodies().at(found->field->field, slot_a));
    EXPECT_EQ(found->field->b, state.bodies().at(found->field->field, slot_b));
  }
}

// Records a session that lost one command of a tick, without a note in the header.
Recorded record_without(const Scene& scene, const Recorded& whole, std::size_t tick,
                        std::size_t command) {
  Recorded less = whole;
  auto& commands = less.commands[tick - 1];
  commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(command));
  return record(scene, 0, static_cast<int>(whole.commands.size()), &less);
}

// Returns the body that a command names, or that its client holds.
std::optional<BodyId> body_of(const Recorded& session, std::uint64_t tick, const Command& about) {
  if (const auto* c = std::get_if<command::Thrust>(&about.payload)) return c->body;
  if (const auto* c = std::get_if<command::Torque>(&about.payload)) return c->body;
  if (const auto* c = std::get_if<command::Impulse>(&about.payload)) return c->body;
  if (const auto* c = std::get_if<command::Grab>(&about.payload)) return c->body;
  if (const auto* c = std::get_if<command::Remove>(&about.payload)) return c->body;
  const bool holds = std::holds_alternative<command::Move>(about.payload) ||
                     std::holds_alternative<command::Release>(about.payload);
  if (!holds) return {};
  std::optional<BodyId> held;
  for (std::size_t i = 0; i + 1 < tick; ++i) {
    for (const Command& command : session.commands[i]) {
      if (command.client != about.client) continue;
      if (const auto* grab = std::get_if<command::Grab>(&command.payload)) held = grab->body;
      if (std::holds_alternative<command::Release>(command.payload)) held.reset();
    }
  }
  return held;
}

// Returns the body and field that a report must name. The body is that of the command if it
// differs, else the lowest that does. The field is the first that differs, if both states have the
// body.
std::pair<std::optional<BodyId>, std::optional<physics::BodyField>> what_to_name(
    const World& a, const World& b, std::optional<BodyId> about) {
  const auto has = [](const World& world, std::uint32_t slot) {
    return slot < world.bodies().slots() && world.bodies().alive(slot);
  };
  const auto differs = [&](std::uint32_t slot) {
    return has(a, slot) != has(b, slot) || (has(a, slot) && first_field(a, slot, b, slot));
  };
  std::optional<std::uint32_t> slot;
  if (about && differs(slot_of(*about))) slot = slot_of(*about);
  const std::uint32_t slots = std::max(a.bodies().slots(), b.bodies().slots());
  for (std::uint32_t s = 0; s < slots && !slot; ++s) {
    if (differs(s)) slot = s;
  }
  if (!slot) return {};
  if (!has(a, *slot) || !has(b, *slot)) return {body_id(has(a, *slot) ? a : b, *slot), {}};
  return {body_id(a, *slot), first_field(a, *slot, b, *slot)};
}

TEST(Divergence, NamesTwentyDroppedCommands) {
  SplitMix64 draw(kSeed);
  int planted = 0;
  for (std::uint64_t i = 0; planted < 20; ++i) {
    const Scene scene = scene_of(i);
    const Recorded whole = record(scene, i, 60);
    const std::size_t tick = 1 + draw.below(60);
    const auto& commands = whole.commands[tick - 1];
    if (commands.empty()) continue;
    const auto dropped = draw.below(static_cast<std::uint32_t>(commands.size()));
    const Recorded less = record_without(scene, whole, tick, dropped);
    const auto found = diff(whole, less);
    ASSERT_TRUE(found) << "seed " << i;
    ++planted;
    EXPECT_EQ(found->tick.value, tick) << "seed " << i;
    EXPECT_EQ(found->cause, session::Cause::commands);
    EXPECT_EQ(found->phase, session::Phase::commands);
    EXPECT_EQ(found->source_b, session::Source::replay);
    ASSERT_EQ(found->command_differences.size(), 1u) << "seed " << i;
    const session::CommandDifference& missing = found->command_differences[0];
    EXPECT_TRUE(missing.in_a);
    EXPECT_EQ(missing.command.client, commands[dropped].client);
    EXPECT_EQ(missing.command.sequence, commands[dropped].sequence);
    const auto [body, field] =
        what_to_name(state_after(scene, whole, tick), state_after(scene, less, tick),
                     body_of(whole, tick, commands[dropped]));
    EXPECT_EQ(found->body, body) << "seed " << i;
    ASSERT_EQ(found->field.has_value(), field.has_value()) << "seed " << i;
    if (field) {
      EXPECT_EQ(found->field->body, body);
      EXPECT_EQ(found->field->field, *field) << "seed " << i;
    }
  }
}

bool is_impulse(const Command& command) {
  return std::holds_alternative<command::Impulse>(command.payload);
}

// Records `whole` again, without the first impulse of `tick` or with a changed one. Hashes stay the
// same and all checksums are correct.
Recorded retell(const Scene& scene, const Recorded& whole, std::uint64_t tick, bool without) {
  Recorded told;
  test::MemorySink sink;
  World world(scene);
  SerialExecutor executor;
  session::SessionLog log(sink, session::make_log_header(world, "test", {}));
  for (const auto& commands : whole.commands) {
    step(world, commands, executor);
    std::vector<Command>& applied = FaultInjector(world).state().applied;
    const auto found = std::find_if(applied.begin(), applied.end(), is_impulse);
    if (world.tick().value == tick && without) applied.erase(found);
    if (world.tick().value == tick && !without) {
      float& x = std::get<command::Impulse>(found->payload).impulse.x;
      x = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) ^ 1u);
    }
    told.commands.push_back(world.applied());
    log.append_tick(world);
  }
  log.close();
  told.log = std::move(sink.bytes);
  return told;
}

TEST(Divergence, NamesCommandsThatDifferUnderEqualHashes) {
  const Scene scene = scene_of(0);
  const Recorded whole = record(scene, 5, 60);
  std::uint64_t tick = 1;
  while (std::ranges::none_of(whole.commands.at(tick - 1), is_impulse)) ++tick;
  for (const bool without : {true, false}) {
    const Recorded changed = retell(scene, whole, tick, without);
    const auto found = diff(whole, changed);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->tick.value, tick);
    EXPECT_EQ(found->hash_a, found->hash_b);
    EXPECT_EQ(found->cause, session::Cause::commands);
    EXPECT_EQ(found->phase, session::Phase::commands);
    EXPECT_EQ(found->command_differences.size(), without ? 1u : 2u);
    EXPECT_EQ(found->source_a, session::Source::replay);
    EXPECT_EQ(found->unknown, "");
    const std::string lead = without ? "b lacks a command of a" : "the commands of the tick differ";
    EXPECT_EQ(found->why, lead +
                              "; the hashes are equal all the same, but the commands of b lead "
                              "to another: log b was changed after it was recorded");
    EXPECT_NE(diff(changed, whole)->why.find("log a was changed"), std::string::npos);
  }
}

// A replay of the edited log knows only the remaining commands.
TEST(Divergence, DoesNotTakeTheCommandsOfALogForThoseOfTheSession) {
  const Scene scene = scene_of(0);
  World world(scene);
  World other(scene);
  SerialExecutor executor;
  const command::Impulse push{BodyId{9}, {1, 2, 3}};
  const std::vector<Command> commands = {
      {kServer, Sequence{1}, command::Join{ClientId{1}, Role::admin}},
      {ClientId{1}, Sequence{2}, push}};
  step(other, commands, executor);
  ASSERT_EQ(other.applied().size(), 2u);
  const auto left = std::span(commands).first(1);
  const session::Divergence found = session::explain(
      &world, Tick{1}, {left, other.hash(), "one", ""}, {left, {}, "one", ""}, executor);
  EXPECT_EQ(found.cause, session::Cause::machine);
  EXPECT_EQ(found.why.find("commands or a hash were changed after they were recorded, or a "), 0u)
      << found.why;
}

TEST(Divergence, NamesASkippedTick) {
  const Scene scene = scene_of(0);
  const Recorded whole = record(scene, 5, 60);
  std::uint64_t tick = 1;
  while (whole.commands[tick - 1].empty()) ++tick;
  const session::Fault fault{session::Fault::Kind::skip, Tick{tick}, {}, {}, {}};
  const auto found = diff(whole, record(scene, 5, 60, &whole, fault, true));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tick.value, tick);
  EXPECT_EQ(found->cause, session::Cause::fault);
  EXPECT_EQ(found->why, "b was recorded with --break skip@" + std::to_string(tick));
  EXPECT_EQ(found->command_differences.size(), whole.commands[tick - 1].size());
}

// If no single change gives the recorded hash, the state is unknown, and the report says so.
TEST(Divergence, SaysWhatItCannotKnow) {
  const Scene scene = scene_of(0);
  World world(scene);
  SerialExecutor executor;
  World other(scene);
  step(other, {}, executor);
  for (const std::uint32_t slot : {5u, 9u}) {
    const double x = other.bodies().at(physics::BodyField::velocity_x, slot);
    FaultInjector(other).state().bodies.set(physics::BodyField::velocity_x, slot, x + 1e-9);
  }
  const std::uint64_t hash = state_hash(other, executor);
  const session::Divergence found =
      session::explain(&world, Tick{1}, {{}, hash, "one", ""}, {{}, {}, "another", ""}, executor);
  EXPECT_EQ(found.source_a, session::Source::unknown);
  EXPECT_EQ(found.source_b, session::Source::replay);
  EXPECT_EQ(found.hash_a, hash);
  EXPECT_FALSE(found.body || found.field || found.phase);
  EXPECT_NE(found.unknown.find("log a has only a hash of this state"), std::string::npos);
  EXPECT_EQ(found.cause, session::Cause::build);
  const session::Divergence again =
      session::explain(&world, Tick{1}, {{}, hash, "one", ""}, {{}, {}, "one", ""}, executor);
  EXPECT_EQ(again.cause, session::Cause::machine);
  const session::Divergence blind = session::explain(nullptr, Tick{7}, {{}, hash, "one", ""},
                                                     {{}, hash + 1, "two", ""}, executor);
  EXPECT_EQ(blind.tick.value, 7u);
  EXPECT_EQ(blind.hash_b, hash + 1);
  EXPECT_EQ(blind.cause, session::Cause::build);
}

// Compares at tick 20, after the difference: the two logs, and the second log with its replay.
void expect_known_at_the_next_checkpoint(const Recorded& whole, const Recorded& other) {
  OpenLog a(whole.log);
  OpenLog b(other.log);
  SerialExecutor executor;
  ASSERT_TRUE(session::first_difference(a.reader, b.reader, a.header.initial_hash, [] {}));
  World before = std::move(session::initial_world(a.header).value());
  const auto later = session::difference_at_checkpoint(a.reader, b.reader, before.scene());
  ASSERT_TRUE(later);
  EXPECT_EQ(later->tick.value, 20u);
  EXPECT_GE(later->state.bodies, 2u);

  OpenLog log(other.log);
  ASSERT_TRUE(session::replay_to(log.reader, log.header, before, executor, Tick{18}, [] {}));
  const auto replayed = session::difference_at_checkpoint(log.reader, Tick{19}, before, executor);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->tick.value, 20u);
  ASSERT_EQ(replayed->state.fields.size(), later->state.fields.size());
  EXPECT_EQ(replayed->state.fields[0].body, later->state.fields[0].body);
  EXPECT_EQ(replayed->state.fields[0].a, later->state.fields[0].b);
  EXPECT_EQ(replayed->state.fields[0].b, later->state.fields[0].a);
}

// Many numbers differ at one tick, so only a checkpoint of the tick contains the state.
TEST(Divergence, TakesTheStateFromACheckpointOfTheTick) {
  Scene scene = scene_of(0);
  scene.tick_rate = 1;  // a checkpoint every ten ticks
  const Recorded whole = record(scene, 9, 30);
  for (const std::uint64_t tick : {19u, 20u}) {
    test::MemorySink sink;
    World world(scene);
    SerialExecutor executor;
    session::SessionLog log(sink, session::make_log_header(world, "test", {}));
    for (const auto& commands : whole.commands) {
      step(world, commands, executor);
      if (world.tick().value == tick) test::displace(world, {7, 12}, 1e-3);
      log.append_tick(world);
    }
    log.close();
    Recorded other;
    other.log = sink.bytes;
    const auto found = diff(whole, other);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->tick.value, tick);
    EXPECT_EQ(found->source_b, tick == 20 ? session::Source::checkpoint : session::Source::unknown);
    EXPECT_EQ(found->state.bodies, tick == 20 ? 2u : 0u);
    if (tick == 19) {
      expect_known_at_the_next_checkpoint(whole, other);
      continue;
    }
    EXPECT_EQ(found->source_a, session::Source::checkpoint);
    EXPECT_EQ(found->body, BodyId{7});
    EXPECT_EQ(found->field->field, physics::BodyField::position_x);
    EXPECT_NEAR(found->field->b - found->field->a, 1e-3, 1e-12);
    EXPECT_EQ(found->phase, session::Phase::integrate);
  }
}

TEST(Divergence, PhasesAreThoseOfWhatDiffers) {
  const auto phase = [](const char* scene, physics::BodyField field) {
    World world(built_in_scene(scene).value());
    SerialExecutor executor;
    for (int i = 0; i < 60; ++i) step(world, {}, executor);
    const std::string fault = "ulp@61:3." + std::string(physics::field_name(field));
    return session::explain(&world, Tick{61}, {{}, {}, "", fault}, {{}, {}, "", ""}, executor)
        .phase;
  };
  EXPECT_EQ(phase("free:9", physics::BodyField::velocity_x), session::Phase::forces);
  EXPECT_EQ(phase("free:9", physics::BodyField::position_x), session::Phase::integrate);
  EXPECT_EQ(phase("crates:9", physics::BodyField::velocity_x), session::Phase::solve);
  EXPECT_EQ(phase("crates:9", physics::BodyField::orientation_w), session::Phase::integrate);
}

TEST(FirstDifference, ALogThatEndsEarlier) {
  const Recorded longer = record(scene_of(0), 1, 20);
  const Recorded shorter = record(scene_of(0), 1, 15);
  const auto found = difference_of(longer, shorter);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->tick.value, 16u);
  EXPECT_TRUE(found->a && !found->b);
  EXPECT_FALSE(difference_of(longer, longer));
}

}  // namespace
}  // namespace orrery
