// Tests that contacts forget the points that they have lost, and find new ones in time.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/physics/contacts/contact_set.h"
#include "tests/unit/physics/contact_world.h"
#include "tests/unit/physics/contacts/copied_contacts.h"

namespace orrery {
namespace {

// Adds nine boxes on a slope. Their contacts have one colour, and fill one block and one lane of
// the next block. The bounding box of the slope reaches far above its surface. A box that is lifted
// off the slope therefore still overlaps this bounding box.
void add_boxes_on_slope(ContactWorld& world, const Quat& turn) {
  world.gravity = {};
  world.add_fixed(world.add_box({20, 1, 20}), rotate(turn, {0, -1, 0}), turn);
  const std::uint32_t box = world.add_box({0.5, 0.5, 0.5});
  for (int i = 0; i < 9; ++i) world.add(box, rotate(turn, {2.0 * i - 8, 0.5, 0}), {}, {}, turn);
}

// A contact that has lost points moves to the lane of a contact that has ended. The other contacts
// of that block have more points. The lost points must not affect the moved contact.
TEST(ContactSet, ForgetsThePointsThatAContactHasLost) {
  const Quat turn = normalized({0.2, 0, 0.3, 0.9});
  ContactWorld world(64), other(64);
  add_boxes_on_slope(world, turn);
  add_boxes_on_slope(other, turn);
  world.step(1);
  ASSERT_EQ(world.solver.contacts().points(), 36u);
  // The last box is placed on an edge, slightly too deep. Then the first box is lifted.
  const Quat tilt = normalized({0.1, 0, 0, 1});
  const Vec3 edge = rotate(tilt, {0, -0.5, 0.5});
  world.bodies.set_orientation(9, turn * tilt);
  world.bodies.set_position(
      9, rotate(turn, {8, -0.001 - std::min(edge.y, rotate(tilt, {0, -0.5, -0.5}).y), 0}));
  world.step(1);
  ASSERT_EQ(world.solver.contacts().points(), 34u);
  world.bodies.set_position(1, rotate(turn, {-8, 1, 0}));
  copy_state(world, other);
  world.step(1);
  other.step(1);
  ASSERT_EQ(world.solver.contacts().size(), 8u);
  EXPECT_EQ(world.bodies.velocity(9), other.bodies.velocity(9));
  EXPECT_EQ(world.hash(), other.hash());
}

// A box turns next to another one. At first, only two of its corners are within the margin of the
// other box. Then the other two are near. The contact must find them before they meet the other
// box, at any size.
TEST(ContactSet, FindsThePointsThatComeWithinTheMargin) {
  for (const double half : {0.5, 1.0, 4.0, 20.0}) {
    ContactWorld world(64);
    world.gravity = {};
    const std::uint32_t shape = world.add_box({half, half, half});
    world.add_fixed(shape, {});
    const double margin = world.margin().of({half, 2 * half});
    const double angle = 0.6 * margin / half;
    const Quat turn = normalized({0, 0.5 * angle, 0, 1});
    const std::uint32_t box = world.add(shape, {2 * half + 1.5 * margin, 0, 0}, {}, {}, turn);
    world.step(1);
    ASSERT_EQ(world.solver.contacts().points(), 2u) << half;
    world.bodies.set_orientation(box, conjugate(turn));
    world.bodies.set_position(box, {2 * half + 0.65 * margin, 0, 0});
    world.bodies.set_velocity(box, {-50 * margin, 0, 0});
    world.step(1);
    for (const double z : {-half, half}) {
      const Vec3 corner = rotate(world.bodies.orientation(box), {-half, half, z});
      EXPECT_GT(world.bodies.position(box).x + corner.x - half, -0.05 * margin) << half << ' ' << z;
    }
  }
}

}  // namespace
}  // namespace orrery
