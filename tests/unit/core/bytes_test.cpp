// Tests varints: written as LEB128, read back exactly, and refused in any other form.
#include "common/core/bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery {
namespace {

// Encodes a number in LEB128 from its definition: seven bits a byte, low bits first. The top bit is
// set in every byte but the last.
std::vector<std::uint8_t> leb128(std::uint64_t value) {
  std::vector<std::uint8_t> bytes;
  do {
    bytes.push_back(static_cast<std::uint8_t>(value % 128 + (value >= 128 ? 128 : 0)));
    value /= 128;
  } while (value != 0);
  return bytes;
}

std::vector<std::uint64_t> values_of_every_length() {
  std::vector<std::uint64_t> values = {0, 1, ~std::uint64_t{0}};
  for (int bit = 1; bit < 64; ++bit) {
    values.push_back(std::uint64_t{1} << bit);
    values.push_back(values.back() - 1);
  }
  return values;
}

TEST(Bytes, AVarintIsLeb128) {
  for (const std::uint64_t value : values_of_every_length()) {
    std::vector<std::uint8_t> written;
    ByteWriter(written).varint(value);
    EXPECT_EQ(written, leb128(value));
    ByteReader reader(written);
    EXPECT_EQ(reader.varint(), value);
    EXPECT_TRUE(reader.ok() && reader.at_end()) << value;
  }
}

TEST(Bytes, AVarintHasOneForm) {
  for (const std::uint64_t value : values_of_every_length()) {
    std::vector<std::uint8_t> longer = leb128(value);
    longer.back() |= 0x80;
    longer.push_back(0);
    ByteReader reader(longer);
    reader.varint();
    EXPECT_FALSE(reader.ok()) << value;
  }
}

TEST(Bytes, AVarintHas64BitsAtMost) {
  std::vector<std::uint8_t> most = leb128(~std::uint64_t{0});
  most.back() = 2;
  ByteReader too_large(most);
  too_large.varint();
  EXPECT_FALSE(too_large.ok());
  const std::vector<std::uint8_t> cut = {0x80, 0x80};
  ByteReader too_short(cut);
  too_short.varint();
  EXPECT_FALSE(too_short.ok());
}

}  // namespace
}  // namespace orrery
