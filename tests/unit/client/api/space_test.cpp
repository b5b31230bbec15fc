// Tests axes, units and origin: known values, and rotations that agree with the converted vectors.
#include "client/api/space.h"

#include <gtest/gtest.h>

#include <cmath>

#include "common/core/rng.h"
#include "tests/unit/client/api/c_interface.h"

namespace orrery::test {
namespace {

orrery_space space_of(std::uint32_t axes, double units, double x, double y, double z) {
  auto space = sized<orrery_space>();
  space.axes = axes;
  space.units = units;
  space.origin[0] = x;
  space.origin[1] = y;
  space.origin[2] = z;
  return space;
}

constexpr char kOneBody[] = R"({"bodies": [{"position": [1, 2, 3], "velocity": [4, 5, 6],
  "angular_velocity": [0.1, 0.2, 0.3], "half_extents": [7, 8, 9]}]})";

std::vector<double> read_in(const orrery_space& space) {
  const WorldHandle world = world_of_json(kOneBody);
  EXPECT_EQ(orrery_set_space(world.get(), &space), ORRERY_OK) << error_of(world.get());
  return numbers_of(
      world.get(), 0,
      ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_VELOCITY | ORRERY_ANGULAR_VELOCITY);
}

TEST(ApiSpace, GivesKnownValues) {
  const auto near = [](const std::vector<double>& row, const std::vector<double>& wanted) {
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(row[i], wanted[i], 1e-12) << i;
  };
  near(read_in(space_of(ORRERY_Y_UP_RIGHT, 0, 0, 0, 0)),
       {1, 2, 3, 0, 0, 0, 1, 4, 5, 6, 0.1, 0.2, 0.3});
  near(read_in(space_of(ORRERY_Y_UP_LEFT, 1, 0, 0, 0)),  // Unity
       {1, 2, -3, 0, 0, 0, 1, 4, 5, -6, -0.1, -0.2, 0.3});
  near(read_in(space_of(ORRERY_Z_UP_LEFT, 100, 0, 0, 0)),  // Unreal
       {100, 300, 200, 0, 0, 0, 1, 400, 600, 500, -0.1, -0.3, -0.2});
  near(read_in(space_of(ORRERY_Z_UP_RIGHT, 1, 0, 0, 0)),  // ROS
       {1, -3, 2, 0, 0, 0, 1, 4, -6, 5, 0.1, -0.3, 0.2});
  near(read_in(space_of(ORRERY_Y_UP_LEFT, 10, 1, 1, 1)), {0, 10, -20});
}

TEST(ApiSpace, ConvertsRotationsLikeTheVectorsThatTheyTurn) {
  SplitMix64 draw(5);
  const auto any = [&draw] { return Vec3{draw.symmetric(), draw.symmetric(), draw.symmetric()}; };
  for (std::uint32_t axes = 0; axes <= ORRERY_Z_UP_RIGHT; ++axes) {
    const api::Space space{axes, 3, {}};
    for (int i = 0; i < 100; ++i) {
      const Vec3 u = any();
      const Quat q = normalized({u.x, u.y, u.z, draw.symmetric()});
      const Vec3 v = any();
      // A point can be turned in the space of the scene and then converted, or converted and then
      // turned with the converted rotation. Both ways lead to the same point.
      const Vec3 difference =
          space.out(rotate(q, v)) - rotate(space.orientation_out(q), space.out(v));
      EXPECT_LT(length(difference), 1e-14) << axes;
      // An angular velocity w moves a point r with w x r.
      const Vec3 w = any();
      const Vec3 mirrored = cross(space.turn_out(w), space.out(v));
      EXPECT_LT(length(space.out(cross(w, v)) - mirrored), 1e-14) << axes;
      EXPECT_LT(length(space.in(space.out(v)) - v), 1e-15) << axes;
      EXPECT_LT(length(space.turn_in(space.turn_out(v)) - v), 1e-15) << axes;
    }
  }
}

TEST(ApiSpace, SubtractsTheOriginInBinary64) {
  const WorldHandle world = world_of_json(R"({"bodies": [{"position": [1e9, 0, 0.25]}]})");
  const orrery_space space = space_of(ORRERY_Y_UP_RIGHT, 1, 1e9 - 0.125, 0, 0);
  ASSERT_EQ(orrery_set_space(world.get(), &space), ORRERY_OK);
  float position[3];
  ASSERT_EQ(orrery_world_read(world.get(), nullptr, ORRERY_POSITION, position, sizeof position, 1),
            ORRERY_OK);
  EXPECT_EQ(position[0], 0.125f);
  EXPECT_EQ(position[2], 0.25f);
}

