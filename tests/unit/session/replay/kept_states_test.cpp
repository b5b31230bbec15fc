// Tests the states that are kept of a whole session: their bytes, their places and their images.
#include "common/session/replay/kept_states.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/core/rng.h"
#include "common/world/image/image.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"

namespace orrery::session {
namespace {

constexpr std::uint64_t kLast = 20'000;
constexpr std::size_t kBytesMax = 100'000;

// Returns bytes of which few depend on the tick.
std::vector<std::uint8_t> image_of(std::uint64_t tick, std::size_t size = 1003) {
  std::vector<std::uint8_t> image(size, 7);
  for (std::size_t i = 0; i < size; i += 40) image[i] = static_cast<std::uint8_t>(tick + i);
  return image;
}

void add(KeptStates& frames, std::uint64_t tick) {
  frames.add({0, 10 * tick, tick, Tick{tick}}, image_of(tick));
}

// Returns a store that was offered each tick of a session.
KeptStates filled(std::uint64_t centre) {
  KeptStates frames(kBytesMax);
  frames.centre(Tick{centre});
  for (std::uint64_t tick = 0; tick <= kLast; ++tick) {
    if (frames.wants(Tick{tick})) add(frames, tick);
    EXPECT_LE(frames.bytes(), kBytesMax);
  }
  return frames;
}

std::vector<std::uint64_t> ticks_of(const KeptStates& frames) {
  std::vector<std::uint64_t> ticks;
  const LogPosition* place = frames.before(Tick{kLast});
  while (place != nullptr) {
    const std::uint64_t tick = place->tick.value;
    ticks.push_back(tick);
    place = tick == 0 ? nullptr : frames.before(Tick{tick - 1});
  }
  std::reverse(ticks.begin(), ticks.end());
  return ticks;
}

TEST(KeptStates, GiveBackEachByte) {
  SplitMix64 draw(5);
  for (const std::size_t size : {1, 4, 127, 128, 129, 1000}) {
    KeptStates frames(1 << 20);
    std::vector<std::vector<std::uint8_t>> images;
    for (std::uint64_t tick = 0; tick < 20; ++tick) {
      std::vector<std::uint8_t> image = tick == 0 ? image_of(3, size) : images.back();
      for (std::uint8_t& byte : image) {
        if (draw.below(10) == 0) byte = static_cast<std::uint8_t>(draw.below(256));
      }
      frames.add({0, 0, 0, Tick{tick}}, image);
      images.push_back(std::move(image));
    }
    for (std::uint64_t tick = 0; tick < 20; ++tick) {
      EXPECT_EQ(frames.image(Tick{tick}), images[tick]) << size << " bytes, tick " << tick;
    }
  }
}

TEST(KeptStates, StayWithinTheBytesAndAreDenseNearTheCentre) {
  for (const std::uint64_t centre : {0, 5000, 20'000}) {
    const KeptStates frames = filled(centre);
    EXPECT_GT(frames.bytes(), kBytesMax * 9 / 10);
    const std::vector<std::uint64_t> ticks = ticks_of(frames);
    EXPECT_EQ(ticks.front(), 0u);
    std::uint64_t near = 0;  // the largest gap near the centre
    std::uint64_t far = 0;
    for (std::size_t i = 1; i < ticks.size(); ++i) {
      const std::uint64_t away = std::max(ticks[i], centre) - std::min(ticks[i], centre);
      if (away < 600) near = std::max(near, ticks[i] - ticks[i - 1]);
      if (away >= 4000) far = std::max(far, ticks[i] - ticks[i - 1]);
    }
    EXPECT_GT(near, 0u);
    EXPECT_LE(4 * near, far) << centre;
    for (const std::uint64_t tick : ticks) {
      EXPECT_EQ(frames.image(Tick{tick}), image_of(tick));
      EXPECT_EQ(frames.before(Tick{tick})->offset, 10 * tick);
    }
    EXPECT_EQ(frames.before(Tick{ticks[3] + 1})->tick.value, ticks[3]);
  }
}

TEST(KeptStates, FillTheGapsNearAnotherCentreAndEnd) {
  KeptStates frames = filled(0);
  frames.centre(Tick{15'000});
  const auto near = [&] {
    const std::vector<std::uint64_t> ticks = ticks_of(frames);
    return std::count_if(ticks.begin(), ticks.end(),
                         [](std::uint64_t tick) { return tick > 14'600 && tick < 15'400; });
  };
  const auto before = near();
  int added = 0;
  while (const std::optional<Tick> tick = frames.missing(Tick{kLast})) {
    EXPECT_LE(tick->value, kLast);
    ASSERT_NE(frames.before(*tick)->tick, *tick);
    add(frames, tick->value);
    ASSERT_LT(++added, 1000);
    EXPECT_LE(frames.bytes(), kBytesMax);
  }
  EXPECT_GT(near(), 3 * before);
}

TEST(KeptStates, FillAnEmptyStoreAroundTheCentre) {
  KeptStates frames(1 << 24);
  frames.centre(Tick{300});
  while (const std::optional<Tick> tick = frames.missing(Tick{500})) add(frames, tick->value);
  const std::vector<std::uint64_t> ticks = ticks_of(frames);
  ASSERT_GT(ticks.size(), 500u / 16);
  for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_LT(ticks[i] - ticks[i - 1], 16u);
  EXPECT_LE(ticks.back(), 500u);
  EXPECT_GT(ticks.back(), 500u - 16);
}

TEST(KeptStates, DoNotKeepAnImageThatIsLargerThanTheMemory) {
  for (const std::size_t bytes_max : {0, 1000}) {
    KeptStates frames(bytes_max);
    for (const std::uint64_t tick : {0, 1, 700}) add(frames, tick);
    EXPECT_EQ(frames.bytes(), 0u);
    EXPECT_EQ(frames.before(Tick{700}), nullptr);
    EXPECT_FALSE(frames.wants(Tick{900}));
    EXPECT_FALSE(frames.missing(Tick{2000}));
  }
}

// Plans a way from tick 0 to tick 20, and steps along it. Returns the number of states that are
// kept.
std::size_t go_a_way(KeptStates& kept) {
  World world(built_in_scene("free:3").value());
  SerialExecutor executor;
  std::vector<std::uint8_t> image;
  save_image(world, image);
  kept.plan(Tick{0}, Tick{20}, image.size());
  for (std::uint64_t tick = 1; tick <= 20; ++tick) {
    step(world, {}, executor);
    kept.pass(world, {0, 10 * tick, tick, Tick{tick}});
    save_image(world, image);
    const LogPosition* const place = kept.before(Tick{tick});
    if (place == nullptr || place->tick.value != tick) continue;
    EXPECT_EQ(kept.image(Tick{tick}), image);
  }
  std::size_t ways = 0;
  for (const std::uint64_t tick : ticks_of(kept)) ways += tick <= 20 ? 1 : 0;
  return ways;
}

TEST(KeptStates, AWayUsesTheMemoryThatTheSessionLeaves) {
  KeptStates kept(kBytesMax);
  EXPECT_EQ(go_a_way(kept), 19u);
  kept.plan(Tick{500}, Tick{520}, 1000);  // drops the states of the way before
  EXPECT_EQ(kept.bytes(), 0u);
  EXPECT_EQ(go_a_way(kept), 19u);
  SplitMix64 draw(6);
  kept.centre(Tick{1100});
  for (std::uint64_t tick = 1000; tick < 1200; ++tick) {
    std::vector<std::uint8_t> image(1000);
    for (std::uint8_t& byte : image) byte = static_cast<std::uint8_t>(draw.below(256));
    kept.add({0, 0, 0, Tick{tick}}, image);
    ASSERT_LE(kept.bytes(), kBytesMax);
  }
  EXPECT_LE(go_a_way(kept), 6u);
  EXPECT_LE(kept.bytes(), kBytesMax);
}

}  // namespace
}  // namespace orrery::session
