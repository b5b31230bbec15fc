// Tests the cipher without secrecy.
#include "common/net/packet/plain_cipher.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace orrery::net {
namespace {

Key key_of(std::uint8_t first) {
  Key key;
  std::iota(key.begin(), key.end(), first);
  return key;
}

TEST(PlainCipher, CopiesTheTextAndAppendsTheFirstHalfOfTheKey) {
  const std::vector<std::uint8_t> text = {1, 2, 3};
  std::vector<std::uint8_t> sealed(text.size() + kSealBytes, 9);
  PlainCipher().seal(key_of(64), 7, {}, text, sealed.data());
  EXPECT_EQ(sealed, (std::vector<std::uint8_t>{1, 2, 3, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74,
                                               75, 76, 77, 78, 79}));
  std::vector<std::uint8_t> opened(text.size());
  EXPECT_TRUE(PlainCipher().open(key_of(64), 7, {}, sealed, opened.data()));
  EXPECT_EQ(opened, text);
  EXPECT_FALSE(PlainCipher().open(key_of(65), 7, {}, sealed, opened.data()));
}

TEST(PlainCipher, SealsInPlace) {
  std::vector<std::uint8_t> bytes(2 + kSealBytes, 5);
  PlainCipher().seal(key_of(1), TokenNonce{}, {}, Bytes(bytes).first(2), bytes.data());
  EXPECT_TRUE(PlainCipher().open(key_of(1), TokenNonce{}, {}, bytes, bytes.data()));
  EXPECT_EQ(bytes[1], 5);
}

TEST(PlainCipher, RefusesEveryChangedSeal) {
  constexpr std::size_t kText = 4;
  for (std::size_t i = 0; i < 8 * kSealBytes; ++i) {
    std::vector<std::uint8_t> sealed(kText + kSealBytes, 0);
    PlainCipher().seal(key_of(0), 0, {}, Bytes(sealed).first(kText), sealed.data());
    sealed[kText + i / 8] ^= static_cast<std::uint8_t>(1 << i % 8);
    EXPECT_FALSE(PlainCipher().open(key_of(0), 0, {}, sealed, sealed.data())) << i;
  }
}

}  // namespace
}  // namespace orrery::net
