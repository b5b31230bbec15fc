// Tests contacts in small scenes with known results, over sizes, shapes and orders of bodies.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "common/physics/contacts/contact_settings.h"
#include "tests/unit/physics/small_scenes.h"

namespace orrery {
namespace {

// A capsule or ball that rolls without sliding keeps its speed. It may be before or after the floor
// in the order of slots, and the floor may be a plane, a fixed box or a heavy box on a plane.
struct RollingCase {
  double size;
  bool capsule;
  bool first;
  int floor;  // 0: plane, 1: fixed box, 2: movable box on a plane
};

double speed_after_rolling(const RollingCase& c, double v) {
  ContactWorld world(64);
  world.gravity = {0, -kGravity * c.size, 0};  // the same motion at every size
  const double r = 0.5 * c.size;
  const auto add_roller = [&] {
    const Quat along_z = turn_about({1, 0, 0}, std::numbers::pi / 2);
    const std::uint32_t shape =
        c.capsule ? add_capsule(world, r, c.size) : world.add_ball(r, {}, 1000);
    return world.add(shape, {0, r, 0}, {v, 0, 0}, {0, 0, -v / r}, along_z);
  };
  const auto add_floor = [&] {
    const Vec3 half{20 * c.size, c.size, 20 * c.size};
    if (c.floor != 0) {
      const std::uint32_t box = world.add_box(half);
      const Vec3 at{0, -c.size, 0};
      if (c.floor == 1) world.add_fixed(box, at);
      if (c.floor == 2) world.add(box, at);
    }
    if (c.floor != 1) world.add_fixed(add_plane(world), {0, c.floor == 2 ? -2 * c.size : 0, 0});
  };
  std::uint32_t roller = 0;
  if (c.first) roller = add_roller();
  add_floor();
  if (!c.first) roller = add_roller();
  world.step(600);
  return world.bodies.velocity(roller).x;
}

TEST(ContactScenes, ARollingBodyKeepsItsSpeed) {
  for (const double size : kSizes) {
    for (const bool capsule : {false, true}) {
      for (const bool first : {false, true}) {
        for (const int floor : {0, 1, 2}) {
          const double v = 0.01 * size;
          EXPECT_NEAR(speed_after_rolling({size, capsule, first, floor}, v), v, 1e-3 * v)
              << size << (capsule ? " capsule" : " ball") << first << floor;
        }
      }
    }
  }
}

// A cube that falls a tenth of its size ends at rest on a face, however small it is.
TEST(ContactScenes, ADieComesToRestOnAFace) {
  for (const double size : {0.008, 0.016, 0.1, 1.0}) {
    for (const int start : {0, 1, 2, 3}) {
      ContactWorld world(64);
      world.add_fixed(add_plane(world), {});
      const double h = size / 2;
      const Quat q = turn_about({0.6, 0, 0.8}, 0.2 * start) * turn_about({0, 1, 0}, 0.3);
      const std::uint32_t die = world.add(world.add_box({h, h, h}), {0, 1.1 * size, 0}, {}, {}, q);
      world.step(240);
      const Vec3 up = rotate_back(world.bodies.orientation(die), {0, 1, 0});
      const double most = std::max({std::abs(up.x), std::abs(up.y), std::abs(up.z)});
      EXPECT_GT(most, std::cos(0.005)) << size << " " << start;
      EXPECT_NEAR(world.bodies.position(die).y, h, 0.01 * size) << size << " " << start;
      EXPECT_LT(length(world.bodies.velocity(die)), 1e-3) << size << " " << start;
    }
  }
}

// Plates that fall over each other end at rest on the floor, at every thickness, as boxes and as
// hulls. All their corners may be within the contact margin of the floor.
TEST(ContactScenes, AHeapOfPlatesComesToRest) {
  // The weight of five plates on a contact of frequency f at a fixed body sinks by 5 g / (2 pi
  // f)^2. Two such contacts are below the lowest plate at most.
  const double turns = 2 * std::numbers::pi * 2 * physics::kContactFrequencyShare * 240;
  const double kSink = 2 * 5 * kGravity / (turns * turns);
  for (const bool hulls : {false, true}) {
    for (const double thickness : {0.02, 0.15, 0.5}) {
      ContactWorld world(64);
      world.add_fixed(add_plane(world), {});
      const Vec3 half{0.05 * thickness, 0.05, 0.025};
      const std::uint32_t plate = hulls ? add_box_hull(world, half) : world.add_box(half);
      std::uint32_t plates[5];
      for (int i = 0; i < 5; ++i) {
        const Quat lean = turn_about({0, 0, 1}, i == 0 ? -0.3 : 0.0);
        plates[i] = world.add(plate, {0.05 * i - (i == 0 ? 0.02 : 0), 0.051, 0}, {},
                              {0, 0, i == 0 ? -13.0 : 0.0}, lean);
      }
      world.step(300);
      for (const std::uint32_t slot : plates) {
        EXPECT_GT(world.bodies.position(slot).y, half.x - kSink) << hulls << " " << thickness;
        EXPECT_LT(length(world.bodies.velocity(slot)), 0.01) << hulls << " " << thickness;
        EXPECT_LT(length(world.bodies.angular_velocity(slot)), 0.1) << hulls << " " << thickness;
      }
    }
  }
}

// A blade that rotates hits a ball. The ball leaves with at least the speed of the blade there.
TEST(ContactScenes, ARotatingBladeHitsABall) {
  for (const double size : kSizes) {
    for (const bool first : {false, true}) {
      ContactWorld world(64);
      world.gravity = {};
      const auto add_ball = [&] {
        return world.add(world.add_ball(0.1 * size), {0.8 * size, 0, -0.5 * size});
      };
      std::uint32_t ball = first ? add_ball() : 0;
      const std::uint32_t blade =
          world.add_fixed(world.add_box({size, 0.5 * size, 0.03 * size}), {});
      drive(world, blade, {0, 5, 0});
      if (!first) ball = add_ball();
      world.step(60);
      EXPECT_GT(length(world.bodies.velocity(ball)), 0.8 * size * 5) << size << first;
    }
  }
}

// Friction at the centre of a body acts against its motion, whatever the shape: the path is
// straight.
TEST(ContactScenes, ASlidingPlankKeepsItsDirection) {
  for (const double size : kSizes) {
    for (const double yaw : {0.0, 0.3, 0.785, 1.2}) {
      ContactWorld world(64);
      world.gravity = {0, -kGravity * size, 0};
      world.add_fixed(add_plane(world), {});
      const std::uint32_t shape = world.add_box({size, 0.1 * size, 0.1 * size});
      const std::uint32_t plank =
          world.add(shape, {0, 0.1 * size, 0}, {2 * size, 0, 0}, {}, turn_about({0, 1, 0}, yaw));
      world.step(120);
      const Vec3 end = world.bodies.position(plank);
      EXPECT_NEAR(end.z, 0, 2e-3 * size) << size << " " << yaw;
      EXPECT_NEAR(end.x, 4 * size / (2 * 0.5 * kGravity), 0.03 * size) << size << " " << yaw;
    }
  }
}

// A part that passes another one at a small distance keeps its motion, at every phase of the tick.
enum class Passer { ball, box, hull, standing_capsule, lying_capsule };

// Returns the orientation of a body in which its shape has the orientation of its definition.
Quat upright(const ContactWorld& world, std::uint32_t shape) {
  return world.shapes.shape(shape).mass.frame.orientation;
}

// Adds a part that reaches from -0.1 to 0.1 times `size` along x, with its pose.
std::uint32_t add_passer(ContactWorld& world, Passer kind, const Vec3& at, double size) {
  const double r = 0.1 * size;
  const Vec3 half{r, 0.5 * r, 2 * r};
  std::uint32_t shape = 0;
  switch (kind) {
    case Passer::ball:
      return world.add(world.add_ball(r), at);
    case Passer::box:
      return world.add(world.add_box(half), at);
    case Passer::hull:
      shape = add_box_hull(world, half);
      return world.add(shape, at, {}, {}, upright(world, shape));
    case Passer::standing_capsule:
      return world.add(add_capsule(world, r, 2 * r), at);
    default:
      return world.add(add_capsule(world, 0.4 * r, 0.6 * r), at, {}, {},
                       turn_about({0, 0, 1}, std::numbers::pi / 2));
  }
}

TEST(ContactScenes, ANearMissChangesNothing) {
  constexpr Passer kPassers[] = {Passer::ball, Passer::box, Passer::hull, Passer::standing_capsule,
                                 Passer::lying_capsule};
  for (const double size : kSizes) {
    for (const Passer kind : kPassers) {
      for (int other = 0; other < 3; ++other) {
        for (int phase = 0; phase < 8; ++phase) {
          ContactWorld world(64);
          world.gravity = {0, -kGravity * size, 0};
          const double miss = 0.005 * size, r = 0.1 * size;
          const std::uint32_t shape = other == 0   ? world.add_ball(size)
                                      : other == 1 ? world.add_box({size, size, size})
                                                   : add_box_hull(world, {size, size, size});
          world.add_fixed(shape, {size + r + miss, 0, 0}, upright(world, shape));
          const Vec3 at{0, (2 + 0.01 * phase) * size, 0};
          const std::uint32_t passer = add_passer(world, kind, at, size);
          world.step(60);
          const Vec3 v = world.bodies.velocity(passer);
          EXPECT_EQ(v.x, 0) << size << " " << static_cast<int>(kind) << other << phase;
          EXPECT_NEAR(v.y, -kGravity * size, 1e-9 * size);
          EXPECT_EQ(world.bodies.angular_momentum(passer), Vec3{});
        }
      }
    }
  }
}

}  // namespace
}  // namespace orrery
