// Tests files of frames: both forms, and files that are not such files.
#include "client/cli/frame_file.h"

#include <gtest/gtest.h>

#include "common/core/limits.h"
#include "common/core/rng.h"
#include "tests/support/memory_log.h"
#include "tests/unit/codec/delta/sessions.h"

namespace orrery::cli {
namespace {

Result<FrameReader> open(const std::vector<std::uint8_t>& bytes) {
  return FrameReader::open(std::make_unique<test::MemorySource>(bytes));
}
Result<FrameReader> open(std::vector<std::uint8_t>&&) = delete;  // the reader reads the bytes later

// Returns the error of reading all frames, or an empty text.
std::string read_error(const std::vector<std::uint8_t>& bytes) {
  Result<FrameReader> reader = open(bytes);
  if (!reader) return reader.error().text();
  RecordedFrame frame;
  for (;;) {
    const Result<bool> read = reader.value().next(frame);
    if (!read) return read.error().text();
    if (!read.value()) return "";
    EXPECT_EQ(frame.frame.bodies.size(), reader.value().scene().slots);
  }
}

std::vector<std::uint8_t> session_file(const codec::Session& session) {
  std::vector<std::uint8_t> bytes;
  encode_frame_header(session.scene, session.radii, bytes);
  for (const codec::QuantisedFrame& frame : session.frames) encode_frame({frame, {2, 5}}, bytes);
  return bytes;
}

std::vector<std::uint8_t> published_frame(std::uint32_t orientation) {
  std::vector<std::uint8_t> bytes;
  ByteWriter writer(bytes);
  for (std::uint32_t i = 0; i < 901; ++i) {
    for (const std::uint32_t x : {2u, orientation, 511u, 0u, i, 0xFFFFC001u, 8191u, i % 2}) {
      writer.u32(x);
    }
  }
  return bytes;
}

TEST(FrameFile, SessionsComeBack) {
  const codec::Session session = codec::session_of("playground", 20, 3);
  const std::vector<std::uint8_t> file = session_file(session);
  Result<FrameReader> reader = open(file);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader.value().radii(), session.radii);
  EXPECT_EQ(reader.value().scene().gravity, session.scene.gravity);
  EXPECT_EQ(reader.value().scene().grid.position_step, session.scene.grid.position_step);
  RecordedFrame frame;
  for (const codec::QuantisedFrame& expected : session.frames) {
    const Result<bool> read = reader.value().next(frame);
    ASSERT_TRUE(read.ok() && read.value());
    EXPECT_EQ(frame.frame.tick, expected.tick);
    EXPECT_EQ(frame.frame.bodies, expected.bodies);
    EXPECT_EQ(frame.references, (std::vector<std::uint32_t>{2, 5}));
  }
  EXPECT_FALSE(reader.value().next(frame).value());
}

TEST(FrameFile, ThePublishedFormIsRead) {
  std::vector<std::uint8_t> bytes = published_frame(7);
  const std::vector<std::uint8_t> second = published_frame(8);
  bytes.insert(bytes.end(), second.begin(), second.end());
  Result<FrameReader> reader = open(bytes);
  ASSERT_TRUE(reader.ok());
  RecordedFrame frame;
  ASSERT_TRUE(reader.value().next(frame).value());
  ASSERT_TRUE(reader.value().next(frame).value());
  EXPECT_EQ(frame.frame.tick, Tick{2});
  const codec::QuantisedBody& body = frame.frame.bodies[900];
  EXPECT_EQ(body.largest, 2);
  EXPECT_EQ(body.orientation, (std::array<std::uint16_t, 3>{8, 511, 0}));
  EXPECT_EQ(body.position, (std::array<std::int32_t, 3>{900, -16383, 8191}));
  EXPECT_FALSE(body.active);
  EXPECT_FALSE(reader.value().next(frame).value());
}

TEST(FrameFile, OtherFilesAreErrors) {
  const std::string no_header = "; the file has no header, so a frame is 901 records of 32 bytes";
  EXPECT_NE(read_error({}).find("has no frames"), std::string::npos);
  EXPECT_EQ(read_error({1, 2, 3, 4, 5, 6, 7, 8, 9}),
            "frame 1: ends after 9 of 28832 bytes" + no_header);
  EXPECT_EQ(read_error(published_frame(512)),
            "frame 1: body 0: orientation a is 512; must be 0 to 511" + no_header);
  std::vector<std::uint8_t> cut = session_file(codec::session_of("playground", 3, 3));
  cut.resize(cut.size() - 10);
  EXPECT_EQ(read_error(cut), "frame 3: ends in body 44 of 45");
  cut.resize(30);
  EXPECT_EQ(read_error(cut), "header: ends after 30 of 52 bytes");
}

// The header may claim a million slots. The reader makes room for 4,096, and for one more for each
// body of the largest frame so far.
TEST(FrameFile, SlotsGrowWithTheBodies) {
  codec::DeltaScene scene = codec::cubes(limits::kBodiesMax);
  std::vector<std::uint8_t> bytes;
  encode_frame_header(scene, std::vector<double>{64, 64}, bytes);
  RecordedFrame one{{Tick{1}, {}}, {}};
  encode_frame(one, bytes);
  one.frame.tick = Tick{2};
  one.frame.bodies = {codec::body_at(7, 0, 0, 0), codec::body_at(kFreeSlots + 1, 0, 0, 0)};
  encode_frame(one, bytes);
  std::vector<std::uint8_t> beyond = bytes;
  one.frame.tick = Tick{3};
  one.frame.bodies[0] = codec::body_at(kFreeSlots + 2, 0, 0, 0);
  encode_frame(one, beyond);
  Result<FrameReader> reader = open(bytes);
  ASSERT_TRUE(reader.ok());
  RecordedFrame frame;
  ASSERT_TRUE(reader.value().next(frame).value());
  EXPECT_EQ(frame.frame.bodies.size(), kFreeSlots);
  ASSERT_TRUE(reader.value().next(frame).value());
  EXPECT_EQ(frame.frame.bodies.size(), kFreeSlots + 2);
  EXPECT_TRUE(frame.frame.bodies.back().present);
  EXPECT_FALSE(reader.value().next(frame).value());
  EXPECT_EQ(read_error(beyond),
            "frame 3: body 0: slot of the id is 4098; must be below 4098, 4096 and one for each "
            "body of the largest frame so far");
}

TEST(FrameFile, DamagedFilesEndInAnErrorOrFramesOnTheGrid) {
  const std::vector<std::uint8_t> whole = session_file(codec::session_of("playground", 3, 3));
  int errors = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    SplitMix64 random(seed);
    std::vector<std::uint8_t> bytes = whole;
    const auto size = static_cast<std::uint32_t>(bytes.size());
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t at = random.below(random.below(2) ? size : 500);
      bytes[at] = static_cast<std::uint8_t>(random.next());
    }
    errors += read_error(bytes).empty() ? 0 : 1;
  }
  EXPECT_GT(errors, 100);
}

}  // namespace
}  // namespace orrery::cli
