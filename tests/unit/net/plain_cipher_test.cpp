// Tests the cipher without secrecy.
#include "common/net/packet/plain_cipher.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery::net {
namespace {

TEST(PlainCipher, CopiesTheTextAndAppendsZeros) {
  const std::vector<std::uint8_t> text = {1, 2, 3};
  std::vector<std::uint8_t> sealed(text.size() + kSealBytes, 9);
  PlainCipher().seal(Key{}, 7, {}, text, sealed.data());
  EXPECT_EQ(sealed,
            (std::vector<std::uint8_t>{1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  std::vector<std::uint8_t> opened(text.size());
  EXPECT_TRUE(PlainCipher().open(Key{}, 7, {}, sealed, opened.data()));
  EXPECT_EQ(opened, text);
}

TEST(PlainCipher, SealsInPlace) {
  std::vector<std::uint8_t> bytes(2 + kSealBytes, 5);
  PlainCipher().seal(Key{}, TokenNonce{}, {}, Bytes(bytes).first(2), bytes.data());
  EXPECT_TRUE(PlainCipher().open(Key{}, TokenNonce{}, {}, bytes, bytes.data()));
  EXPECT_EQ(bytes[1], 5);
}

TEST(PlainCipher, RefusesEveryChangedSeal) {
  constexpr std::size_t kText = 4;
  for (std::size_t i = 0; i < kSealBytes; ++i) {
    std::vector<std::uint8_t> sealed(kText + kSealBytes, 0);
    sealed[kText + i] = 1;
    EXPECT_FALSE(PlainCipher().open(Key{}, 0, {}, sealed, sealed.data())) << i;
  }
}

}  // namespace
}  // namespace orrery::net
