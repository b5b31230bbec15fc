// Opens the segments of one log, and decides whether one continues another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/codec/log_codec.h"
#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/session/byte_source.h"
#include "common/session/record_stream.h"

namespace orrery::session {

// Maximum number of consecutive missing segments that is still detected as a gap.
inline constexpr std::uint32_t kSegmentsMissingMax = 64;

// Opens segment `number` (0, 1, ...) of a log. Returns a null pointer if it does not exist, and an
// Error if it cannot be opened.
using OpenSegment = std::function<Result<std::unique_ptr<ByteSource>>(std::uint32_t number)>;

// A position between two records. `tick` is the last tick before it.
struct LogPosition {
  std::uint32_t segment = 0;
  std::uint64_t offset = 0;    // bytes from the start of the segment
  std::uint64_t checksum = 0;  // of the preceding record
  Tick tick;
};

// The reason of a tail that has too many bytes to be searched for records.
inline constexpr const char* kTooLongToSearch = "the rest is too long to be searched";

// A later segment, ready to be read. Its header is valid. It begins with a valid checkpoint, unless
// it continues after a disk error.
struct LaterSegment {
  std::uint32_t number = 0;
  std::unique_ptr<ByteSource> source;
  RecordStream stream;  // positioned after the header
  codec::LogHeader header;
};

// The result of a search for the next segment.
struct NextSegment {
  std::optional<LaterSegment> found;
  std::string reason;  // why the log cannot be read further: a missing or damaged segment; or empty
  std::optional<Error> unreadable;  // the error of a segment that cannot be read
  std::uint64_t lost_bytes = 0;     // in segments whose writer crashed at their start
};

// The segments of one log. A removed segment has one record in place of all others.
class SegmentChain {
 public:
  // Without `open_segment`, open() finds no segment.
  explicit SegmentChain(OpenSegment open_segment) : open_segment_(std::move(open_segment)) {}

  // Sets the header of segment 0, whose scene is not needed. Call it before abandoned_after() and
  // misfit(). REQUIRES: header.segment is 0.
  void set_first(codec::LogHeader header);

  // Opens a segment. Returns a null pointer if it does not exist.
  Result<std::unique_ptr<ByteSource>> open(std::uint32_t number) const;

  // Returns the checksum of the record after which the writer abandoned a segment, for example
  // because the disk failed. The next segment continues after that record, and the rest of this one
  // is ignored. Returns nothing if the segment was not abandoned, and an Error if the next one
  // cannot be read.
  Result<std::optional<std::uint64_t>> abandoned_after(std::uint32_t segment) const;

  // Opens the segment after `end`, the last position that was read. Skips segments whose writer
  // crashed at the start. Finds nothing if there is no later segment.
  // REQUIRES: `end` follows at least one record, the header.
  NextSegment find_next(const LogPosition& end) const;

  // Returns why this segment does not continue the log from `end`, or an empty text if it does.
  // `damaged`: valid records follow `end` in its segment.
  // REQUIRES: next.number > end.segment; next.source is not null.
  std::string misfit(const LaterSegment& next, const LogPosition& end, bool damaged) const;

 private:
  OpenSegment open_segment_;
  codec::LogHeader first_;  // header of segment 0, without the scene
};

}  // namespace orrery::session
