// Reads and writes files that are compressed as one stream with zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/core/bytes.h"
#include "common/session/byte_source.h"

namespace orrery::host {

// The bytes of a file, decompressed if the file starts as zstd files do. Memory is bounded: files
// that need a window above 128 MiB are refused.
class ZstdSource final : public session::ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<session::ByteSource> file);
  ~ZstdSource() override;

  std::size_t read(std::span<std::uint8_t> into) override;
  // Returns the error of the file, or the reason why its bytes are not a zstd stream.
  Status status() const override;
  // Returns true if the file starts as zstd files do.
  bool is_compressed() const { return stream_ != nullptr; }

 private:
  struct Stream;
  bool refill();

  std::unique_ptr<session::ByteSource> file_;
  std::unique_ptr<Stream> stream_;  // nullptr: the file is not compressed
  std::vector<std::uint8_t> input_;
  std::size_t begin_ = 0;  // of the bytes of input_ that are not used yet
  const char* fault_ = nullptr;
};

// Compresses bytes in memory.
class ZstdPacker {
 public:
  ZstdPacker();
  ~ZstdPacker();
  ZstdPacker(const ZstdPacker&) = delete;
  ZstdPacker& operator=(const ZstdPacker&) = delete;

  // Adds bytes to the stream. REQUIRES: finish() was not called.
  void append(Bytes bytes);
  // Ends the stream. REQUIRES: it was not called before.
  void finish();
  // Returns the part of the stream that is ready and was not returned before. After finish(), that
  // is the rest.
  std::vector<std::uint8_t> take() { return std::exchange(packed_, {}); }

 private:
  struct Stream;
  void pack(Bytes bytes, bool ends);

  std::unique_ptr<Stream> stream_;
  std::vector<std::uint8_t> packed_;
};

}  // namespace orrery::host
