// Tests that a spoiled message differs from the original in one number only.
#include "client/cli/bots/spoil.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace orrery {
namespace {

TEST(Spoil, ChangesOneNumberOrOneByte) {
  constexpr std::size_t kBytes = 19;  // the last three belong to no number
  SplitMix64 random(1);
  int undefined = 0;
  int bytes = 0;
  std::array<int, kBytes / 4> chosen{};
  for (int i = 0; i < 1000; ++i) {
    std::array<std::uint8_t, kBytes> message;
    message.fill(0x11);
    const auto before = message;
    client::spoil(message, random);
    for (std::size_t number = 0; number < chosen.size(); ++number) {
      if (std::memcmp(&message[4 * number], &before[4 * number], 4) == 0) continue;
      ++chosen[number];
      std::uint32_t bits = 0;
      for (std::size_t k = 4; k > 0; --k) bits = bits << 8 | message[4 * number + k - 1];
      const bool is_undefined = std::isnan(std::bit_cast<float>(bits));
      undefined += is_undefined;
      bytes += !is_undefined;
      if (!is_undefined) {
        EXPECT_EQ(bits >> 8, 0x111111u);
      }
    }
    EXPECT_EQ(std::memcmp(&message[16], &before[16], 3), 0);
  }
  EXPECT_GT(undefined, 400);
  EXPECT_GT(bytes, 400);
  EXPECT_LE(undefined + bytes, 1000);
  for (const int times : chosen) EXPECT_GT(times, 200);
}

}  // namespace
}  // namespace orrery
