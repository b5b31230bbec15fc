// Owns the reading of files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/core/result.h"
#include "common/session/byte_sink.h"

namespace orrery {

// Reads a file front to back.
class FileSource final : public ByteSource {
 public:
  // What is no directory, device or named pipe: never waits. An Error starts with the path.
  static Result<std::unique_ptr<FileSource>> open(const std::string& path);
  ~FileSource() override;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(std::span<std::uint8_t> into) override;
  bool seek(std::uint64_t offset) override;

  // Reads on until `bytes` holds `bytes_max`, or the file ends.
  Status read_up_to(std::size_t bytes_max, std::vector<std::uint8_t>& bytes);

  // How many bytes the file has, or 0 if that is not known (a pipe).
  std::uint64_t size() const override { return size_; }

  // Starts with the path.
  Status status() const override;

 private:
  FileSource(int descriptor, std::string path, std::uint64_t size);

  const int descriptor_;
  const std::string path_;
  const std::uint64_t size_;
  int error_number_ = 0;
};

}  // namespace orrery
