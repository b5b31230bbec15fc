// Tests which differences between states are found from checkpoints: at the first tick that
// differs, and at a later tick.
#include "common/session/explain/later_difference.h"

#include <gtest/gtest.h>

#include <utility>

#include "common/session/explain/first_difference.h"
#include "common/session/replay/replay.h"
#include "tests/support/displaced_bodies.h"
#include "tests/support/planted_session.h"

namespace orrery {
namespace {

using test::diff;
using test::planted_scene;
using test::PlantedSession;
using test::record_planted;

// Compares at tick 20, after the difference: the two logs, and the second log with its replay.
void expect_known_at_the_next_checkpoint(const PlantedSession& whole, const PlantedSession& other) {
  const session::OpenedLog a = test::opened(whole.log);
  const session::OpenedLog b = test::opened(other.log);
  SerialExecutor executor;
  ASSERT_TRUE(session::first_difference(*a.reader, *b.reader, a.header.initial_hash, [] {}));
  World before = std::move(session::initial_world(a.header).value());
  const auto later = session::difference_at_checkpoint(*a.reader, *b.reader, before.scene());
  ASSERT_TRUE(later);
  EXPECT_EQ(later->tick.value, 20u);
  EXPECT_GE(later->state.bodies, 2u);

  const session::OpenedLog log = test::opened(other.log);
  ASSERT_TRUE(session::replay_to(*log.reader, log.header, before, executor, Tick{18}, [] {}));
  const auto replayed = session::difference_at_checkpoint(*log.reader, Tick{19}, before, executor);
  ASSERT_TRUE(replayed);
  EXPECT_EQ(replayed->tick.value, 20u);
  ASSERT_EQ(replayed->state.fields.size(), later->state.fields.size());
  EXPECT_EQ(replayed->state.fields[0].body, later->state.fields[0].body);
  EXPECT_EQ(replayed->state.fields[0].a, later->state.fields[0].b);
  EXPECT_EQ(replayed->state.fields[0].b, later->state.fields[0].a);
}

// Two numbers differ at one tick, so only a checkpoint of the tick contains the state.
TEST(LaterDifference, TakesTheStateFromACheckpointOfTheTick) {
  Scene scene = planted_scene(0);
  scene.tick_rate = 1;  // a checkpoint every ten ticks
  const PlantedSession whole = record_planted(scene, 9, 30);
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
    PlantedSession other;
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

}  // namespace
}  // namespace orrery
