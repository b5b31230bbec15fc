// Tests worlds through the C interface: hashes, batches, commands, images and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <thread>

#include "tests/support/source_path.h"
#include "tests/unit/client/api/c_interface.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace orrery::test {
namespace {

// Returns the golden hashes of a scene up to tick 1,000, by tick.
std::map<std::uint64_t, std::uint64_t> golden_hashes(const std::string& scene) {
  std::map<std::uint64_t, std::uint64_t> hashes;
  std::ifstream file(source_path("tests/golden/hashes.txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t tick = 0;
    std::uint64_t hash = 0;
    if (words >> name >> std::dec >> tick >> std::hex >> hash && name == scene && tick <= 1000) {
      hashes[tick] = hash;
    }
  }
  return hashes;
}

TEST(ApiWorld, GivesTheGoldenHashes) {
  for (const char* scene :
       {"playground", "solar", "springs:100", "tumble", "lander", "free:1000", "tethers:1000"}) {
    const auto hashes = golden_hashes(scene);
    ASSERT_GE(hashes.size(), 4u) << scene;
    const WorldHandle world = world_of(scene);
    for (const auto& [tick, hash] : hashes) {
      while (info_of(world.get()).tick < tick) orrery_world_step(world.get(), nullptr, 0);
      EXPECT_EQ(info_of(world.get()).hash, hash) << scene << " at tick " << tick;
    }
  }
}

TEST(ApiWorld, BatchStepsEachWorldAsAlone) {
  constexpr std::uint32_t kTicks = 7;
  std::vector<WorldHandle> owned;
  std::vector<orrery_world*> worlds;
  for (const char* scene : {"boxes:3", "free:5", "playground"}) {
    owned.push_back(world_of(scene));
    worlds.push_back(owned.back().get());
  }
  const std::vector<orrery_command> commands{join(), command_on(ORRERY_IMPULSE, 2, 1, 2, 3),
                                             join()};
  const std::uint32_t counts[] = {0, 2, 1};
  std::uint32_t failed = 9;
  ASSERT_EQ(orrery_worlds_step(worlds.data(), 3, commands.data(), counts, kTicks, &failed),
            ORRERY_OK);
  const orrery_command* next = commands.data();
  for (std::uint32_t i = 0; i < 3; ++i) {
    const WorldHandle alone = world_of(i == 0 ? "boxes:3" : i == 1 ? "free:5" : "playground");
    ASSERT_EQ(orrery_world_step(alone.get(), next, counts[i]), ORRERY_OK);
    next += counts[i];
    for (std::uint32_t t = 1; t < kTicks; ++t) orrery_world_step(alone.get(), nullptr, 0);
    EXPECT_EQ(info_of(worlds[i]).hash, info_of(alone.get()).hash) << i;
  }
}

TEST(ApiWorld, StepsDifferentWorldsInDifferentThreads) {
  const auto alone = golden_hashes("playground");
  std::vector<WorldHandle> worlds;
  for (int i = 0; i < 4; ++i) worlds.push_back(world_of("playground"));
  std::vector<std::thread> threads;
  for (const WorldHandle& world : worlds) {
    threads.emplace_back([&world] {
      orrery_world* const batch[] = {world.get()};
      orrery_worlds_step(batch, 1, nullptr, nullptr, 100, nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const WorldHandle& world : worlds) EXPECT_EQ(info_of(world.get()).hash, alone.at(100));
}

TEST(ApiWorld, BatchStepsNothingIfAWorldIsWrong) {
  const WorldHandle a = world_of("free:1");
  const WorldHandle b = world_of("free:1");
  std::uint32_t failed = 0;
  orrery_world* const twice[] = {a.get(), b.get(), a.get()};
  EXPECT_EQ(orrery_worlds_step(twice, 3, nullptr, nullptr, 1, &failed), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(failed, 2u);
  orrery_world* const missing[] = {a.get(), nullptr};
  EXPECT_EQ(orrery_worlds_step(missing, 2, nullptr, nullptr, 1, &failed), ORRERY_BAD_HANDLE);
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(info_of(a.get()).tick, 0u);
  EXPECT_EQ(info_of(b.get()).tick, 0u);
  orrery_world* const right[] = {a.get(), b.get()};
  EXPECT_EQ(orrery_worlds_step(right, 2, nullptr, nullptr, 3, nullptr), ORRERY_OK);
  EXPECT_EQ(info_of(b.get()).tick, 3u);
}

TEST(ApiWorld, RefusesCommandsAsADecoderDoes) {
  const WorldHandle world = world_of("playground");
  const std::uint64_t hash = info_of(world.get()).hash;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  auto from_nobody = command_on(ORRERY_IMPULSE, 37, 1, 1, 1);
  from_nobody.client = 5000;
  auto unknown_role = join();
  unknown_role.role = 3;
  const std::vector<std::vector<orrery_command>> wrong{
      {command_on(ORRERY_IMPULSE, 37, nan, 0, 0)},
      {command_on(ORRERY_THRUST, 37, 0, infinity, 0)},
      {command_on(ORRERY_TORQUE, 37, 0, 0, 3e24f)},
      {command_on(ORRERY_MOVE, 0, 2e12f, 0, 0)},
      {command_on(99, 37, 0, 0, 0)},
      {command_on(-1, 37, 0, 0, 0)},
      {command_on(ORRERY_SET_PARAMETER, 2, 0, 0, 0)},
      {from_nobody},
      {unknown_role},
      {command_on(ORRERY_IMPULSE, 37, 1, 1, 1), join()},  // client 0 must be first
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(wrong[i].size());
    EXPECT_EQ(orrery_world_step(world.get(), wrong[i].data(), count), ORRERY_BAD_COMMAND) << i;
    EXPECT_NE(error_of(world.get()), "") << i;
    EXPECT_EQ(info_of(world.get()).hash, hash) << i;
    EXPECT_EQ(info_of(world.get()).tick, 0u) << i;
  }
  const std::vector<orrery_command> right{join(), command_on(ORRERY_IMPULSE, 37, 1, 1, 1)};
  EXPECT_EQ(orrery_world_step(world.get(), right.data(), 2), ORRERY_OK) << error_of(world.get());
  EXPECT_EQ(info_of(world.get()).applied, 2u);
}

TEST(ApiWorld, GivesTheImpulseThatItIsTold) {
  const WorldHandle world = world_of_json(
      R"({"bodies": [{"mass": 4, "position": [1, 2, 3]}], "integrator": "leapfrog-kdk"})");
  const std::vector<orrery_command> commands{join(), command_on(ORRERY_IMPULSE, 0, 8, 0, -2)};
  ASSERT_EQ(orrery_world_step(world.get(), commands.data(), 2), ORRERY_OK);
  const std::vector<double> row = numbers_of(world.get(), 0, ORRERY_POSITION | ORRERY_VELOCITY);
  EXPECT_EQ(row[3], 2);
  EXPECT_EQ(row[5], -0.5);
  EXPECT_NEAR(row[0], 1 + 2.0 / 60, 1e-15);
  EXPECT_EQ(row[1], 2);
}

TEST(ApiWorld, GivesTheCommandsThatChangedSomething) {
  const WorldHandle world = world_of("free:3");
  auto thrust = command_on(ORRERY_THRUST, 1, 5, 0, 0);
  auto unknown = command_on(ORRERY_THRUST, 77, 5, 0, 0);
  thrust.sequence = 2;
  unknown.sequence = 3;
  const std::vector<orrery_command> given{join(), thrust, unknown};
  ASSERT_EQ(orrery_world_step(world.get(), given.data(), 3), ORRERY_OK);
  std::vector<orrery_command> found(3, sized<orrery_command>());
  EXPECT_EQ(orrery_world_applied(world.get(), found.data(), 1), ORRERY_SHORT_BUFFER);
  ASSERT_EQ(orrery_world_applied(world.get(), found.data(), 3), ORRERY_OK);
  ASSERT_EQ(info_of(world.get()).applied, 2u);
  EXPECT_EQ(std::memcmp(found.data(), given.data(), 2 * sizeof found[0]), 0);
  EXPECT_EQ(found[2].subject, 0u);
}

TEST(ApiWorld, RestoresAnImageBitForBit) {
  const WorldHandle world = world_of("boxes:10");
  for (int i = 0; i < 100; ++i) orrery_world_step(world.get(), nullptr, 0);
  std::uint64_t size = 0;
  EXPECT_EQ(orrery_world_save(world.get(), nullptr, 0, &size), ORRERY_SHORT_BUFFER);
  std::vector<std::uint8_t> image(size);
  EXPECT_EQ(orrery_world_save(world.get(), image.data(), size - 1, &size), ORRERY_SHORT_BUFFER);
  ASSERT_EQ(orrery_world_save(world.get(), image.data(), size, &size), ORRERY_OK);
  const std::uint64_t saved = info_of(world.get()).hash;
  for (int i = 0; i < 50; ++i) orrery_world_step(world.get(), nullptr, 0);
  const std::uint64_t later = info_of(world.get()).hash;

  const WorldHandle other = world_of("boxes:10");
  ASSERT_EQ(orrery_world_restore(other.get(), image.data(), size), ORRERY_OK);
  EXPECT_EQ(info_of(other.get()).hash, saved);
  for (int i = 0; i < 50; ++i) orrery_world_step(other.get(), nullptr, 0);
  EXPECT_EQ(info_of(other.get()).hash, later);

  image[image.size() / 2] ^= 1;
  EXPECT_EQ(orrery_world_restore(other.get(), image.data(), size), ORRERY_BAD_IMAGE);
  EXPECT_EQ(info_of(other.get()).hash, later);
}

TEST(ApiWorld, SaysWhyASceneIsRefused) {
  orrery_world* world = nullptr;
  char why[512];
  EXPECT_EQ(orrery_world_from_name("playgruond", &world, why, sizeof why), ORRERY_BAD_SCENE);
  EXPECT_NE(std::string(why).find("playground"), std::string::npos) << why;
  EXPECT_EQ(world, nullptr);
  const std::string json = "{\n\"bodies\": [{\"mass\": -1}]}";
  EXPECT_EQ(orrery_world_from_json(json.data(), json.size(), &world, why, sizeof why),
            ORRERY_BAD_SCENE);
  EXPECT_NE(std::string(why).find("line 2"), std::string::npos) << why;
  EXPECT_EQ(orrery_world_from_bytes("x", 1, &world, why, sizeof why), ORRERY_BAD_SCENE);
  EXPECT_EQ(orrery_world_from_name(nullptr, &world, why, sizeof why), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_from_name("free:1", nullptr, why, sizeof why), ORRERY_BAD_ARGUMENT);
  EXPECT_EQ(orrery_world_from_name("nothing", &world, nullptr, 0), ORRERY_BAD_SCENE);
  char small[8];
  EXPECT_EQ(orrery_world_from_name("nothing", &world, small, sizeof small), ORRERY_BAD_SCENE);
  EXPECT_EQ(std::string(small).size(), 7u);
}

// A struct with a field that only a later header has.
template <class S>
struct Longer {
  S known{};
  std::uint64_t later = 0;
};

TEST(ApiWorld, AcceptsStructsOfLaterHeaders) {
  const WorldHandle world = world_of("free:1");
  Longer<orrery_command> command{join()};
  command.known.size = sizeof command;
  EXPECT_EQ(orrery_world_step(world.get(), &command.known, 1), ORRERY_OK);
  command.later = 1;  // asks for something that this library does not know
  EXPECT_EQ(orrery_world_step(world.get(), &command.known, 1), ORRERY_WRONG_SIZE);
  Longer<orrery_world_info> info;
  info.known.size = sizeof info;
  info.later = 77;
  EXPECT_EQ(orrery_get_world_info(world.get(), &info.known), ORRERY_OK);
  EXPECT_EQ(info.known.tick, 1u);
  EXPECT_EQ(info.known.size, sizeof info);
  EXPECT_EQ(info.later, 77u);
  info.known.size = sizeof(orrery_world_info) - 8;
  EXPECT_EQ(orrery_get_world_info(world.get(), &info.known), ORRERY_WRONG_SIZE);
}

TEST(ApiWorld, RefusesHandlesOfAnotherType) {
  const WorldHandle world = world_of("free:1");
  auto info = sized<orrery_log_info>();
  auto* const mistaken = reinterpret_cast<orrery_log*>(world.get());
  EXPECT_EQ(orrery_get_log_info(mistaken, &info), ORRERY_BAD_HANDLE);
  orrery_log_destroy(mistaken);  // does nothing
  EXPECT_EQ(info_of(world.get()).tick, 0u);
  EXPECT_EQ(orrery_world_step(nullptr, nullptr, 0), ORRERY_BAD_HANDLE);
  orrery_world_destroy(nullptr);
  char text[64];
  EXPECT_EQ(orrery_last_error(nullptr, text, sizeof text), ORRERY_BAD_HANDLE);
}

TEST(ApiWorld, RefusesAnotherFloatMode) {
#ifdef __SSE2__
  const WorldHandle world = world_of("free:1");
  const unsigned mode = _mm_getcsr();
  _mm_setcsr(mode | 0x8040);  // flush to zero, and denormals are zero
  const std::int32_t code = orrery_world_step(world.get(), nullptr, 0);
  _mm_setcsr(mode);
  EXPECT_EQ(code, ORRERY_FLOAT_MODE);
  EXPECT_EQ(orrery_world_step(world.get(), nullptr, 0), ORRERY_OK);
#endif
}

TEST(ApiGeneral, HasVersionsAndTexts) {
  auto versions = sized<orrery_versions>();
  ASSERT_EQ(orrery_version(&versions), ORRERY_OK);
  const std::string number = std::to_string(versions.major) + "." + std::to_string(versions.minor) +
                             "." + std::to_string(versions.patch);
  EXPECT_EQ(number, ORRERY_VERSION);
  EXPECT_GE(versions.rules, 9u);
  std::string last;
  for (std::int32_t code = ORRERY_MORE; code >= ORRERY_WRONG_THREAD; --code) {
    char text[128];
    EXPECT_EQ(orrery_code_text(code, text, sizeof text), ORRERY_OK) << code;
    EXPECT_NE(std::string(text), last);
    last = text;
  }
  char text[128];
  EXPECT_EQ(orrery_code_text(ORRERY_WRONG_THREAD - 1, text, sizeof text), ORRERY_NOT_FOUND);
}

}  // namespace
}  // namespace orrery::test