// Gives the commands to a new world in this space, and returns its hash after some ticks.
std::uint64_t hash_after(const orrery_space& space, std::vector<orrery_command> commands) {
  const WorldHandle world = world_of("playground");
  EXPECT_EQ(orrery_set_space(world.get(), &space), ORRERY_OK);
  commands.insert(commands.begin(), join());
  for (std::uint32_t i = 0; i < commands.size(); ++i) commands[i].sequence = i;
  EXPECT_EQ(
      orrery_world_step(world.get(), commands.data(), static_cast<std::uint32_t>(commands.size())),
      ORRERY_OK)
      << error_of(world.get());
  EXPECT_EQ(info_of(world.get()).applied, commands.size());
  for (int i = 0; i < 60; ++i) orrery_world_step(world.get(), nullptr, 0);
  return info_of(world.get()).hash;
}

orrery_command with_second(orrery_command command, float x, float y, float z) {
  command.second[0] = x;
  command.second[1] = y;
  command.second[2] = z;
  return command;
}

// The orientation is (xy, xy, 0.5, 0.5).
orrery_command turned(orrery_command command, float xy, float spin_x, float spin_z) {
  command.orientation[0] = command.orientation[1] = xy;
  command.orientation[2] = command.orientation[3] = 0.5f;
  command.third[0] = spin_x;
  command.third[2] = spin_z;
  return command;
}

TEST(ApiSpace, ConvertsCommands) {
  const std::uint64_t own =
      hash_after(space_of(ORRERY_Y_UP_RIGHT, 1, 0, 0, 0),
                 {command_on(ORRERY_IMPULSE, 37, 1, 2, 3), command_on(ORRERY_TORQUE, 38, 1, 2, 3),
                  command_on(ORRERY_THRUST, 39, 1, 2, 3),
                  with_second(command_on(ORRERY_SPAWN, 36, 2, 9, 4), 1, 2, 3),
                  turned(command_on(ORRERY_SPAWN, 36, 2, 12, 4), 0.5f, 1, 2),
                  with_second(command_on(ORRERY_GRAB, 35, 0.5f, 0.25f, 0.125f), 1, 2, 3),
                  command_on(ORRERY_SET_PARAMETER, ORRERY_GRAVITY, 0.5f, -8, 0.25f)});
  // Uses Unity's axes, a unit of half a metre, and another origin. The unit is a power of 2, so
  // that nothing is rounded.
  const std::uint64_t unity = hash_after(
      space_of(ORRERY_Y_UP_LEFT, 2, 1, 0, 0),
      {command_on(ORRERY_IMPULSE, 37, 2, 4, -6), command_on(ORRERY_TORQUE, 38, -4, -8, 12),
       command_on(ORRERY_THRUST, 39, 2, 4, -6),
       with_second(command_on(ORRERY_SPAWN, 36, 2, 18, -8), 2, 4, -6),
       turned(command_on(ORRERY_SPAWN, 36, 2, 24, -8), -0.5f, -1, 2),
       with_second(command_on(ORRERY_GRAB, 35, 1, 0.5f, -0.25f), 0, 4, -6),
       command_on(ORRERY_SET_PARAMETER, ORRERY_GRAVITY, 1, -16, -0.5f)});
  EXPECT_EQ(own, unity);
  const std::uint64_t other = hash_after(space_of(ORRERY_Y_UP_RIGHT, 1, 0, 0, 0),
                                         {command_on(ORRERY_IMPULSE, 37, 1, 2, 4)});
  EXPECT_NE(own, other);
}

TEST(ApiSpace, RefusesUnknownSpaces) {
  const WorldHandle world = world_of("free:1");
  for (const orrery_space& wrong :
       {space_of(4, 1, 0, 0, 0), space_of(0, -1, 0, 0, 0), space_of(0, 1, NAN, 0, 0),
        space_of(0, INFINITY, 0, 0, 0), space_of(0, 1, 0, 2e12, 0)}) {
    EXPECT_EQ(orrery_set_space(world.get(), &wrong), ORRERY_BAD_ARGUMENT);
  }
  EXPECT_EQ(orrery_set_space(world.get(), nullptr), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_set_space(nullptr, nullptr), ORRERY_BAD_HANDLE);
}

}  // namespace
}  // namespace orrery::test
