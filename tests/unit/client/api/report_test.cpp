// Tests sums, comparisons and flipped bits of worlds through the C interface.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tests/unit/client/api/c_interface.h"

namespace orrery::test {
namespace {

// A rigid body that flies and spins, in uniform gravity.
constexpr char kOneBody[] = R"({"gravity": [0, -10, 0], "bodies": [{"mass": 2,
  "inertia": [1, 2, 3], "position": [1, 2, 3], "velocity": [4, 5, 6],
  "angular_velocity": [0.5, 0.25, 2]}]})";

orrery_totals totals_of(orrery_world* world) {
  auto totals = sized<orrery_totals>();
  EXPECT_EQ(orrery_get_totals(world, &totals), ORRERY_OK) << error_of(world);
  return totals;
}

orrery_difference compare(const WorldHandle& a, const WorldHandle& b) {
  auto difference = sized<orrery_difference>();
  EXPECT_EQ(orrery_worlds_compare(a.get(), b.get(), &difference), ORRERY_OK);
  return difference;
}

void step(const WorldHandle& world, int ticks) {
  for (int i = 0; i < ticks; ++i) ASSERT_EQ(orrery_world_step(world.get(), nullptr, 0), ORRERY_OK);
}

TEST(ApiReport, SumsEnergyAndMomenta) {
  const orrery_totals totals = totals_of(world_of_json(kOneBody).get());
  EXPECT_EQ(totals.in_si, 1u);
  // m v^2 / 2 + w I w / 2 + m g h
  EXPECT_NEAR(totals.energy, 77 + (0.25 + 2 * 0.0625 + 3 * 4) / 2 + 2 * 10 * 2, 1e-12);
  const double momentum[] = {8, 10, 12};
  // r x m v + I w
  const double angular[] = {2 * 12 - 3 * 10 + 0.5, 3 * 8 - 1 * 12 + 0.5, 1 * 10 - 2 * 8 + 6};
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(totals.momentum[i], momentum[i], 1e-12) << i;
    EXPECT_NEAR(totals.angular_momentum[i], angular[i], 1e-12) << i;
  }
  EXPECT_EQ(totals_of(world_of("solar").get()).in_si, 0u);
}

TEST(ApiReport, SumsInTheSpaceOfTheCaller) {
  const WorldHandle world = world_of_json(kOneBody);
  const orrery_totals before = totals_of(world.get());
  auto space = sized<orrery_space>();
  space.axes = ORRERY_Y_UP_LEFT;
  space.units = 100;
  ASSERT_EQ(orrery_set_space(world.get(), &space), ORRERY_OK);
  const orrery_totals totals = totals_of(world.get());
  EXPECT_NEAR(totals.energy, 1e4 * before.energy, 1e-8);
  EXPECT_NEAR(totals.momentum[2], -100 * before.momentum[2], 1e-10);
  EXPECT_NEAR(totals.angular_momentum[0], -1e4 * before.angular_momentum[0], 1e-8);
  EXPECT_NEAR(totals.angular_momentum[2], 1e4 * before.angular_momentum[2], 1e-8);
}

// Each field of a body, with its place in a row of orrery_world_read(). The angular momentum has
// none.
const struct {
  const char* name;
  int place;
} kFields[] = {{"position.x", 0},          {"position.y", 1},          {"position.z", 2},
               {"velocity.x", 7},          {"velocity.y", 8},          {"velocity.z", 9},
               {"angular_momentum.x", -1}, {"angular_momentum.y", -1}, {"angular_momentum.z", -1},
               {"orientation.x", 3},       {"orientation.y", 4},       {"orientation.z", 5},
               {"orientation.w", 6}};

