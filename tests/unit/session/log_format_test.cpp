// Tests how the frame of a record is read.
#include "common/session/log_format.h"

#include <gtest/gtest.h>

#include <vector>

namespace orrery {
namespace {

std::optional<session::RecordFrame> frame_of(const std::vector<std::uint8_t>& bytes) {
  return session::read_frame(bytes);
}

TEST(LogFormat, ReadsTypeAndLength) {
  const std::optional<session::RecordFrame> frame = frame_of({7, 0x85, 0x02, 9, 9, 9});
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->type, session::RecordType::tick);
  EXPECT_EQ(frame->payload_offset, 3u);
  EXPECT_EQ(frame->payload_size, 261u);
  EXPECT_EQ(frame->size(), 3u + 261 + 8);
}

TEST(LogFormat, RefusesWhatNoRecordStartsWith) {
  EXPECT_FALSE(frame_of({}));
  EXPECT_FALSE(frame_of({7}));
  EXPECT_FALSE(frame_of({7, 0x80})) << "a length that is cut";
  EXPECT_FALSE(frame_of({0, 8})) << "zeros are never a record";
  EXPECT_FALSE(frame_of({9, 8}));
  EXPECT_FALSE(frame_of({7, 0x88, 0x80, 0x80, 0x80, 0x80, 0})) << "a length of six bytes";
}

TEST(LogFormat, BoundsLengthsByType) {
  const std::vector<std::uint8_t> most = {7, 0x80, 0x80, 0x80, 2};
  const std::vector<std::uint8_t> more = {7, 0x81, 0x80, 0x80, 2};
  EXPECT_TRUE(frame_of(most));
  EXPECT_FALSE(frame_of(more));
  EXPECT_TRUE(frame_of({1, 0x81, 0x80, 0x80, 2})) << "a header holds a scene";
  EXPECT_FALSE(frame_of({1, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}));
  EXPECT_TRUE(frame_of({4, 0x81, 0x80, 0x80, 2})) << "a checkpoint holds an image";
  EXPECT_FALSE(frame_of({4, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F}));
  EXPECT_FALSE(frame_of({5, 0x81, 0x80, 0x80, 2}));
}

}  // namespace
}  // namespace orrery
