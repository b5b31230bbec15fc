// Tests the headers of frames.
#include "server/web/message_frame.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery::server::web {
namespace {

std::vector<int> header_of(std::size_t bytes) {
  const FrameHeader header(bytes);
  return {header.bytes().begin(), header.bytes().end()};
}

// The values are from RFC 6455, section 5.2.
TEST(MessageFrame, HasTheSizeInAsFewBytesAsPossible) {
  EXPECT_EQ(header_of(0), (std::vector{0x82, 0}));
  EXPECT_EQ(header_of(125), (std::vector{0x82, 125}));
  EXPECT_EQ(header_of(126), (std::vector{0x82, 126, 0, 126}));
  EXPECT_EQ(header_of(1225), (std::vector{0x82, 126, 4, 0xc9}));
  EXPECT_EQ(header_of(65535), (std::vector{0x82, 126, 0xff, 0xff}));
}

}  // namespace
}  // namespace orrery::server::web
