// Tests which scenes validate() refuses, and its messages.
#include "common/world/scenes/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/worlds.h"

namespace orrery {
namespace {

using namespace test;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Change>
std::string refusal(Change change) {
  Scene scene = small_scene();
  change(scene);
  const Status status = validate(scene);
  return status.ok() ? "accepted" : status.error().text();
}

void expect_says(const std::string& message, const std::string& what, const char* field) {
  EXPECT_EQ(message.rfind(what, 0), 0u) << message;
  EXPECT_NE(message.find(field), std::string::npos) << message << " should name " << field;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(Scene, ASoundOneIsAccepted) {
  EXPECT_EQ(refusal([](Scene&) {}), "accepted");
}

TEST(Scene, NumbersOfBodiesAreChecked) {
  struct {
    const char* field;
    double& (*at)(BodyDef&);
    std::vector<double> wrong;
  } const fields[] = {
      {"position", [](BodyDef& b) -> double& { return b.position.y; }, {2e12, -2e12}},
      {"velocity", [](BodyDef& b) -> double& { return b.velocity.z; }, {2e9}},
      {"angular_velocity", [](BodyDef& b) -> double& { return b.angular_velocity.x; }, {-2e6}},
      {"orientation", [](BodyDef& b) -> double& { return b.orientation.w; }, {0, 0.9, 2}},
      {"mass", [](BodyDef& b) -> double& { return b.mass; }, {0, -1, 1e-13, 1e16}},
      {"inertia", [](BodyDef& b) -> double& { return b.inertia.y; }, {0, -1, 1e-19, 1e25}},
      {"gravity_scale", [](BodyDef& b) -> double& { return b.gravity_scale; }, {1e7}},
      {"drag", [](BodyDef& b) -> double& { return b.linear_drag; }, {-0.1, 1e19}},
      {"drag", [](BodyDef& b) -> double& { return b.quadratic_drag; }, {-0.1, 1e19}},
      {"half_extents", [](BodyDef& b) -> double& { return b.half_extents.x; }, {-1, 1e13}},
  };
  for (const auto& field : fields) {
    std::vector<double> wrong = field.wrong;
    wrong.insert(wrong.end(), {kNan, kInfinity, -kInfinity});
    for (const double value : wrong) {
      const std::string said = refusal([&](Scene& s) { field.at(s.bodies[kGuarded]) = value; });
      expect_says(said, "body 1: ", field.field);
    }
  }
  expect_says(refusal([](Scene& s) {
                s.bodies[2].inertia = {1e-6, 1, 1.1e6};
              }),
              "body 2: ", "inertia");
  // A point body does not turn, so its inertia has no effect. It must be finite all the same,
  // because JSON has no infinity and no NaN.
  for (const double value : {kNan, kInfinity, -kInfinity}) {
    expect_says(refusal([&](Scene& s) {
                  s.bodies[2].kind = BodyKind::point;
                  s.bodies[2].inertia.z = value;
                }),
                "body 2: ", "inertia must be finite");
  }
}

TEST(Scene, SpringsAndTethersAreChecked) {
  for (const double wrong : {-1.0, kNan, kInfinity, -kInfinity, 1e19}) {
    expect_says(refusal([&](Scene& s) { s.springs[0].stiffness = wrong; }),
                "spring 0: ", "stiffness");
    expect_says(refusal([&](Scene& s) { s.springs[0].damping = wrong; }), "spring 0: ", "damping");
    expect_says(refusal([&](Scene& s) { s.springs[0].rest_length = wrong; }),
                "spring 0: ", "rest_length");
    expect_says(refusal([&](Scene& s) { s.tethers[0].stiffness = wrong; }),
                "tether 0: ", "stiffness");
    expect_says(refusal([&](Scene& s) { s.tethers[0].damping = wrong; }), "tether 0: ", "damping");
    expect_says(refusal([&](Scene& s) { s.tethers[0].rest_length = wrong; }),
                "tether 0: ", "rest_length");
  }
  for (const double wrong : {kNan, kInfinity, 1e13}) {
    expect_says(refusal([&](Scene& s) { s.springs[0].at_a.x = wrong; }), "spring 0: ", "at_a");
    expect_says(refusal([&](Scene& s) { s.springs[0].at_b.y = wrong; }), "spring 0: ", "at_b");
    expect_says(refusal([&](Scene& s) { s.tethers[0].at.z = wrong; }), "tether 0: ", "at ");
    expect_says(refusal([&](Scene& s) { s.tethers[0].anchor.x = wrong; }), "tether 0: ", "anchor");
  }
  expect_says(refusal([](Scene& s) { s.springs[0].b = 6; }), "spring 0: ", "no body 6");
  expect_says(refusal([](Scene& s) { s.springs[0].a = ~0u; }), "spring 0: ", "no body 4294967295");
  expect_says(refusal([](Scene& s) { s.tethers[0].body = 6; }), "tether 0: ", "ids are 0 to 5");
  expect_says(refusal([](Scene& s) { s.springs[0].a = s.springs[0].b; }),
              "spring 0: ", "two bodies");
}

// Returns the message for the small scene with a hinge between two of its bodies.
template <class Change>
std::string joint_refusal(Change change) {
  return refusal([&](Scene& s) {
    s.integrator = Integrator::semi_implicit_euler;
    JointDef& joint = s.joints.emplace_back();
    joint.kind = physics::JointKind::hinge;
    joint.b = 1;
    change(s, joint);
  });
}

TEST(Scene, NumbersOfJointsAreChecked) {
  EXPECT_EQ(joint_refusal([](Scene&, JointDef&) {}), "accepted");
  struct {
    const char* field;
    double& (*at)(JointDef&);
    std::vector<double> wrong;
  } const fields[] = {
      {"at_a", [](JointDef& j) -> double& { return j.at_a.x; }, {2e12}},
      {"at_b", [](JointDef& j) -> double& { return j.at_b.z; }, {-2e12}},
      {"axis", [](JointDef& j) -> double& { return j.axis.x; }, {0, 1e-7, 2e12}},
      {"lower", [](JointDef& j) -> double& { return j.lower; }, {-2e6, 1}},
      {"upper", [](JointDef& j) -> double& { return j.upper; }, {2e6, -1}},
      {"frequency", [](JointDef& j) -> double& { return j.frequency; }, {-1, 2e6}},
      {"damping_ratio", [](JointDef& j) -> double& { return j.damping_ratio; }, {-1, 2e6}},
      {"rest", [](JointDef& j) -> double& { return j.rest; }, {-2e6, 2e6}},
      {"motor_max", [](JointDef& j) -> double& { return j.motor_max; }, {-1, 2e24}},
      {"motor_speed", [](JointDef& j) -> double& { return j.motor_speed; }, {-2e6, 2e6}},
  };
  for (const auto& field : fields) {
    std::vector<double> wrong = field.wrong;
    wrong.insert(wrong.end(), {kNan, kInfinity, -kInfinity});
    for (const double value : wrong) {
      const std::string said = joint_refusal([&](Scene&, JointDef& joint) {
        joint.limited = true;
        field.at(joint) = value;
      });
      expect_says(said, "joint 0: ", field.field);
    }
  }
}

TEST(Scene, WhatJointsHoldIsChecked) {
  expect_says(joint_refusal([](Scene&, JointDef& j) { j.a = 6; }), "joint 0: ", "no body 6");
  expect_says(joint_refusal([](Scene&, JointDef& j) { j.b = ~0u; }), "joint 0: ", "no body");
  expect_says(joint_refusal([](Scene&, JointDef& j) { j.a = j.b; }), "joint 0: ", "two bodies");
  expect_says(joint_refusal([](Scene& s, JointDef& j) {
                j.a = kAnchor;
                s.bodies[j.b].kind = BodyKind::kinematic;
              }),
              "joint 0: ", "nothing can push");
  expect_says(joint_refusal([](Scene&, JointDef& j) {
                j.kind = physics::JointKind::weld;
                j.motor_max = 1;
              }),
              "joint 0: ", "weld");
  expect_says(joint_refusal([](Scene&, JointDef& j) {
                j.kind = physics::JointKind::distance;
                j.rest = -1;
              }),
              "joint 0: ", "rest");
  expect_says(joint_refusal([](Scene& s, JointDef& j) {
                const JointDef joint = j;
                s.joints.resize(limits::kJointsMax + 1, joint);
              }),
              "joints", "131072");
  for (const Integrator other : {Integrator::velocity_verlet, Integrator::rk4}) {
    expect_says(joint_refusal([&](Scene& s, JointDef&) { s.integrator = other; }),
                "integrator must be", "joints");
    expect_says(refusal([&](Scene& s) {
                  s.integrator = other;
                  s.bodies[kFreeBox].kind = BodyKind::kinematic;
                }),
                "integrator must be", "kinematic");
  }
}

TEST(Scene, TimeIsChecked) {
  for (const std::uint32_t wrong : {0u, 1001u, ~0u}) {
    expect_says(refusal([&](Scene& s) { s.tick_rate = wrong; }), "tick_rate", "1 to 1000");
  }
  for (const std::uint32_t wrong : {0u, 65u}) {
    expect_says(refusal([&](Scene& s) { s.substeps = wrong; }), "substeps", "1 to 64");
  }
  const auto ratio = [](std::uint64_t numerator, std::uint64_t denominator) {
    return refusal([&](Scene& s) {
      s.tick_time_numerator = numerator;
      s.tick_time_denominator = denominator;
    });
  };
  for (const auto& message : {ratio(1, 0), ratio(0, 1), ratio(~0ull, 1), ratio(1, ~0ull),
                              ratio(10000000, 1), ratio(1, 10000000000)}) {
    expect_says(message, "tick_time", "tick_time");
  }
  EXPECT_EQ(ratio(10, 1), "accepted");
}

TEST(Scene, TheWorldsNumbersAreChecked) {
  for (const double wrong : {kNan, kInfinity, -kInfinity, 1e10}) {
    expect_says(refusal([&](Scene& s) { s.gravity.y = wrong; }), "gravity", "finite");
  }
  for (const double wrong : {kNan, kInfinity, -1.0, 1e19}) {
    expect_says(refusal([&](Scene& s) { s.gravitational_constant = wrong; }),
                "gravitational_constant", "0 to 1e18");
    expect_says(refusal([&](Scene& s) { s.softening = wrong; }), "softening", "0 to 1e12");
    expect_says(refusal([&](Scene& s) { s.grab_acceleration_max = wrong; }),
                "grab_acceleration_max", "0 to 1e9");
    expect_says(refusal([&](Scene& s) { s.command_limits.acceleration_max = wrong; }),
                "command_acceleration_max", "0 to 1e9");
    expect_says(refusal([&](Scene& s) { s.command_limits.angular_acceleration_max = wrong; }),
                "command_angular_acceleration_max", "0 to 1e9");
    expect_says(refusal([&](Scene& s) { s.command_limits.speed_max = wrong; }), "command_speed_max",
                "0 to 1e9");
    expect_says(refusal([&](Scene& s) { s.command_limits.spin_max = wrong; }), "command_spin_max",
                "0 to 1e6");
  }
  for (const double wrong : {kNan, kInfinity, 1e-10, -1.0, 2e9}) {
    expect_says(refusal([&](Scene& s) { s.snapshot_position_step = wrong; }),
                "snapshot_position_step", "1e-9 to 1e9");
  }
  for (const std::uint32_t wrong : {0u, 5u, 16u, ~0u}) {
    expect_says(refusal([&](Scene& s) { s.snapshot_orientation_bits = wrong; }),
                "snapshot_orientation_bits", "6 to 15");
  }
  for (const double wrong : {kNan, kInfinity, 0.0, -1.0, 1e7}) {
    expect_says(refusal([&](Scene& s) { s.grab_frequency = wrong; }), "grab_frequency", "1e-6");
  }
}

TEST(Scene, SizesAreChecked) {
  expect_says(refusal([](Scene& s) {
                s.bodies.clear();
                s.springs.clear();
                s.tethers.clear();
              }),
              "a scene needs", "one body");
  expect_says(refusal([](Scene& s) { s.spare_bodies = limits::kBodiesMax; }), "bodies", "1048576");
  expect_says(refusal([](Scene& s) { s.spare_bodies = ~0u; }), "bodies", "1048576");
  expect_says(refusal([](Scene& s) {
                s.gravitational_constant = 1;
                s.spare_bodies = 2048;
              }),
              "with mutual gravity", "2048");
  expect_says(refusal([](Scene& s) { s.names = {"one"}; }), "names", "each body");
}

// The time of a tick is the result of one division, rounded once.
TEST(Scene, TickTimeIsTheRatioOrTheRate) {
  Scene scene;
  EXPECT_EQ(tick_time(scene), 1.0 / 60);
  scene.tick_rate = 50;
  EXPECT_EQ(tick_time(scene), 0.02);
  scene.tick_time_numerator = 1;
  scene.tick_time_denominator = 3;
  EXPECT_EQ(tick_time(scene), 0x1.5555555555555p-2);
}

}  // namespace
}  // namespace orrery
