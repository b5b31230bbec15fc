// Tests the view of a live picture.
#include "client/cli/watch/camera.h"

#include <gtest/gtest.h>

#include <cmath>

namespace orrery::cli {
namespace {

std::vector<DrawnBody> bodies_at(std::initializer_list<Vec3> places) {
  std::vector<DrawnBody> bodies;
  for (const Vec3& place : places) bodies.emplace_back().pose.position = place;
  return bodies;
}

class CameraTest : public testing::Test {
 protected:
  View look(const std::vector<DrawnBody>& bodies) { return camera_.view(models_, bodies, 160, 80); }

  // Returns the view after it has had time to move.
  View settle(const std::vector<DrawnBody>& bodies) {
    for (int i = 0; i < 100; ++i) look(bodies);
    return look(bodies);
  }

  Camera camera_{Axis::front};
  const Models models_;
  const std::vector<DrawnBody> two_ = bodies_at({{-5, 0, 0}, {5, 2, 0}});
};

TEST_F(CameraTest, SmallMotionsDoNotMoveTheView) {
  const View view = look(two_);
  const View later = look(bodies_at({{-5.1, 0, 0}, {5.1, 2.1, 0}}));
  EXPECT_EQ(later.centre, view.centre);
  EXPECT_EQ(later.scale, view.scale);
}

TEST_F(CameraTest, FollowsBodiesThatLeaveThePicture) {
  look(two_);
  const auto gone = bodies_at({{95, 0, 0}, {105, 2, 0}});
  const View next = look(gone);
  EXPECT_LT(next.centre.x, 50);  // the view has not arrived yet
  EXPECT_NEAR(settle(gone).centre.x, 100, 0.1);
}

TEST_F(CameraTest, ComesCloserIfBodiesUseLittleOfThePicture) {
  const double scale = look(two_).scale;
  EXPECT_GT(settle(bodies_at({{-0.5, 0, 0}, {0.5, 0.2, 0}})).scale, 2 * scale);
}

TEST_F(CameraTest, StaysWhereTheUserMovedIt) {
  const View view = look(two_);
  camera_.press(Key::right);
  camera_.press(Key::zoom_in);
  const View moved = look(bodies_at({{900, 0, 0}}));
  EXPECT_NEAR(moved.centre.x, view.centre.x + 16 / view.scale, 1e-9);
  EXPECT_GT(moved.scale, view.scale);
  camera_.press(Key::fit);
  EXPECT_NEAR(look(bodies_at({{900, 0, 0}})).centre.x, 900, 1e-9);
}

TEST_F(CameraTest, LooksAlongAnotherAxis) {
  look(two_);
  camera_.press(Key::top);
  EXPECT_EQ(look(two_).axis, Axis::top);
  EXPECT_EQ(camera_.axis(), Axis::top);
}

TEST_F(CameraTest, NoNumberOfKeysBreaksTheView) {
  look(two_);
  for (int i = 0; i < 2000; ++i) {
    camera_.press(Key::zoom_in);
    camera_.press(Key::up);
  }
  EXPECT_TRUE(std::isfinite(look(two_).scale));
  for (int i = 0; i < 4000; ++i) {
    camera_.press(Key::zoom_out);
    camera_.press(Key::left);
  }
  const View view = look(two_);
  EXPECT_TRUE(std::isfinite(view.scale) && view.scale > 0);
  EXPECT_TRUE(std::isfinite(view.centre.x) && std::isfinite(view.centre.y));
}

}  // namespace
}  // namespace orrery::cli
