// Tests the divergence report: it names exactly the planted fault.
#include "common/session/explain/divergence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <variant>

#include "tests/support/planted_session.h"

namespace orrery {
namespace {

using test::diff;
using test::planted_scene;
using test::PlantedSession;
using test::record_planted;

constexpr std::uint64_t kSeed = 20261;

// Half of the headers name the fault. In the other half the changed number is found from the hash.
TEST(Divergence, NamesAHundredRandomUlps) {
  SplitMix64 draw(kSeed);
  int planted = 0;
  PlantedSession whole;
  for (std::uint64_t i = 0; planted < 100; ++i) {
    const Scene scene = planted_scene(i / 4);
    if (i % 4 == 0) whole = record_planted(scene, i, 40);
    session::Fault fault{session::Fault::Kind::ulp, Tick{1 + draw.below(40)}, {}, {}, {}};
    fault.a = whole.bodies[draw.below(static_cast<std::uint32_t>(whole.bodies.size()))];
    fault.field = static_cast<physics::BodyField>(draw.below(physics::kStateFields));
    const bool told = i % 2 == 0;
    const PlantedSession broken = record_planted(scene, i, 40, &whole, fault, told);
    // the fault has no effect: the body cannot move, or does not exist yet
    if (broken.log.empty()) continue;
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

World state_after(const Scene& scene, const PlantedSession& session, std::uint64_t tick) {
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
    const PlantedSession whole = record_planted(scene, i, 30);
    session::Fault fault{session::Fault::Kind::swap, Tick{1 + draw.below(30)}, {}, {}, {}};
    const std::uint32_t first = draw.below(59);
    fault.a = BodyId{first};
    fault.b = BodyId{first + 1 + draw.below(59 - first)};
    const bool told = i % 4 < 2;
    const PlantedSession broken = record_planted(scene, i, 30, &whole, fault, told);
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
PlantedSession record_without(const Scene& scene, const PlantedSession& whole, std::size_t tick,
                              std::size_t command) {
  PlantedSession less = whole;
  auto& commands = less.commands[tick - 1];
  commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(command));
  return record_planted(scene, 0, static_cast<int>(whole.commands.size()), &less);
}

// Returns the body that a command names, or that its client holds.
std::optional<BodyId> body_of(const PlantedSession& session, std::uint64_t tick,
                              const Command& about) {
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

// Returns the body and field that a report must name. It is the body of the command (`about`) if
// that body differs, else the differing body in the lowest slot. The field is the first that
// differs, if both states have the body.
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
    const Scene scene = planted_scene(i);
    const PlantedSession whole = record_planted(scene, i, 60);
    const std::size_t tick = 1 + draw.below(60);
    const auto& commands = whole.commands[tick - 1];
    if (commands.empty()) continue;
    const auto dropped = draw.below(static_cast<std::uint32_t>(commands.size()));
    const PlantedSession less = record_without(scene, whole, tick, dropped);
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

}  // namespace
}  // namespace orrery
