// Tests the states that are kept of a whole session: their bytes, their places and their images.
#include "common/session/replay/keyframes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/core/rng.h"

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

void add(Keyframes& frames, std::uint64_t tick) {
  frames.add({0, 10 * tick, tick, Tick{tick}}, image_of(tick));
}

// Returns a store that was offered each tick of a session.
Keyframes filled(std::uint64_t centre) {
  Keyframes frames(kBytesMax);
  frames.centre(Tick{centre});
  for (std::uint64_t tick = 0; tick <= kLast; ++tick) {
    if (frames.wants(Tick{tick})) add(frames, tick);
    EXPECT_LE(frames.bytes(), kBytesMax);
  }
  return frames;
}

std::vector<std::uint64_t> ticks_of(const Keyframes& frames) {
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

TEST(Keyframes, GiveBackEachByte) {
  SplitMix64 draw(5);
  for (const std::size_t size : {1, 4, 127, 128, 129, 1000}) {
    Keyframes frames(1 << 20);
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

TEST(Keyframes, StayWithinTheBytesAndAreDenseNearTheCentre) {
  for (const std::uint64_t centre : {0, 5000, 20'000}) {
    const Keyframes frames = filled(centre);
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

TEST(Keyframes, FillTheGapsNearAnotherCentreAndEnd) {
  Keyframes frames = filled(0);
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

TEST(Keyframes, FillAnEmptyStoreAroundTheCentre) {
  Keyframes frames(1 << 24);
  frames.centre(Tick{300});
  while (const std::optional<Tick> tick = frames.missing(Tick{500})) add(frames, tick->value);
  const std::vector<std::uint64_t> ticks = ticks_of(frames);
  ASSERT_GT(ticks.size(), 500u / 16);
  for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_LT(ticks[i] - ticks[i - 1], 16u);
  EXPECT_LE(ticks.back(), 500u);
  EXPECT_GT(ticks.back(), 500u - 16);
}

TEST(Keyframes, DoNotKeepAnImageThatIsLargerThanTheMemory) {
  for (const std::size_t bytes_max : {0, 1000}) {
    Keyframes frames(bytes_max);
    for (const std::uint64_t tick : {0, 1, 700}) add(frames, tick);
    EXPECT_EQ(frames.bytes(), 0u);
    EXPECT_EQ(frames.before(Tick{700}), nullptr);
    EXPECT_FALSE(frames.wants(Tick{900}));
    EXPECT_FALSE(frames.missing(Tick{2000}));
  }
}

}  // namespace
}  // namespace orrery::session
