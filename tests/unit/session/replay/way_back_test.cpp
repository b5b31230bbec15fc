// Tests going backwards in a session: number of steps, memory, and equality with the recorded
// states.
#include <gtest/gtest.h>

#include "common/session/replay/playback.h"
#include "common/world/scenes/scenes.h"
#include "tests/support/lossy_log.h"
#include "tests/unit/session/replay/stated_session.h"

namespace orrery {
namespace {

using Session = test::StatedSession;
using test::record_states;

std::unique_ptr<session::Playback> open(const Session& session,
                                        std::size_t kept_bytes_max = session::kKeptBytesMax) {
  return std::move(session::Playback::open(session::open_log(session.log.opener()),
                                           session::OtherRules::refused,
                                           std::make_shared<session::KeptStates>(kept_bytes_max))
                       .value());
}

// Goes to a tick and compares hash and image with those of the session. Returns the number of
// steps.
std::uint64_t go_to(session::Playback& playback, const Session& session, std::uint64_t tick) {
  SerialExecutor executor;
  std::uint64_t steps = 0;
  const Status gone = playback.go_to(Tick{tick}, executor, [&] { ++steps; });
  EXPECT_TRUE(gone) << tick << ": " << gone.error().text();
  std::vector<std::uint8_t> image;
  save_image(playback.world(), image);
  EXPECT_EQ(playback.world().tick(), Tick{tick});
  EXPECT_EQ(playback.world().hash(), session.hashes[tick]) << tick;
  EXPECT_EQ(checksum(image), session.images[tick]) << tick;
  return steps;
}

// Goes back from the last tick to the first, one by one. The kept states take at most `bytes_max`
// bytes. Returns the number of steps after the last tick was reached.
std::uint64_t steps_back(const Session& session, std::size_t bytes_max) {
  const std::unique_ptr<session::Playback> playback = open(session, bytes_max);
  const std::uint64_t last = session.hashes.size() - 1;
  go_to(*playback, session, last);
  std::uint64_t steps = 0;
  for (std::uint64_t tick = last; tick-- > 0;) {
    steps += go_to(*playback, session, tick);
    EXPECT_LE(playback->kept_bytes(), bytes_max);
  }
  return steps;
}

TEST(WayBack, GoingBackTakesTwoStepsATickAtMost) {
  constexpr std::uint64_t kTicks = 1250;  // 600 between checkpoints
  const Session session = record_states(built_in_scene("tumble").value(), 60, kTicks, 10'000, 1);
  const std::uint64_t steps = steps_back(session, session::kKeptBytesMax);
  EXPECT_LE(steps, 2 * kTicks);
  EXPECT_GE(steps, kTicks - 3) << "each state but those of checkpoints is stepped to";
}

TEST(WayBack, GoingBackTakesOneStepATickIfAllStatesFit) {
  constexpr std::uint64_t kTicks = 1250;  // 600 between checkpoints
  const Session session = record_states(built_in_scene("tumble").value(), 60, kTicks, 10'000, 6);
  EXPECT_LE(steps_back(session, 600 * session.image_bytes), kTicks);
}

// The playback goes back from the last stretch between checkpoints, of 50 ticks, into the one
// before it, of 600.
TEST(WayBack, GoingBackAFewTicksTakesOneStretchMore) {
  const Session session = record_states(built_in_scene("tumble").value(), 60, 1250, 10'000, 2);
  const std::unique_ptr<session::Playback> playback = open(session);
  go_to(*playback, session, 1250);
  std::uint64_t steps = 0;
  for (std::uint64_t tick = 1249; tick >= 1150; --tick) steps += go_to(*playback, session, tick);
  EXPECT_LE(steps, 3 * 100 + 600);
}

// With room for n images, each step is computed at most r times (`rounds`). r is the least number
// with C(n + 1 + r, r) > 600.
TEST(WayBack, ALittleMemoryIsKeptToAndHelps) {
  constexpr std::uint64_t kTicks = 600;
  const Session session = record_states(built_in_scene("tumble").value(), 60, kTicks, 10'000, 3);
  const struct {
    std::uint64_t images;
    std::uint64_t rounds;
  } kCases[] = {{1, 34}, {2, 14}, {3, 9}, {5, 6}, {10, 4}, {33, 2}, {34, 2}};
  for (const auto& [images, rounds] : kCases) {
    const std::size_t bytes_max = images * session.image_bytes + session.image_bytes / 2;
    EXPECT_LE(steps_back(session, bytes_max), rounds * kTicks) << images;
  }
}

TEST(WayBack, WithoutMemoryTheWayIsThatFromTheCheckpoint) {
  const Session session = record_states(built_in_scene("tumble").value(), 6, 130, 10'000, 4);
  EXPECT_EQ(steps_back(session, 0), 59 * 60 + 9 * 10 / 2);
}

// Bodies appear and disappear, so images differ in size.
TEST(WayBack, TheBoundHoldsForImagesThatGrow) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Session session = record_states(built_in_scene("playground").value(), 6, 200, 70, seed);
    for (const std::size_t part : {1, 2, 5, 12}) {
      steps_back(session, session.image_bytes * part - part % 2);
    }
  }
}

// Goes to random ticks, near and far, and compares each state with the session's.
void walk(const Session& session, std::uint64_t seed, std::size_t bytes_max) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << bytes_max << " bytes");
  const std::unique_ptr<session::Playback> playback = open(session, bytes_max);
  SplitMix64 draw(seed);
  const auto last = static_cast<std::uint32_t>(session.hashes.size() - 1);
  std::uint64_t tick = 0;
  for (int i = 0; i < 250 && !testing::Test::HasFailure(); ++i) {
    const std::uint64_t stride = 1 + draw.below(draw.below(4) == 0 ? 100 : 4);
    const std::uint64_t way = draw.below(8);
    if (way == 0) tick = draw.below(last + 1);
    if (way > 0 && way < 6) tick -= std::min(tick, stride);
    if (way >= 6) tick = std::min<std::uint64_t>(last, tick + stride);
    go_to(*playback, session, tick);
    EXPECT_LE(playback->kept_bytes(), bytes_max);
  }
}

TEST(WayBack, AnyWalkComesToTheStatesOfAReplay) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Session session =
        record_states(test::any_scene(seed), 6, 260, seed % 2 == 0 ? 1000 : 45, seed);
    for (const std::size_t images : {0, 1, 3, 1000}) {
      walk(session, 100 * seed + images, images * session.image_bytes);
    }
  }
}

// After lost ticks, a new stretch between checkpoints begins. Ticks that the log has twice count
// once.
TEST(WayBack, GoesBackOverWhatADiskLost) {
  for (const test::Loss loss : {test::Loss::ticks, test::Loss::sync}) {
    const test::LossyLog lossy = test::lossy_log(built_in_scene("tumble").value(), 1, 1204, loss);
    const auto playback =
        std::move(session::Playback::open(session::open_log(lossy.log.opener())).value());
    SerialExecutor executor;
    for (std::uint64_t tick = 1204; tick-- > 580;) {
      ASSERT_TRUE(playback->go_to(Tick{tick}, executor)) << tick;
      const World& world = playback->world();
      ASSERT_TRUE(world.tick() == Tick{tick} ||
                  (loss == test::Loss::ticks && world.tick().value > tick));
      ASSERT_EQ(world.hash(), lossy.hashes[world.tick().value]) << tick;
    }
  }
}

// The log is replaced by that of another build, which has a longer header. At a position that the
// playback has stored there is then no record, so the playback starts from the beginning.
TEST(WayBack, APlaceThatHoldsNoRecordIsNotGoneTo) {
  const Session session = record_states(built_in_scene("tumble").value(), 60, 300, 10'000, 5);
  test::MemorySegments anew;
  World world(test::any_scene(1));
  session::SessionLog log(anew, session::make_log_header(world, "another build", {}));
  const test::MemorySegments* current = &session.log;
  const auto playback =
      std::move(session::Playback::open(session::open_log([&](std::uint32_t number) {
                  return current->opener()(number);
                })).value());
  go_to(*playback, session, 300);
  go_to(*playback, session, 250);  // keeps all states before it
  EXPECT_EQ(go_to(*playback, session, 200), 0u);
  EXPECT_EQ(go_to(*playback, session, 210), 10u);
  go_to(*playback, session, 200);
  current = &anew;
  EXPECT_EQ(go_to(*playback, session, 210), 210u);
}

}  // namespace
}  // namespace orrery
