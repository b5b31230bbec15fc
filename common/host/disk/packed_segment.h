// Owns the packed form of closed segments: zstd, in blocks each of which can be read alone.
//
//   "ORRERYLZ"  size of the segment u64
//   blocks:  raw size u32  packed size u32  checksum u64  packed bytes
//
// A block is 64 KiB of the segment, the last one what is left, as one zstd frame
// (schema/log.md 6).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/byte_sink.h"

namespace orrery::host {

// Puts the packed form of `segment`, which has `size` bytes, in the place of the file at `path`, or
// leaves that as it is: returns 0, or the error number of why. One that would be many times smaller
// stays as it is, by EFBIG, and so does one whose draft would take the name of a file, by EEXIST,
// unless `draft_is_ours`: an earlier call could not remove its own. If asked for, it says whether
// this one could not. Ends by ECANCELED, within a block, once `cancelled` is true.
int pack_segment(session::ByteSource& segment, std::uint64_t size, FileSystem& files,
                 const std::string& path, bool* draft_is_ours = nullptr,
                 const std::atomic<bool>* cancelled = nullptr);

// Gives the bytes of a segment, whether the file has them as they are or packed; of a packed one up
// to the first block that is broken, or that makes it many times larger than the file; or with what
// lies behind the last block.
class SegmentSource final : public session::ByteSource {
 public:
  // An Error starts with the path.
  static Result<std::unique_ptr<SegmentSource>> open(const std::string& path,
                                                     FileSystem& files = file_system());

  std::size_t read(std::span<std::uint8_t> into) override;
  bool seek(std::uint64_t offset) override;
  // What a packed file says is only as good as that, but no more than its blocks could hold.
  std::uint64_t size() const override { return packed_ ? size_ : file_->size(); }
  Status status() const override { return file_->status(); }

  bool is_packed() const { return packed_; }

 private:
  explicit SegmentSource(std::unique_ptr<session::ByteSource> file);
  // Reads on, into `block_`; false where no sound block begins.
  bool next_block();
  // Finds where the blocks begin.
  void survey();

  std::unique_ptr<session::ByteSource> file_;
  bool packed_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t next_offset_ = 0;            // in the segment, of the next block,
  std::uint64_t place_ = 0;                  // which is here in the file
  std::vector<std::uint8_t> block_;          // bytes of the segment that the file has gone past,
  std::size_t given_ = 0;                    // and how many of them were read
  std::vector<std::uint8_t> packed_bytes_;   // scratch
  std::vector<std::uint64_t> block_places_;  // in the file, once somebody seeks
};

}  // namespace orrery::host
