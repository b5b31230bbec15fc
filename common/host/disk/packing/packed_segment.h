// Packs closed segments with zstd, in blocks that can be read independently.
//
//   "ORRERYLZ"  size of the segment u64
//   blocks:  raw size u32  packed size u32  checksum u64  packed bytes
//
// A block is one zstd frame of 64 KiB of the segment; the last block may be shorter
// (schema/log.md 6).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/host/disk/file_system.h"
#include "common/session/byte_source.h"

namespace orrery::host {

// Replaces the file at `path` by the packed form of `segment`, which has `size` bytes. Returns 0 or
// an error number. After an error the file is unchanged, unless only the sync of its folder failed.
// - EFBIG: the packed form would be many times smaller than the segment. Readers refuse such files.
// - EEXIST: another file already has the name of the temporary file.
// - ECANCELED: `cancelled` became true. The call packs at most one more block before it returns.
//
// `draft_is_ours` is true if an earlier call could not remove its temporary file, which may then be
// replaced. On return, it is true if this call could not remove its temporary file.
int pack_segment(session::ByteSource& segment, std::uint64_t size, FileSystem& files,
                 const std::string& path, bool* draft_is_ours = nullptr,
                 const std::atomic<bool>* cancelled = nullptr);

// The bytes of a segment, read from a plain or a packed file. A packed file is read up to its first
// broken block, or to the block that makes the segment many times larger than the file. Bytes of a
// packed file after its last block are no part of the segment. They are read too, so that readers
// count them as lost.
class SegmentSource final : public session::ByteSource {
 public:
  // Opens the file of a segment. An Error starts with the path.
  static Result<std::unique_ptr<SegmentSource>> open(const std::string& path,
                                                     FileSystem& files = file_system());
  // Reads the segment from another source.
  explicit SegmentSource(std::unique_ptr<session::ByteSource> file);

  std::size_t read(std::span<std::uint8_t> into) override;
  bool seek(std::uint64_t offset) override;
  // Returns the size of the segment. For a packed file this is the size that its first bytes state.
  // If the blocks that fit into the file cannot hold so much, it is the most that they can hold.
  std::uint64_t size() const override { return packed_ ? size_ : file_->size(); }
  Status status() const override { return file_->status(); }

  // Returns true if the file is packed.
  bool is_packed() const { return packed_; }

 private:
  // Reads the next block into `block_`. Returns false if there is no valid next block.
  bool next_block();
  // Fills `block_places_`, which seek() needs.
  void survey();

  std::unique_ptr<session::ByteSource> file_;
  bool packed_ = false;
  std::uint64_t size_ = 0;
  std::uint64_t next_offset_ = 0;           // offset of the next block in the segment
  std::uint64_t place_ = 0;                 // offset of the next block in the file
  std::vector<std::uint8_t> block_;         // the current block, unpacked
  std::size_t given_ = 0;                   // bytes of `block_` that read() has returned
  std::vector<std::uint8_t> packed_bytes_;  // reused buffer
  // offset of each block in the file; empty before seek()
  std::vector<std::uint64_t> block_places_;
};

}  // namespace orrery::host