TEST(ApiReport, FlipsAndNamesOneBit) {
  constexpr std::uint32_t kBody = 36;
  constexpr std::uint64_t kBit = 3;
  for (const auto& [name, place] : kFields) {
    const WorldHandle a = world_of("playground");
    const WorldHandle b = world_of("playground");
    step(a, 30);
    step(b, 30);
    ASSERT_EQ(orrery_world_flip_bit(b.get(), kBody, name, kBit), ORRERY_OK) << error_of(b.get());
    EXPECT_NE(info_of(b.get()).hash, info_of(a.get()).hash) << name;
    EXPECT_EQ(info_of(b.get()).tick, 30u);
    const orrery_difference found = compare(a, b);
    EXPECT_EQ(found.bodies, 1u);
    EXPECT_EQ(found.body, kBody);
    EXPECT_STREQ(found.field, name);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(found.a) ^ std::bit_cast<std::uint64_t>(found.b),
              1u << kBit);
    const bool moved = std::strncmp(name, "position", 8) == 0;
    EXPECT_EQ(found.distance, moved ? std::abs(found.a - found.b) : 0) << name;
    if (place < 0) continue;
    constexpr std::uint32_t kAll =
        ORRERY_POSITION | ORRERY_ORIENTATION | ORRERY_VELOCITY | ORRERY_ANGULAR_VELOCITY;
    EXPECT_EQ(numbers_of(a.get(), kBody, kAll)[place], found.a) << name;
    EXPECT_EQ(numbers_of(b.get(), kBody, kAll)[place], found.b) << name;
    ASSERT_EQ(orrery_world_flip_bit(b.get(), kBody, name, kBit), ORRERY_OK);
    EXPECT_EQ(info_of(b.get()).hash, info_of(a.get()).hash) << name;  // flipped back
  }
}

TEST(ApiReport, RefusesBitsThatNoWorldCanHave) {
  const WorldHandle world = world_of("playground");
  const std::uint64_t hash = info_of(world.get()).hash;
  orrery_world* const w = world.get();
  EXPECT_EQ(orrery_world_flip_bit(w, 36, "mass", 3), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_flip_bit(w, 36, "inverse_mass", 3), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_flip_bit(w, 36, nullptr, 3), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_flip_bit(w, 36, "position.x", 64), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_flip_bit(w, 999, "position.x", 3), ORRERY_NOT_FOUND);
  // Body 40 is the floor, which has no velocity. Bit 62 is the highest of the exponent.
  EXPECT_EQ(orrery_world_flip_bit(w, 40, "velocity.x", 60), ORRERY_BAD_IMAGE);
  EXPECT_EQ(orrery_world_flip_bit(w, 36, "orientation.w", 62), ORRERY_BAD_IMAGE);
  EXPECT_NE(error_of(w), "");
  EXPECT_EQ(info_of(w).hash, hash);
  const WorldHandle untouched = world_of("playground");
  step(world, 5);
  step(untouched, 5);
  EXPECT_EQ(info_of(w).hash, info_of(untouched.get()).hash);
}

TEST(ApiReport, ComparesWorldsWithOtherBodies) {
  const WorldHandle a = world_of("playground");
  const WorldHandle b = world_of("playground");
  EXPECT_EQ(compare(a, b).bodies, 0u);
  EXPECT_STREQ(compare(a, b).field, "");
  const std::vector<orrery_command> commands{join(), command_on(ORRERY_SPAWN, 36, 0, 9, 0)};
  ASSERT_EQ(orrery_world_step(a.get(), commands.data(), 2), ORRERY_OK);
  step(b, 1);
  EXPECT_EQ(info_of(a.get()).bodies, info_of(b.get()).bodies + 1);
  const orrery_difference spawned = compare(a, b);
  EXPECT_EQ(spawned.bodies, 1u);
  EXPECT_EQ(spawned.distance, 0);
  EXPECT_STREQ(spawned.field, "");
  const orrery_difference scenes = compare(world_of("free:3"), world_of("free:9"));
  EXPECT_GE(scenes.bodies, 6u);
  auto difference = sized<orrery_difference>();
  EXPECT_EQ(orrery_worlds_compare(a.get(), nullptr, &difference), ORRERY_BAD_HANDLE);
  EXPECT_EQ(orrery_worlds_compare(a.get(), b.get(), nullptr), ORRERY_BAD_ARGUMENT);
}

}  // namespace
}  // namespace orrery::test
