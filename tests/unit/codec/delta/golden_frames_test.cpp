// Tests the bytes of coded frames against golden ones. The decoder of client/examples decodes the
// same file from schema/coding.md.
//
// tests/golden/frames.txt has lines of two kinds. Numbers with a fraction are hexadecimal:
//   scene SLOTS PROTOTYPES ORIENTATION_BITS POSITION_STEP GRAVITY_X GRAVITY_Y GRAVITY_Z
//   frame TICK BASELINE LEVEL CHECKSUM BYTES
// The test prints the file that it expects if a line differs.
#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "common/codec/delta/world_frame.h"
#include "common/world/scenes/scenes.h"
#include "common/world/step.h"
#include "tests/support/command_stream.h"
#include "tests/support/source_path.h"

namespace orrery::codec {
namespace {

void print_scene(const DeltaScene& scene, std::string& out) {
  char line[200];
  std::snprintf(line, sizeof line, "scene %u %u %u %a %a %a %a\n", scene.slots, scene.prototypes,
                scene.grid.orientation_bits, scene.grid.position_step, scene.gravity.x,
                scene.gravity.y, scene.gravity.z);
  out += line;
}

void print_frame(const CodedFrame& baseline, const CodedFrame& frame, DeltaLevel level, Bytes bytes,
                 std::string& out) {
  char line[200];
  std::snprintf(line, sizeof line, "frame %" PRIu64 " %" PRIu64 " %d 0x%016" PRIx64 " ",
                frame.frame.tick.value, baseline.frame.tick.value, static_cast<int>(level),
                frame.checksum);
  out += line;
  for (const std::uint8_t byte : bytes) {
    std::snprintf(line, sizeof line, "%02x", byte);
    out += line;
  }
  out += '\n';
}

// Codes every second tick of a session under commands, at both levels, against a baseline that is
// one to four frames old. The first frames have none.
void print_session(const char* name, std::uint64_t seed, int frames, std::string& out) {
  World world(built_in_scene(name).value());
  SerialExecutor executor;
  CommandStream commands(seed);
  const DeltaScene scene = delta_scene_of(world.scene());
  print_scene(scene, out);
  DeltaCodec coder(scene, DeltaLevel::fast);
  std::vector<CodedFrame> coded(1);
  QuantisedFrame frame;
  std::vector<std::uint32_t> references;
  for (int i = 0; i < frames; ++i) {
    for (int tick = 0; tick < 2; ++tick) step(world, commands.next(world), executor);
    quantise(world, scene.grid, frame);
    find_references(world, references);
    const auto level = i / 3 % 3 == 0 ? DeltaLevel::cheap : DeltaLevel::fast;
    coder.set_level(level);
    const std::size_t back = std::min<std::size_t>(1 + i % 4, coded.size());
    const CodedFrame baseline = i < 2 ? CodedFrame{} : coded[coded.size() - back];
    std::vector<std::uint8_t> bytes;
    coder.encode(baseline, frame, references, coded.emplace_back(), bytes);
    print_frame(baseline, coded.back(), level, bytes, out);
  }
}

TEST(GoldenFrames, AreCodedAsBefore) {
  std::string expected;
  print_session("playground", 5, 60, expected);
  print_session("crates:40", 6, 8, expected);
  print_session("free:12", 7, 12, expected);
  std::ifstream file(test::source_path("tests/golden/frames.txt"));
  const std::string found{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(found == expected) << "tests/golden/frames.txt should be:\n" << expected;
}

}  // namespace
}  // namespace orrery::codec
