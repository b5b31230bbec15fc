// Tests when segments are packed, also if disk calls fail at the first attempt.
#include "common/host/disk/packing/segment_packer.h"

#include <gtest/gtest.h>

#include <thread>

#include "common/host/disk/log_segments.h"
#include "common/host/disk/packing/packed_segment.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

constexpr std::uint64_t kCallsToMakeSegments = 8;  // two segments, four calls each

void make_segment(const std::string& path, test::SimulatedDisk& disk) {
  const int descriptor = disk.create(path, true);
  disk.write(descriptor, std::vector<std::uint8_t>(1000));
  disk.sync(descriptor);
  disk.close(descriptor);
}

TEST(SegmentPacker, TriesAgainWhatTheDiskHadNoRoomFor) {
  for (std::uint64_t call = 1; call <= 8; ++call) {
    const auto kind = test::DiskFault::Kind::no_space;
    test::SimulatedDisk disk(call, {{kCallsToMakeSegments + call, kind, false}});
    for (const std::uint32_t segment : {0u, 1u})
      make_segment(host::segment_path("LOG", segment), disk);
    {
      host::SegmentPacker packer(disk, "LOG");
      packer.pack(0);
      packer.pack(1);
    }
    for (const std::uint32_t segment : {0u, 1u}) {
      const auto source = host::SegmentSource::open(host::segment_path("LOG", segment), disk);
      ASSERT_TRUE(source) << "call " << call;
      EXPECT_TRUE(source.value()->is_packed()) << "call " << call << ", segment " << segment;
    }
    EXPECT_EQ(disk.content().size(), 2u) << "call " << call;
  }
}

// If any call fails once, in any way, the segment is packed in the end, and no draft is left.
TEST(SegmentPacker, OutlivesAFaultInEveryCall) {
  using Kind = test::DiskFault::Kind;
  constexpr std::uint64_t kCallsToMake = kCallsToMakeSegments / 2;
  constexpr std::uint64_t kCallsToPack = 7;  // create, two writes, sync, close, rename, folder sync
  for (std::uint64_t call = 1; call <= kCallsToPack; ++call) {
    for (const Kind kind : {Kind::io_error, Kind::no_space, Kind::interrupted, Kind::short_write}) {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " at call " +
                   std::to_string(call));
      test::SimulatedDisk disk(call, {{kCallsToMake + call, kind, false}});
      make_segment("LOG", disk);
      ASSERT_EQ(disk.calls(), kCallsToMake);
      {
        host::SegmentPacker packer(disk, "LOG");
        packer.pack(0);
      }
      EXPECT_GE(disk.calls(), kCallsToMake + kCallsToPack);
      EXPECT_TRUE(host::SegmentSource::open("LOG", disk).value()->is_packed());
      EXPECT_EQ(disk.content().size(), 1u);
    }
  }
}

// The packer does not try a missing segment again, even if it appears later.
TEST(SegmentPacker, GivesUpWhatIsNotThere) {
  test::SimulatedDisk disk(1);
  make_segment(host::segment_path("LOG", 1), disk);
  const auto is_packed = [&](std::uint32_t segment) {
    return host::SegmentSource::open(host::segment_path("LOG", segment), disk).value()->is_packed();
  };
  {
    host::SegmentPacker packer(disk, "LOG");
    packer.pack(0);
    packer.pack(1);
    while (!is_packed(1)) std::this_thread::yield();
    make_segment(host::segment_path("LOG", 0), disk);
  }
  EXPECT_FALSE(is_packed(0));
}

TEST(SegmentPacker, PacksNothingOnceItIsCancelled) {
  test::SimulatedDisk disk(1);
  make_segment("LOG", disk);
  {
    host::SegmentPacker packer(disk, "LOG");
    packer.cancel();
    packer.pack(0);
  }
  EXPECT_FALSE(host::SegmentSource::open("LOG", disk).value()->is_packed());
  EXPECT_EQ(disk.content().size(), 1u);
}

}  // namespace
}  // namespace orrery
