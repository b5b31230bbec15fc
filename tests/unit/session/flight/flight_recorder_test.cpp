// Tests which ticks and images the flight recorder keeps.
#include "common/session/flight/flight_recorder.h"

#include <gtest/gtest.h>

#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery {
namespace {

constexpr std::size_t kBytesMax = std::size_t{1} << 20;
constexpr std::uint32_t kTickRate = 10;

// A session with a recorder.
struct Recorded {
  Recorded() : world(scene()), recorder(world, kBytesMax) {}

  static Scene scene() {
    Scene scene = built_in_scene("tumble").value();
    scene.tick_rate = kTickRate;
    return scene;
  }

  void run(int ticks) {
    SerialExecutor executor;
    for (int i = 0; i < ticks; ++i) {
      step(world, {}, executor);
      const std::uint8_t record[] = {static_cast<std::uint8_t>(world.tick().value)};
      recorder.add(world, record, Tick{});
    }
  }

  World world;
  session::FlightRecorder recorder;
};

TEST(FlightRecorder, BeginsWithTheImageOfAState) {
  Recorded session;
  EXPECT_EQ(session.recorder.oldest(), 0u);
  EXPECT_EQ(session.recorder.newest(), 0u);
  EXPECT_EQ(session.recorder.oldest_image(), 0u);
  World restored(session.world.scene());
  ASSERT_TRUE(restore_image(restored, session.recorder.at(0).image));
  EXPECT_EQ(restored.hash(), session.world.hash());
}

TEST(FlightRecorder, HoldsTheLastTicksWithTheirRecords) {
  Recorded session;
  session.run(250);
  const std::uint64_t oldest = session.recorder.oldest();
  EXPECT_EQ(session.recorder.newest(), 250u);
  EXPECT_LE(oldest, 250 - session::kFlightSeconds * kTickRate);
  EXPECT_GT(oldest, 250 - 2 * session::kFlightSeconds * kTickRate);
  EXPECT_FALSE(session.recorder.holds(oldest - 1));
  EXPECT_FALSE(session.recorder.holds(251));
  for (std::uint64_t tick = oldest; tick <= 250; ++tick) {
    ASSERT_TRUE(session.recorder.holds(tick));
    EXPECT_EQ(session.recorder.at(tick).tick.value, tick);
    EXPECT_EQ(session.recorder.at(tick).record,
              std::vector<std::uint8_t>{static_cast<std::uint8_t>(tick)});
  }
}

// A lasting image comes every second. The images between them go once they were passed.
TEST(FlightRecorder, DropsPassedImagesExceptOneASecond) {
  Recorded session;
  session.run(25);
  for (std::uint64_t tick = 0; tick <= 25; ++tick) {
    EXPECT_FALSE(session.recorder.at(tick).image.empty()) << tick;
    session.recorder.pass(tick);
  }
  for (std::uint64_t tick = 0; tick <= 25; ++tick) {
    EXPECT_EQ(session.recorder.at(tick).image.empty(), tick % kTickRate != 0) << tick;
  }
  session.recorder.pass(26);  // not there: no effect
}

// A follower compares each tick before it records the tick.
TEST(FlightRecorder, SavesOneImageASecondIfTheComparisonIsAhead) {
  Recorded session;
  SerialExecutor executor;
  for (std::uint64_t tick = 1; tick <= 25; ++tick) {
    step(session.world, {}, executor);
    session.recorder.add(session.world, {}, Tick{tick});
    EXPECT_EQ(session.recorder.at(tick).image.empty(), tick % kTickRate != 0) << tick;
  }
}

TEST(FlightRecorder, GivesTheTicksFromTheFirstImageOn) {
  Recorded session;
  session.run(118);
  for (std::uint64_t tick = 0; tick <= 118; ++tick) session.recorder.pass(tick);
  const std::uint64_t first = session.recorder.oldest_image();
  EXPECT_EQ(first % kTickRate, 0u);
  EXPECT_GT(first, session.recorder.oldest());
  const std::vector<session::FlightTick> ticks = session.recorder.take();
  ASSERT_EQ(ticks.size(), 118 - first + 1);
  EXPECT_FALSE(ticks.front().image.empty());
  for (std::size_t i = 0; i < ticks.size(); ++i) EXPECT_EQ(ticks[i].tick.value, first + i);
}

}  // namespace
}  // namespace orrery
