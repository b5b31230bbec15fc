// Tests packed segments: every offset reads back the same bytes, and a damaged file gives the whole
// blocks before the damage.
#include "common/host/disk/packing/packed_segment.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/core/hash.h"
#include "common/core/rng.h"
#include "tests/support/memory_log.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using Content = std::vector<std::uint8_t>;

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

// Returns random bytes, most of which repeat earlier ones, as in a log.
Content any_bytes(std::size_t size, std::uint64_t seed) {
  SplitMix64 draw(seed);
  Content bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] =
        i > 100 && draw.below(8) > 0 ? bytes[i - 100] : static_cast<std::uint8_t>(draw.next());
  }
  return bytes;
}

Content packed(const Content& raw) {
  test::SimulatedDisk disk(1);
  test::MemorySource source(raw);
  EXPECT_EQ(host::pack_segment(source, raw.size(), disk, "LOG"), 0);
  return disk.content().at("LOG");
}

class PackedSegment : public testing::Test {
 protected:
  PackedSegment() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~PackedSegment() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<host::SegmentSource> open(const Content& file) const {
    const std::string path = (folder_ / "file").string();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()),
               static_cast<std::streamsize>(file.size()));
    return std::move(host::SegmentSource::open(path).value());
  }

  static Content read(host::SegmentSource& source, std::size_t most) {
    Content bytes(most);
    bytes.resize(source.read(bytes));
    return bytes;
  }

  std::filesystem::path folder_;
};

TEST_F(PackedSegment, GivesTheSameBytesBack) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kBlockBytes, kBlockBytes + 1, 5 * kBlockBytes - 7}) {
    const Content raw = any_bytes(size, 1);
    for (const Content& file : {raw, packed(raw)}) {
      const auto source = open(file);
      EXPECT_EQ(source->size(), size);
      EXPECT_TRUE(read(*source, size + 100) == raw);
    }
  }
}

// A packed file may have bytes after its last block, which somebody appended. They are read too, so
// that the reader of the log reports them.
TEST_F(PackedSegment, GivesWhatLiesBehindItsLastBlock) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, 2 * kBlockBytes}) {
    Content raw = any_bytes(size, 2);
    Content file = packed(raw);
    for (Content* const bytes : {&raw, &file})
      bytes->insert(bytes->end(), file.begin(), file.begin() + 16);
    EXPECT_TRUE(read(*open(file), size + 100) == raw) << size;
  }
  Content file = packed(any_bytes(100, 2));
  file[8] -= 1;  // the size of the segment
  EXPECT_TRUE(read(*open(file), 200).empty()) << "a block that is more than the segment has left";
}

