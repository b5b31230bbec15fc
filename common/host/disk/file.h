// Reads files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/session/byte_source.h"

namespace orrery::host {

// A file or pipe that is open for reading.
class FileSource final : public session::ByteSource {
 public:
  // Opens a regular file, an unnamed pipe or /dev/null. Refuses directories, devices and named
  // pipes, so that opening never waits. An Error starts with the path.
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  // Fills `into` from the front. Returns the number of bytes, which is less than the size of `into`
  // only at the end of the file or after an error.
  std::size_t read(std::span<std::uint8_t> into) override;
  // Continues reading at `offset`. Returns false, and changes nothing, if the file is a pipe or is
  // shorter.
  bool seek(std::uint64_t offset) override;

  // Appends to `bytes` until it holds `bytes_max` bytes or the file ends. Returns status().
  Status read_up_to(std::size_t bytes_max, std::vector<std::uint8_t>& bytes);

  // Returns the size of the file in bytes when it was opened, or 0 if it is unknown (a pipe).
  std::uint64_t size() const override { return size_; }

  // Returns the first error of reading, if any. It starts with the path.
  Status status() const override;

 private:
  FileSource(int descriptor, std::string path, std::uint64_t size);

  const int descriptor_;
  const std::string path_;
  const std::uint64_t size_;
  int error_number_ = 0;
};

}  // namespace orrery::host
