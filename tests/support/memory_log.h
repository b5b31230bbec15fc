// Keeps session logs in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/session/byte_sink.h"
#include "common/session/log_reader.h"
#include "common/session/log_writer.h"

namespace orrery::test {

// A log that is appended to memory.
struct MemorySink final : session::ByteSink {
  bool append(Bytes more) override {
    if (!full) bytes.insert(bytes.end(), more.begin(), more.end());
    return !full;
  }

  bool full = false;  // makes every further append fail
  std::vector<std::uint8_t> bytes;
};

// A source of bytes in memory. REQUIRES: the bytes outlive it.
class MemorySource final : public session::ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : bytes_(bytes) {}

  std::size_t read(std::span<std::uint8_t> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, into.begin());
    at_ += count;
    return count;
  }

  bool seek(std::uint64_t offset) override {
    if (offset > bytes_.size()) return false;
    at_ = static_cast<std::size_t>(offset);
    return true;
  }

  std::uint64_t size() const override { return bytes_.size(); }

 private:
  Bytes bytes_;
  std::size_t at_ = 0;
};

// A log of one segment with its header already read. REQUIRES: the bytes outlive it.
struct OpenLog {
  explicit OpenLog(Bytes bytes) : source(bytes), reader(source) {
    header = reader.read_header().value();
  }
  MemorySource source;
  session::LogReader reader;
  codec::LogHeader header;
};

// A log of several segments in memory.
struct MemorySegments final : session::ByteSink {
  bool append(Bytes more) override {
    segments.back().insert(segments.back().end(), more.begin(), more.end());
    return true;
  }

  // Returns a function that opens a segment by number. REQUIRES: this object outlives the opened
  // sources.
  session::OpenSegment opener() const {
    return [this](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
      if (number >= segments.size()) return std::unique_ptr<session::ByteSource>();
      return std::unique_ptr<session::ByteSource>(std::make_unique<MemorySource>(segments[number]));
    };
  }

  std::vector<std::vector<std::uint8_t>> segments{1};
};

// Ends the current segment with an index and continues in a new one, as SegmentWriter does. `build`
// is the name of the build that continues, if it is a different one.
inline void begin_segment(const World& world, MemorySegments& segments,
                          std::optional<session::SessionLog>& log, const char* build = nullptr) {
  constexpr std::size_t kEndBytes = 18;
  log->close();
  std::vector<std::uint8_t>& before = segments.segments.back();
  before.resize(before.size() - kEndBytes);
  codec::LogHeader header = log->header();
  ++header.segment;
  header.after_tick = world.tick;
  header.after_checksum = ByteReader(Bytes(before).last(session::kChecksumBytes)).u64();
  if (build) header.build = build;
  segments.segments.emplace_back();
  log.emplace(segments, header, world);
}

}  // namespace orrery::test