TEST_F(PackedSegment, ReadsFromAnyPlace) {
  constexpr std::uint64_t kSeed = 7;
  SplitMix64 draw(kSeed);
  const Content raw = any_bytes(4 * kBlockBytes + 100, kSeed);
  for (const Content& file : {raw, packed(raw)}) {
    const auto source = open(file);
    for (int i = 0; i < 200; ++i) {
      const std::size_t at = draw.below(static_cast<std::uint32_t>(raw.size()));
      const std::size_t count = std::min<std::size_t>(draw.below(100'000), raw.size() - at);
      ASSERT_TRUE(source->seek(at));
      const Content found = read(*source, count);
      ASSERT_TRUE(found.size() == count &&
                  std::equal(found.begin(), found.end(), raw.begin() + static_cast<long>(at)))
          << "seed " << kSeed << ", at " << at;
    }
    EXPECT_FALSE(source->seek(raw.size() + kBlockBytes) && !read(*source, 1).empty());
  }
}

// A file that was cut or changed gives the whole blocks before that place, and no wrong byte.
TEST_F(PackedSegment, GivesTheWholeBlocksBeforeDamage) {
  constexpr std::uint64_t kSeed = 9;
  SplitMix64 draw(kSeed);
  const Content raw = any_bytes(3 * kBlockBytes + 50, kSeed);
  const Content whole = packed(raw);
  for (int i = 0; i < 300; ++i) {
    Content file = whole;
    const std::size_t at = 16 + draw.below(static_cast<std::uint32_t>(file.size() - 16));
    if (i % 2 == 0) file.resize(at);
    if (i % 2 == 1) file[at] = static_cast<std::uint8_t>(file[at] ^ (1u << draw.below(8)));
    const auto source = open(file);
    const Content found = read(*source, raw.size());
    ASSERT_EQ(found.size() % kBlockBytes, 0u) << "seed " << kSeed << ", at " << at;
    ASSERT_LT(found.size(), raw.size());
    ASSERT_TRUE(std::equal(found.begin(), found.end(), raw.begin()));
  }
}

// Returns a packed file of `blocks` blocks of zeros, each of which takes only a few bytes.
Content bomb(std::size_t blocks) {
  const Content one = packed(Content(kBlockBytes));
  const Bytes block = Bytes(one).subspan(16 + 16);
  Content file(one.begin(), one.begin() + 8);
  ByteWriter out(file);
  out.u64(blocks * kBlockBytes);
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::size_t sizes = file.size();
    out.u32(kBlockBytes);
    out.u32(static_cast<std::uint32_t>(block.size()));
    const std::uint64_t seed = checksum(Bytes(file).subspan(sizes), i * kBlockBytes);
    out.u64(checksum(block, seed));
    out.bytes(block);
  }
  return file;
}

TEST_F(PackedSegment, ASmallFileIsNoLargeSegment) {
  const Content file = bomb(1200);
  const std::size_t most = (std::size_t{64} << 20) + 64 * file.size();
  ASSERT_LT(most, 1200 * kBlockBytes);
  EXPECT_TRUE(open(bomb(1000))->seek(999 * kBlockBytes));
  const auto source = open(file);
  EXPECT_LE(read(*source, 1200 * kBlockBytes).size(), most);
  EXPECT_FALSE(source->seek(1199 * kBlockBytes));

  test::SimulatedDisk disk(1);
  const Content zeros(1200 * kBlockBytes);
  test::MemorySource segment(zeros);
  EXPECT_EQ(host::pack_segment(segment, zeros.size(), disk, "LOG"), EFBIG);
  EXPECT_TRUE(disk.content().empty());
}

TEST_F(PackedSegment, GoesToNoPlaceThatItsBlocksDoNotHold) {
  Content file = packed(any_bytes(100, 2));
  file[8] = 200;  // the size of the segment
  const auto source = open(file);
  EXPECT_TRUE(source->seek(100));
  EXPECT_FALSE(source->seek(150));
}

TEST_F(PackedSegment, SaysNoSizeThatItsBlocksCouldNotHold) {
  Content file = packed(any_bytes(kBlockBytes, 2));
  std::fill_n(file.begin() + 8, 8, std::uint8_t{0xff});
  EXPECT_LE(open(file)->size(), file.size() / 16 * kBlockBytes);
}

// Writes and syncs a segment.
void put(const Content& raw, test::SimulatedDisk& disk) {
  const int descriptor = disk.create("LOG", true);
  disk.write(descriptor, raw);
  disk.sync(descriptor);
  disk.sync_folder_of("LOG");
  disk.close(descriptor);
}

// Packs a segment while the disk fails. Checks that the segment is then unchanged, or packed
// completely.
void check_fault(const Content& raw, const Content& whole, const test::DiskFault& fault) {
  test::SimulatedDisk disk(fault.call);
  put(raw, disk);
  disk.set_faults({fault});
  test::MemorySource source(raw);
  bool draft_is_ours = false;
  const bool done = host::pack_segment(source, raw.size(), disk, "LOG", &draft_is_ours) == 0;
  const Content now = disk.content().at("LOG");
  EXPECT_TRUE(now == whole || (!done && now == raw));
  const Content then = disk.content_after_crash().at("LOG");
  EXPECT_TRUE(then == whole || (!done && then == raw));
  EXPECT_TRUE(draft_is_ours || !disk.content().contains("LOG.tmp"));
  disk.set_faults({});
  if (now == whole) return;
  test::MemorySource again(raw);
  EXPECT_EQ(host::pack_segment(again, raw.size(), disk, "LOG", &draft_is_ours), 0);
  EXPECT_TRUE(disk.content() == (test::SimulatedDisk::Folder{{"LOG", whole}}));
}

// Each disk call fails in each way, once or from this call on.
TEST_F(PackedSegment, AFaultInEveryCallLosesNothing) {
  using Kind = test::DiskFault::Kind;
  const Content raw = any_bytes(2 * kBlockBytes, 3);
  const Content whole = packed(raw);
  test::SimulatedDisk healthy(1);
  put(raw, healthy);
  const std::uint64_t before = healthy.calls();
  test::MemorySource source(raw);
  ASSERT_EQ(host::pack_segment(source, raw.size(), healthy, "LOG"), 0);
  // create, 3 writes, sync, close, rename, sync of the folder
  ASSERT_EQ(healthy.calls() - before, 8u);
  for (std::uint64_t call = before + 1; call <= healthy.calls(); ++call) {
    for (const Kind kind : {Kind::io_error, Kind::no_space, Kind::interrupted, Kind::short_write}) {
      for (const bool for_ever : {false, true}) {
        SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + " at call " +
                     std::to_string(call) + (for_ever ? " for ever" : ""));
        check_fault(raw, whole, {call, kind, for_ever});
        if (HasFailure()) return;
      }
    }
  }
}

// A source that cancels the packing while it reads block `at`.
struct CancellingSource final : session::ByteSource {
  CancellingSource(const Content& raw, std::size_t at) : source(raw), block(at) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    cancelled = block-- == 0;
    return source.read(into);
  }

  test::MemorySource source;
  std::size_t block;
  std::atomic<bool> cancelled{false};
};

TEST_F(PackedSegment, IsLeftAsItWasWhereItIsCancelled) {
  const Content raw = any_bytes(5 * kBlockBytes - 1, 3);
  for (std::size_t block = 0; block < 5; ++block) {
    test::SimulatedDisk disk(1);
    put(raw, disk);
    const std::uint64_t before = disk.calls();
    CancellingSource source(raw, block);
    EXPECT_EQ(host::pack_segment(source, raw.size(), disk, "LOG", nullptr, &source.cancelled),
              ECANCELED);
    EXPECT_TRUE(disk.content() == (test::SimulatedDisk::Folder{{"LOG", raw}}));
    EXPECT_EQ(disk.calls() - before, 5 + block);  // create, writes, close and remove, but no sync
  }
}

TEST_F(PackedSegment, ReplacesNoFileByADraft) {
  const Content raw = any_bytes(100, 3);
  const Content precious(100, 7);
  test::SimulatedDisk disk(1);
  put(raw, disk);
  disk.write(disk.create("LOG.tmp", true), precious);
  test::MemorySource source(raw);
  EXPECT_EQ(host::pack_segment(source, raw.size(), disk, "LOG"), EEXIST);
  EXPECT_TRUE(disk.content() == (test::SimulatedDisk::Folder{{"LOG", raw}, {"LOG.tmp", precious}}));
}

}  // namespace
}  // namespace orrery
