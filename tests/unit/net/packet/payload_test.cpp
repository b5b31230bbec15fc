// Tests the header of messages: its bytes, and bytes that do not decode.
#include "common/net/packet/payload.h"

#include <vector>

#include "gtest/gtest.h"

namespace orrery {
namespace {

TEST(Payload, HasTheDocumentedBytes) {
  std::vector<std::uint8_t> bytes;
  net::encode_payload_header({net::MessageType::input, 0x01020304, 0x21222324, 0x31323334}, bytes);
  const std::vector<std::uint8_t> expected = {4,    0,    0,    0,    0x04, 0x03, 0x02, 0x01,
                                              0x24, 0x23, 0x22, 0x21, 0x34, 0x33, 0x32, 0x31};
  EXPECT_EQ(bytes, expected);
  bytes.push_back(0xaa);
  const auto payload = net::decode_payload(bytes);
  ASSERT_TRUE(payload);
  EXPECT_EQ(payload->header.type, net::MessageType::input);
  EXPECT_EQ(payload->header.ack_bits, 0x31323334u);
  ASSERT_EQ(payload->message.size(), 1u);
  EXPECT_EQ(payload->message[0], 0xaa);
}

TEST(Payload, RejectsWhatIsCutOrUnknown) {
  std::vector<std::uint8_t> bytes;
  net::encode_payload_header({net::MessageType::query, 1, 3, 4}, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(net::decode_payload(Bytes(bytes).first(size)));
  }
  for (int type = 0; type < 256; ++type) {
    bytes[0] = static_cast<std::uint8_t>(type);
    EXPECT_EQ(net::decode_payload(bytes).has_value(), type >= 1 && type <= 12 && type != 6) << type;
  }
  bytes[0] = 1;
  bytes[2] = 1;
  EXPECT_FALSE(net::decode_payload(bytes));
}

}  // namespace
}  // namespace orrery
