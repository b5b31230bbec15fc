// Tests the checks of shown frames: sound frames pass, and each planted fault is found.
#include "client/cli/bots/frame_check.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace orrery {
namespace {

using client::BodyPose;
using client::FrameCheck;
using client::Quality;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A check, and frames of two bodies.
struct Frames {
  std::string check(double tick) { return checks.check({tick, &poses}).value_or(""); }

  FrameCheck checks{1, 100};
  std::vector<BodyPose> poses = {{BodyId{0}, 0, Quality::interpolated, {1, 2, 3}, {}},
                                 {BodyId{1}, 0, Quality::interpolated, {1, 2, 3}, {}}};
};

TEST(FrameCheck, SoundFramesPass) {
  Frames frames;
  EXPECT_EQ(frames.check(10.5), "");
  EXPECT_EQ(frames.check(10.5), "");
  EXPECT_EQ(frames.check(11.25), "");
  frames.poses.clear();
  EXPECT_EQ(frames.check(0), "");  // there are no poses, so no tick was shown
  EXPECT_EQ(frames.checks.frames(), 3u);
}

TEST(FrameCheck, ATickGoesBackOnlyInAResumedSession) {
  Frames frames;
  EXPECT_EQ(frames.check(100), "");
  EXPECT_NE(frames.check(99.5).find("went back"), std::string::npos);
  frames.checks.begin_epoch(5);
  EXPECT_EQ(frames.check(3), "");
}

TEST(FrameCheck, ImpossiblePosesAreFound) {
  Frames frames;
  const std::vector<BodyPose> sound = frames.poses;
  for (const double bad : {kNan, std::numeric_limits<double>::infinity()}) {
    frames.poses = sound;
    frames.poses[1].position.y = bad;
    EXPECT_NE(frames.check(1).find("body 1 was shown in no possible pose"), std::string::npos);
    frames.poses = sound;
    frames.poses[1].orientation.w = bad;
    EXPECT_NE(frames.check(1).find("body 1"), std::string::npos);
  }
  frames.poses = sound;
  frames.poses[0].orientation = {0, 0, 0, 1.00001};
  EXPECT_NE(frames.check(1).find("body 0"), std::string::npos);
  frames.poses = {sound[1], sound[0]};
  EXPECT_NE(frames.check(1).find("wrong order"), std::string::npos);
}

// Poses are kept, as many as there is room for. Each has the ticks of the states around it.
TEST(FrameCheck, PosesAreKeptWithTheTicksOfTheirStates) {
  Frames frames;
  client::Snapshot state;
  for (std::uint64_t tick = 10; tick <= 400; tick += 2) {
    state.tick = Tick{tick};
    state.bodies.resize(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      state.bodies[i].id = BodyId{i};
      state.bodies[i].tick = Tick{tick};
    }
    frames.checks.add(state);
    EXPECT_EQ(frames.check(static_cast<double>(tick) - 0.75), "");
    EXPECT_EQ(frames.check(static_cast<double>(tick) - 0.5), "");
    EXPECT_EQ(frames.check(static_cast<double>(tick) + 0.5), "");
  }
  const auto& shown = frames.checks.shown();
  ASSERT_GT(shown.size(), 50u);
  ASSERT_LE(shown.size(), 100u);
  std::size_t between = 0;
  for (const client::Shown& s : shown) {
    const auto before = static_cast<std::uint64_t>(s.tick) / 2 * 2;
    EXPECT_EQ(s.before, before);
    EXPECT_LE(s.earliest, s.before);
    between += s.after != 0;
    if (s.after != 0) {
      EXPECT_EQ(s.after, before + 2);
    }
  }
  EXPECT_GT(between, 0u);
  EXPECT_LT(between, shown.size());
  frames.checks.begin_epoch(200);  // drops the last 200 of about 400 ticks
  for (const client::Shown& s : frames.checks.shown()) EXPECT_LE(s.tick, 200.5);
}

}  // namespace
}  // namespace orrery
