// Packs closed segments with zstd, and reads plain and packed segments.
#include "common/host/disk/packing/packed_segment.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/core/hash.h"
#include "common/host/disk/log_segments.h"
#include "common/session/log_format.h"

namespace orrery::host {
namespace {

using session::kPackedMagic;

constexpr std::size_t kStartBytes = kPackedMagic.size() + 8;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kPackedBlockBytesMax = ZSTD_COMPRESSBOUND(kBlockBytes);
constexpr std::size_t kBlockHeadBytes = 4 + 4 + 8;
// The number of blocks that seek() can reach: the first 64 GiB of a segment. A reader reaches later
// bytes only by reading the segment in order.
constexpr std::size_t kBlocksSurveyedMax = std::size_t{1} << 20;
// The zstd level, from 1 to 19. Level 3 packs faster than a disk writes.
constexpr int kLevel = 3;

// A packed file of N bytes may unpack to at most 64 MiB + 64 N bytes of its segment.
constexpr std::uint64_t kUnpackedFreely = std::uint64_t{64} << 20;
constexpr std::uint64_t kExpansionMax = 64;

// The head of a block: the sizes of the block in bytes, raw and packed, and its checksum.
struct BlockHead {
  std::uint32_t raw = 0;
  std::uint32_t packed = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t checksum_of(const BlockHead& head, Bytes packed, std::uint64_t offset) {
  std::vector<std::uint8_t> sizes;
  ByteWriter out(sizes);
  out.u32(head.raw);
  out.u32(head.packed);
  return checksum(packed, checksum(sizes, offset));
}

// Returns true if readers must refuse to unpack `packed` bytes of a file to `raw` bytes of a
// segment. A reader keeps whole records in memory, and a small file must not fill the memory. Real
// segments are far from this limit: packing shrinks images only to a third.
bool is_bomb(std::uint64_t raw, std::uint64_t packed) {
  return raw > kUnpackedFreely && (raw - kUnpackedFreely) / kExpansionMax > packed;
}

// Reads the head of a block. Returns false if the file has no valid head here.
bool read_head(session::ByteSource& file, BlockHead& head) {
  std::array<std::uint8_t, kBlockHeadBytes> bytes;
  if (file.read(bytes) < bytes.size()) return false;
  ByteReader in{Bytes(bytes)};
  head = {in.u32(), in.u32(), in.u64()};
  return head.raw > 0 && head.raw <= kBlockBytes && head.packed <= kPackedBlockBytesMax;
}

// A packed file that is written block by block. After the first error it writes nothing more, and
// keeps the error number.
class Packer {
 public:
  Packer(FileSystem& files, const std::string& path, bool may_replace)
      : files_(files), descriptor_(files.create(path, !may_replace)) {
    if (descriptor_ < 0) error_number_ = -descriptor_;
  }
  ~Packer() {
    if (descriptor_ >= 0) files_.close(descriptor_);
  }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void start(std::uint64_t size) {
    out_.clear();
    ByteWriter writer(out_);
    writer.bytes(kPackedMagic);
    writer.u64(size);
    write();
  }

  void block(Bytes raw) {
    packed_.resize(kPackedBlockBytesMax);
    const std::size_t size =
        ZSTD_compress(packed_.data(), packed_.size(), raw.data(), raw.size(), kLevel);
    ORRERY_ASSERT(!ZSTD_isError(size));
    packed_.resize(size);
    BlockHead head{static_cast<std::uint32_t>(raw.size()), static_cast<std::uint32_t>(size), 0};
    out_.clear();
    ByteWriter writer(out_);
    writer.u32(head.raw);
    writer.u32(head.packed);
    writer.u64(checksum_of(head, packed_, offset_));
    writer.bytes(packed_);
    write();
    offset_ += raw.size();
    place_ += out_.size();
    if (is_bomb(offset_, place_)) check(-EFBIG);
  }

  void cancel() { check(-ECANCELED); }

  void sync() { check(error_number_ == 0 ? files_.sync(descriptor_) : 0); }

  bool has_file() const { return descriptor_ >= 0; }
  std::uint64_t offset() const { return offset_; }
  int error_number() const { return error_number_; }

 private:
  void write() {
    for (Bytes rest(out_); !rest.empty() && error_number_ == 0;) {
      const std::int64_t written = files_.write(descriptor_, rest);
      check(written == 0 ? -EIO : written);
      if (written > 0) rest = rest.subspan(static_cast<std::size_t>(written));
    }
  }

  void check(std::int64_t returned) {
    if (returned < 0 && error_number_ == 0) error_number_ = static_cast<int>(-returned);
  }

