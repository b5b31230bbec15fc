// Opens the segments of one log, and decides whether one continues another.
#include "common/session/segment_chain.h"

#include <limits>
#include <utility>

#include "common/session/segment_start.h"

namespace orrery::session {
namespace {

std::string name_of(std::uint32_t segment) { return "segment " + std::to_string(segment); }

// Names the missing segments from `first` on. Returns an empty text if none of the next
// kSegmentsMissingMax segments exists, because then the log just ends.
Result<std::string> missing_segments(const SegmentChain& segments, std::uint32_t first) {
  ORRERY_ASSERT(first > 0);
  for (std::uint32_t last = first; last < first + kSegmentsMissingMax; ++last) {
    const Result<std::unique_ptr<ByteSource>> next = segments.open(last + 1);
    if (!next) return next.error();
    if (!next.value()) continue;
    if (last == first) return name_of(first) + " is missing";
    return "segments " + std::to_string(first) + " to " + std::to_string(last) + " are missing";
  }
  return std::string();
}

// Returns true if the segment with this header continues after a disk error and may begin with a
// tick, because no ticks were lost. Also returns true if it continues after a disk error but not
// from `end`: misfit() then reports that.
bool needs_no_checkpoint(const codec::LogHeader& header, const LogPosition& end) {
  return header.after_loss &&
         (header.after_tick <= end.tick || header.after_checksum != end.checksum);
}

}  // namespace

void SegmentChain::set_first(codec::LogHeader header) {
  ORRERY_ASSERT(header.segment == 0);
  first_ = std::move(header);
  first_.scene.clear();
}

Result<std::unique_ptr<ByteSource>> SegmentChain::open(std::uint32_t number) const {
  if (!open_segment_) return std::unique_ptr<ByteSource>();
  return open_segment_(number);
}

Result<std::optional<std::uint64_t>> SegmentChain::abandoned_after(std::uint32_t segment) const {
  ORRERY_ASSERT(segment < std::numeric_limits<std::uint32_t>::max());
  std::optional<std::uint64_t> none;
  const Result<std::unique_ptr<ByteSource>> source = open(segment + 1);
  if (!source) return source.error();
  if (!source.value()) return none;
  RecordStream stream(*source.value());
  const Result<codec::LogHeader> header = read_start(stream);
  if (Status read = stream.status(); !header && !read) return read.error();
  const bool abandoned =
      header && header.value().after_loss && header.value().session == first_.session;
  return abandoned ? std::optional(header.value().after_checksum) : none;
}

NextSegment SegmentChain::find_next(const LogPosition& end) const {
  ORRERY_ASSERT(end.offset > 0);
  NextSegment next;
  for (std::uint32_t number = end.segment + 1;; ++number) {
    Result<std::unique_ptr<ByteSource>> source = open(number);
    if (!source) {
      next.unreadable = source.error();
      return next;
    }
    if (!source.value()) {
      const Result<std::string> missing = missing_segments(*this, number);
      if (missing) next.reason = missing.value();
      if (!missing) next.unreadable = missing.error();
      return next;
    }
    RecordStream stream(*source.value());
    const Result<codec::LogHeader> header = read_start(stream);
    if (header && (needs_no_checkpoint(header.value(), end) ||
                   begins_with_checkpoint(stream, header.value().after_tick) ||
                   begins_with_removal(stream))) {
      next.found =
          LaterSegment{number, std::move(source.value()), std::move(stream), header.value()};
      return next;
    }
    // The header or the first checkpoint of this segment is incomplete. If no valid records follow,
    // its writer crashed at the start: skip the segment.
    const std::uint64_t begun = stream.offset();
    const RecordStream::Rest rest = stream.read_rest();
    if (Status read = stream.status(); !read) {
      next.unreadable = read.error();
      return next;
    }
    if (rest.valid_record || rest.too_long) {
      next.reason = name_of(number) + " is damaged at its start" +
                    (rest.valid_record ? ", with valid records after it"
                                       : std::string("; ") + kTooLongToSearch);
      return next;
    }
    next.lost_bytes += begun + rest.bytes;
  }
}

std::string SegmentChain::misfit(const LaterSegment& next, const LogPosition& end,
                                 bool damaged) const {
  ORRERY_ASSERT(next.source && next.number > end.segment);
  const codec::LogHeader& header = next.header;
  const std::string name = name_of(next.number);
  if (!of_one_session(header, first_)) return name + " is of another session";
  if (header.segment != next.number) return name + " says that it is " + name_of(header.segment);
  if (header.rules != first_.rules) {
    return name + " was recorded under rules " + std::to_string(header.rules) +
           ", the first under rules " + std::to_string(first_.rules);
  }
  const Tick tick = end.tick;
  const bool without_gap = header.after_tick == tick;
  const bool with_gap = header.after_loss && header.after_tick > tick;
  if (header.after_checksum == end.checksum && (without_gap || with_gap)) return {};
  const std::string last = std::to_string(tick.value);
  if (damaged) return name_of(end.segment) + " is damaged after tick " + last;
  if (header.after_tick > tick) {
    return "ticks " + std::to_string(tick.value + 1) + " to " +
           std::to_string(header.after_tick.value) + " are missing before " + name;
  }
  return name + " does not continue from tick " + last;
}

}  // namespace orrery::session
