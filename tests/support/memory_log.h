// Owns session logs in memory: what is appended, and reading it again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/session/byte_sink.h"

namespace orrery::test {

struct MemorySink final : ByteSink {
  bool append(Bytes more) override {
    if (!full) bytes.insert(bytes.end(), more.begin(), more.end());
    return !full;
  }

  bool full = false;  // takes nothing more
  std::vector<std::uint8_t> bytes;
};

// Reads bytes that outlive it.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size());
    std::copy_n(bytes_.begin(), count, into.begin());
    bytes_ = bytes_.subspan(count);
    return count;
  }

 private:
  Bytes bytes_;
};

}  // namespace orrery::test
