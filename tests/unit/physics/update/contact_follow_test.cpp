// Tests that contacts on curved ground have the normal of the present poses after a tick.
#include "common/physics/update/contact_follow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "tests/unit/physics/contact_world.h"

namespace orrery {
namespace {

using physics::ShapeKind;

// A ball of 0.1 that slides over the top of a fixed capsule of radius 1 along z, without friction.
struct Slide {
  explicit Slide(double speed) : world(64) {
    physics::Material smooth;
    smooth.friction = 0;
    const Quat along_z{std::sqrt(0.5), 0, 0, std::sqrt(0.5)};
    world.add_fixed(world.add_shape(ShapeKind::capsule, {}, 1, smooth), {}, along_z);
    ball = world.add(world.add_ball(0.1, smooth), {0.3, std::sqrt(1.1 * 1.1 - 0.09), 0},
                     {speed, 0, 0});
  }
  // Returns the sine of the angle between the normal of the contact and the direction from the axis
  // of the capsule to the ball.
  double error() {
    physics::ContactSet& contacts = world.solver.contacts();
    EXPECT_EQ(contacts.size(), 1u);
    const physics::LaneIndex place = contacts.lanes().place(contacts.entries()[0].id());
    EXPECT_EQ(place.kind, physics::ContactKind::round);
    const physics::Lanes3& n = contacts.lanes().colour(place.colour).round.blocks[0].normal;
    const Vec3 to = world.bodies.position(ball);
    return length(cross(Vec3{n.x[0], n.y[0], n.z[0]}, to)) / length(to);
  }

  ContactWorld world;
  std::uint32_t ball;
};

TEST(ContactFollow, ABallOnACapsuleHasTheNormalOfItsLastPlace) {
  Slide slide(-0.2);
  slide.world.step(2);
  EXPECT_LT(slide.error(), 1e-12);
}

// Without a press, the contact has the normal of the start of the tick.
TEST(ContactFollow, AContactThatDoesNotPressKeepsItsNormal) {
  Slide slide(-0.2);
  slide.world.gravity = {};
  slide.world.step(2);
  EXPECT_GT(slide.error(), 1e-4);
}

}  // namespace
}  // namespace orrery
