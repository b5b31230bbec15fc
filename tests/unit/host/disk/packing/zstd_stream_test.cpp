// Tests streams of zstd: round trips in pieces, plain files, and files that are damaged or end
// early.
#include "common/host/disk/packing/zstd_stream.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "common/core/rng.h"
#include "tests/support/memory_log.h"

namespace orrery::host {
namespace {

std::vector<std::uint8_t> some_bytes(std::size_t size) {
  SplitMix64 random(size);
  std::vector<std::uint8_t> bytes(size);
  for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random.below(7));
  return bytes;
}

std::vector<std::uint8_t> packed(const std::vector<std::uint8_t>& bytes, std::size_t piece) {
  ZstdPacker packer;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    packer.append(Bytes(bytes).subspan(at, std::min(piece, bytes.size() - at)));
  }
  packer.finish();
  return packer.take();
}

// Reads in pieces of an odd size, so that no piece ends at a border of the format.
std::vector<std::uint8_t> read_all(ZstdSource& source) {
  std::vector<std::uint8_t> all, piece(1009);
  for (;;) {
    const std::size_t got = source.read(piece);
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    if (got < piece.size()) return all;
  }
}

ZstdSource source_of(const std::vector<std::uint8_t>& bytes) {
  return ZstdSource(std::make_unique<test::MemorySource>(bytes));
}

TEST(ZstdStream, BytesComeBack) {
  for (const std::size_t size : {0u, 1u, 5u, 70'000u, 1'000'000u}) {
    const std::vector<std::uint8_t> bytes = some_bytes(size);
    const std::vector<std::uint8_t> file = packed(bytes, 10'007);
    EXPECT_LT(file.size(), size / 2 + 100);
    ZstdSource source = source_of(file);
    EXPECT_EQ(read_all(source), bytes);
    EXPECT_TRUE(source.status().ok());
  }
}

// In a file without a checksum at its end, the last input can give more bytes than fit into the
// output.
TEST(ZstdStream, BytesOfFilesWithoutAChecksumComeBack) {
  for (const std::size_t size : {1u, 5'000u, 300'000u}) {
    const std::vector<std::uint8_t> bytes = some_bytes(size);
    std::vector<std::uint8_t> file(ZSTD_compressBound(size));
    file.resize(ZSTD_compress(file.data(), file.size(), bytes.data(), size, 3));
    ZstdSource source = source_of(file);
    EXPECT_TRUE(source.is_compressed());
    EXPECT_EQ(read_all(source), bytes);
    EXPECT_TRUE(source.status().ok());
  }
}

TEST(ZstdStream, FilesThatNeedTooMuchMemoryAreErrors) {
  const std::vector<std::uint8_t> bytes = some_bytes(5'000);
  std::vector<std::uint8_t> file(ZSTD_compressBound(bytes.size()));
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 28);
  ZSTD_outBuffer out{file.data(), file.size(), 0};
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};  // its size is not in the header
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush);
  ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  file.resize(out.pos);
  ZstdSource source = source_of(file);
  EXPECT_EQ(read_all(source), std::vector<std::uint8_t>{});
  ASSERT_FALSE(source.status().ok());
  EXPECT_EQ(source.status().error().text(), "the compressed data needs a window above 128 MiB");
}

// A caller that takes the bytes that are ready needs memory only for a small part of the stream.
TEST(ZstdStream, CanBeTakenInParts) {
  const std::vector<std::uint8_t> bytes = some_bytes(4'000'000);
  ZstdPacker packer;
  std::vector<std::uint8_t> file;
  std::size_t largest = 0;
  const auto take = [&] {
    const std::vector<std::uint8_t> part = packer.take();
    largest = std::max(largest, part.size());
    file.insert(file.end(), part.begin(), part.end());
  };
  for (std::size_t at = 0; at < bytes.size(); at += 10'000) {
    packer.append(Bytes(bytes).subspan(at, 10'000));
    take();
  }
  packer.finish();
  take();
  EXPECT_EQ(file, packed(bytes, 10'000));
  EXPECT_LT(largest, file.size() / 4);
}

TEST(ZstdStream, PlainFilesAreReadAsTheyAre) {
  const std::vector<std::uint8_t> bytes = some_bytes(200'000);
  ZstdSource source = source_of(bytes);
  EXPECT_EQ(read_all(source), bytes);
  EXPECT_TRUE(source.status().ok());
}

TEST(ZstdStream, FilesThatEndEarlyOrAreDamagedAreErrors) {
  const std::vector<std::uint8_t> whole = packed(some_bytes(300'000), 300'000);
  std::vector<std::uint8_t> cut(whole.begin(), whole.end() - 5);
  ZstdSource short_source = source_of(cut);
  read_all(short_source);
  ASSERT_FALSE(short_source.status().ok());
  EXPECT_EQ(short_source.status().error().text(), "the compressed data ends early");
  std::vector<std::uint8_t> damaged = whole;
  damaged[damaged.size() / 2] ^= 0x10;
  ZstdSource damaged_source = source_of(damaged);
  read_all(damaged_source);
  ASSERT_FALSE(damaged_source.status().ok());
  EXPECT_EQ(damaged_source.status().error().text(), "the compressed data is damaged");
}

}  // namespace
}  // namespace orrery::host