  FileSystem& files_;
  const int descriptor_;
  int error_number_ = 0;
  std::uint64_t offset_ = 0;           // bytes of the segment packed so far
  std::uint64_t place_ = kStartBytes;  // bytes of the file written so far
  std::vector<std::uint8_t> packed_;
  std::vector<std::uint8_t> out_;
};

// Writes a packed file. Returns 0 or an error number. `is_ours`: an earlier call made the file at
// `path`, so it may be replaced. On return, `is_ours` is true if this or an earlier call made the
// file.
int write_packed(session::ByteSource& segment, std::uint64_t size, FileSystem& files,
                 const std::string& path, bool& is_ours, const std::atomic<bool>* cancelled) {
  Packer packer(files, path, is_ours);
  is_ours = is_ours || packer.has_file();
  if (packer.error_number() == 0) packer.start(size);
  std::vector<std::uint8_t> raw(kBlockBytes);
  for (std::size_t got = raw.size(); got == raw.size() && packer.error_number() == 0;) {
    got = segment.read(raw);
    if (got > 0) packer.block(Bytes(raw).first(got));
    if (cancelled && *cancelled) packer.cancel();
  }
  packer.sync();
  if (packer.error_number() != 0) return packer.error_number();
  return packer.offset() == size ? 0 : EIO;
}

}  // namespace

int pack_segment(session::ByteSource& segment, std::uint64_t size, FileSystem& files,
                 const std::string& path, bool* draft_is_ours, const std::atomic<bool>* cancelled) {
  const std::string draft = draft_path(path);
  bool of_this_call = false;
  bool& is_ours = draft_is_ours ? *draft_is_ours : of_this_call;
  int error_number = write_packed(segment, size, files, draft, is_ours, cancelled);
  if (error_number == 0) error_number = -std::min(0, files.rename(draft, path, true));
  if (error_number != 0 && is_ours) {
    const int removed = files.remove(draft);
    is_ours = removed < 0 && removed != -ENOENT;
    return error_number;
  }
  if (error_number != 0) return error_number;
  is_ours = false;  // the temporary file was renamed
  return -std::min(0, files.sync_folder_of(path));
}

Result<std::unique_ptr<SegmentSource>> SegmentSource::open(const std::string& path,
                                                           FileSystem& files) {
  Result<std::unique_ptr<session::ByteSource>> file = files.open(path);
  if (!file) return file.error();
  return std::make_unique<SegmentSource>(std::move(file.value()));
}

SegmentSource::SegmentSource(std::unique_ptr<session::ByteSource> file) : file_(std::move(file)) {
  block_.resize(kStartBytes);
  block_.resize(file_->read(block_));
  packed_ = block_.size() == kStartBytes &&
            std::equal(kPackedMagic.begin(), kPackedMagic.end(), block_.begin());
  if (!packed_) return;
  size_ = ByteReader(Bytes(block_).subspan(kPackedMagic.size())).u64();
  const std::uint64_t blocks_max = file_->size() / kBlockHeadBytes;
  if (blocks_max > 0) size_ = std::min(size_, blocks_max * kBlockBytes);
  place_ = kStartBytes;
  block_.clear();
}

std::size_t SegmentSource::read(std::span<std::uint8_t> into) {
  std::size_t have = 0;
  while (have < into.size() && (given_ < block_.size() || next_block())) {
    const std::size_t count = std::min(into.size() - have, block_.size() - given_);
    std::copy_n(block_.begin() + static_cast<std::ptrdiff_t>(given_), count,
                into.begin() + static_cast<std::ptrdiff_t>(have));
    given_ += count;
    have += count;
  }
  // Bytes after the last block are no part of the segment. Readers must nevertheless see these
  // bytes, to count them as lost.
  const bool has_blocks_left = packed_ && next_offset_ < size_;
  return has_blocks_left ? have : have + file_->read(into.subspan(have));
}

bool SegmentSource::seek(std::uint64_t offset) {
  if (!packed_) {
    if (!file_->seek(offset)) return false;
    block_.clear();
    given_ = 0;
    return true;
  }
  if (block_places_.empty()) survey();
  const std::uint64_t number = offset / kBlockBytes;
  if (number >= block_places_.size()) return false;
  if (!file_->seek(block_places_[number])) return false;
  next_offset_ = number * kBlockBytes;
  place_ = block_places_[number];
  if (!next_block() || offset % kBlockBytes > block_.size()) return false;
  given_ = offset % kBlockBytes;
  return true;
}

bool SegmentSource::next_block() {
  block_.clear();
  given_ = 0;
  if (next_offset_ >= size_) return false;
  BlockHead head;
  if (!read_head(*file_, head) || head.raw > size_ - next_offset_) return false;
  packed_bytes_.resize(head.packed);
  if (file_->read(packed_bytes_) < head.packed) return false;
  if (checksum_of(head, packed_bytes_, next_offset_) != head.checksum) return false;
  place_ += kBlockHeadBytes + head.packed;
  if (is_bomb(next_offset_ + head.raw, place_)) return false;
  block_.resize(head.raw);
  const std::size_t size =
      ZSTD_decompress(block_.data(), block_.size(), packed_bytes_.data(), packed_bytes_.size());
  if (size != head.raw) block_.clear();  // zstd returns an error as a huge size
  next_offset_ += block_.size();
  return !block_.empty();
}

void SegmentSource::survey() {
  std::uint64_t place = kStartBytes;
  BlockHead head;
  while (block_places_.size() < kBlocksSurveyedMax && file_->seek(place) &&
         read_head(*file_, head)) {
    block_places_.push_back(place);
    place += kBlockHeadBytes + head.packed;
    if (head.raw < kBlockBytes) return;  // only the last block is shorter
  }
}

}  // namespace orrery::host
