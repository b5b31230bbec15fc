// Writes session logs to memory and reads them again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/session/byte_source.h"
#include "common/session/log_reader.h"
#include "common/session/writer/log_writer.h"
#include "common/session/writer/segment_writer.h"
#include "common/world/image/image.h"

namespace orrery::test {

// A log of one segment in memory.
struct MemorySink final : session::RecordSink {
  bool begin(const codec::LogHeader& header, const session::LogRecord* checkpoint) override {
    if (!full) segment.start(header, bytes);
    return !full && (!checkpoint || append(*checkpoint));
  }
  bool append(const session::LogRecord& record) override {
    if (!full) segment.append(record, bytes);
    return !full;
  }

  bool full = false;  // true: refuses all records
  std::vector<std::uint8_t> bytes;
  session::SegmentWriter segment;
};

// Appends a checkpoint of the state after the last tick.
inline void append_checkpoint(const World& world, session::RecordSink& sink) {
  std::vector<std::uint8_t> payload;
  std::vector<std::uint8_t> image;
  session::encode_checkpoint(world.tick(), world.hash(), payload);
  save_image(world, image);
  sink.append({session::RecordType::checkpoint, world.tick(), payload, image});
}

// Passes the header, if there is one, and the records of a batch to a sink. REQUIRES: the header is
// of segment 0.
inline void pass_on(const session::RecordBatch& batch, session::RecordSink& sink) {
  ORRERY_ASSERT(!batch.header() || batch.header()->segment == 0);
  if (batch.header()) sink.begin(*batch.header(), nullptr);
  batch.for_each([&sink](const session::LogRecord& record) { sink.append(record); });
}

// Returns a batch for each record of a log of one segment, except its index. The first batch has
// the header and no records. REQUIRES: `log` starts with a preamble.
inline std::vector<session::RecordBatch> single_records(Bytes log) {
  std::vector<session::RecordBatch> batches;
  Tick tick;
  for (Bytes rest = log.subspan(session::kPreambleBytes); !rest.empty();) {
    const session::RecordFrame frame = session::read_frame(rest).value();
    const Bytes payload = rest.subspan(frame.payload_offset, frame.payload_size);
    rest = rest.subspan(frame.size());
    if (frame.type == session::RecordType::index) continue;
    if (is_tick(frame.type)) ++tick.value;
    session::RecordBatch& batch = batches.emplace_back();
    if (frame.type == session::RecordType::header) {
      batch.begin(codec::decode_log_header(payload).value(), nullptr);
    } else {
      batch.append({frame.type, tick, payload});
    }
  }
  return batches;
}

// A byte source of a log in memory. REQUIRES: the bytes outlive it.
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

// Returns a function that opens a log of one segment. REQUIRES: the bytes outlive the sources.
inline session::OpenSegment opener(Bytes log) {
  return [log](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    if (number > 0) return std::unique_ptr<session::ByteSource>();
    return std::unique_ptr<session::ByteSource>(std::make_unique<MemorySource>(log));
  };
}

// Opens a valid log of one segment. REQUIRES: the bytes outlive it.
inline session::OpenedLog opened(Bytes log) {
  return std::move(session::open_log(opener(log)).value());
}

// A log of several segments in memory.
struct MemorySegments final : session::RecordSink {
  bool begin(const codec::LogHeader& header, const session::LogRecord* checkpoint) override {
    segment.start(header, segments.back());
    return !checkpoint || append(*checkpoint);
  }
  bool append(const session::LogRecord& record) override {
    segment.append(record, segments.back());
    return true;
  }

  // Returns a function that opens the segments. REQUIRES: the segments outlive the sources.
  session::OpenSegment opener() const {
    return [this](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
      if (number >= segments.size()) return std::unique_ptr<session::ByteSource>();
      return std::unique_ptr<session::ByteSource>(std::make_unique<MemorySource>(segments[number]));
    };
  }

  std::vector<std::vector<std::uint8_t>> segments{1};
  session::SegmentWriter segment;  // writer of the last segment
};

// Ends the segment of a session with an index and continues in the next one, as SegmentedLog does.
// `build` is the name of another build that continues the session, or null.
inline void begin_segment(const World& world, MemorySegments& segments,
                          std::optional<session::SessionLog>& log, const char* build = nullptr) {
  segments.segment.append_index(segments.segments.back());
  codec::LogHeader header = log->header();
  ++header.segment;
  header.after_tick = world.tick();
  header.after_checksum = segments.segment.checksum();
  if (build) header.build = build;
  segments.segments.emplace_back();
  log.emplace(segments, header, world);
}

}  // namespace orrery::test
