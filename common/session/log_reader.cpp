// Reads a session log across its segments, and classifies its end: closed, torn or damaged.
#include "common/session/log_reader.h"

#include <algorithm>

#include "common/session/segment_start.h"

namespace orrery::session {
namespace {

constexpr const char* kTooLong = "what comes then is too long to be searched";

std::string name_of(std::uint32_t segment) { return "segment " + std::to_string(segment); }

// Names the missing segments from `first` on. Returns an empty text if none of the next
// kSegmentsMissingMax segments exists, because then the log just ends.
Result<std::string> missing_segments(const OpenSegment& open_segment, std::uint32_t first) {
  ORRERY_ASSERT(first > 0);
  for (std::uint32_t last = first; last < first + kSegmentsMissingMax; ++last) {
    const Result<std::unique_ptr<ByteSource>> next = open_segment(last + 1);
    if (!next) return next.error();
    if (!next.value()) continue;
    if (last == first) return name_of(first) + " is missing";
    return "segments " + std::to_string(first) + " to " + std::to_string(last) + " are missing";
  }
  return std::string();
}

}  // namespace

LogReader::LogReader(ByteSource& source, OpenSegment open_segment)
    : first_source_(source), open_segment_(std::move(open_segment)), stream_(source) {}

Result<codec::LogHeader> LogReader::read_header() {
  ORRERY_ASSERT(stream_.offset() == 0 && !ended_);
  ended_ = true;  // reset by start()
  const Result<std::uint32_t> preamble = read_preamble(stream_);
  if (!preamble && failed(stream_.status())) return *tail_.unreadable;
  if (!preamble) return preamble.error();
  format_ = preamble.value();
  Result<codec::LogHeader> header = read_header_record(stream_);
  tail_.complete_bytes = tail_.segment_bytes = stream_.offset();
  if (!header && !stream_.front()) {
    const RecordStream::Rest rest = stream_.read_rest();
    if (failed(stream_.status())) return *tail_.unreadable;
    tail_.lost_bytes = rest.bytes;
    tail_.damaged = rest.valid_record;
    if (rest.valid_record) return Error{"is damaged in its header, with valid records behind it"};
  }
  if (!header) return header;
  if (header.value().segment != 0) {
    return Error{"is " + name_of(header.value().segment) + " of a session log; name the first"};
  }
  first_ = header.value();
  first_.scene.clear();
  builds_ = {{Tick{}, first_.build}};
  start(0, Tick{}, false);
  return header;
}

const std::string& LogReader::build_of(Tick tick) const {
  ORRERY_ASSERT(!builds_.empty());
  std::size_t at = builds_.size() - 1;
  while (builds_[at].from > tick) --at;  // the first build starts at tick 0
  return builds_[at].build;
}

bool LogReader::next(TickRecord& record) {
  Checkpoint passed;
  for (;;) {
    const std::optional<RecordType> type = next(record, passed);
    if (!type || is_tick(*type)) return type.has_value();
  }
}

std::optional<RecordType> LogReader::next(TickRecord& record, Checkpoint& checkpoint) {
  for (;;) {
    const std::optional<RecordType> type = next_record(record, checkpoint);
    if (type != RecordType::seal) return type;
  }
}

std::optional<RecordType> LogReader::next_record(TickRecord& record, Checkpoint& checkpoint) {
  ORRERY_ASSERT(ended_ || !builds_.empty());  // read_header() comes first
  while (!ended_) {
    const std::optional<RecordFrame> frame = stream_.front();
    if (!frame || is_given_up_here()) {
      end_segment();
      continue;
    }
    if (!decode(*frame, record, checkpoint)) {
      ended_ = true;
      tail_.damaged = true;
      tail_.lost_bytes += stream_.read_rest().bytes;
      return {};
    }
    accept(*frame);
    if (frame->type == RecordType::end) {
      tail_.closed = true;
      read_seal();
      end_segment();
    } else if (frame->type != RecordType::index) {
      return frame->type;
    }
  }
  return {};
}

bool LogReader::decode(const RecordFrame& frame, TickRecord& record, Checkpoint& checkpoint) {
  ORRERY_ASSERT(!ended_);
  const Bytes payload = stream_.payload(frame);
  switch (frame.type) {
    case RecordType::header:
      return false;
    case RecordType::seal:
      return decode_seal(payload).has_value();
    case RecordType::old_tick:
    case RecordType::tick:
      if (gap_ || tail_.tick.value == ~std::uint64_t{0}) return false;
      if (!decode_tick(payload, record, frame.type)) return false;
      record.tick.value = ++tail_.tick.value;
      return true;
    case RecordType::checkpoint: {
      const std::optional<Checkpoint> read = decode_checkpoint(payload);
      if (!read || read->tick != tail_.tick) return false;
      checkpoint = *read;
      checkpoint.after_gap = gap_;
      gap_ = false;
      last_checkpoint_ = {tail_.segment, {read->tick, stream_.offset()}};
      add_to_index(places_, last_checkpoint_->place);
      return true;
    }
    case RecordType::index:
      return decode_index(payload, index_) && lists_what_was_read(index_);
    case RecordType::end:
      return decode_end(payload) == tail_.tick;
  }
  return false;
}

void LogReader::accept(const RecordFrame& frame) {
  ORRERY_ASSERT(!ended_);
  stream_.accept(frame);
  tail_.complete_bytes += frame.size();
  tail_.segment_bytes = stream_.offset();
}

void LogReader::read_seal() {
  ORRERY_ASSERT(tail_.closed);
  const std::optional<RecordFrame> frame = stream_.front();
  if (!frame || frame->type != RecordType::seal) return;
  tail_.seal = decode_seal(stream_.payload(*frame));
  if (tail_.seal) accept(*frame);
}

void LogReader::end_segment() {
  ORRERY_ASSERT(!ended_);
  // If the writer abandoned this segment here, the next one continues from this point, perhaps
  // after lost ticks. The disk may have lost any later record of this segment, so they are all
  // ignored.
  const bool given_up = is_given_up_here();
  if (given_up) tail_.abandoned_bytes += stream_.bytes_ahead();
  const RecordStream::Rest rest = given_up ? RecordStream::Rest{} : stream_.read_rest();
  if (!given_up && failed(stream_.status())) return;
  tail_.lost_bytes += rest.bytes;
  std::optional<Segment> next = find_next_segment();
  if (next) tail_.reason = misfit(next->header, next->number, rest.valid_record);
  // The session continued from here in the next segment. Even valid records in the rest of this
  // segment do not belong to the session.
  if (next && tail_.reason.empty()) {
    enter(std::move(*next));
    return;
  }
  ended_ = true;
  if (tail_.reason.empty() && rest.too_long) tail_.reason = kTooLong;
  // A barrier after the valid prefix shows damage (see is_barrier()). Logs of format 1 have no
  // checkpoints, and so hardly any barriers. In these logs, any valid record after the prefix
  // counts as a barrier.
  const bool was_on_disk =
      rest.barrier || (format_ == 1 && tail_.segment == 0 && rest.valid_record);
  tail_.damaged = !tail_.unreadable && (was_on_disk || !tail_.reason.empty());
}

bool LogReader::failed(const Status& read) {
  if (read) return false;
  tail_.unreadable = read.error();
  ended_ = true;
  return true;
}

bool LogReader::lists_what_was_read(const std::vector<CheckpointEntry>& places) const {
  const auto equal = [](const CheckpointEntry& a, const CheckpointEntry& b) {
    return a.tick == b.tick && a.offset == b.offset;
  };
  return !from_start_ ||
         std::equal(places.begin(), places.end(), places_.begin(), places_.end(), equal);
}

Result<std::optional<std::uint64_t>> LogReader::abandoned_after(std::uint32_t segment) const {
  std::optional<std::uint64_t> none;
  if (!open_segment_) return none;
  const Result<std::unique_ptr<ByteSource>> source = open_segment_(segment + 1);
  if (!source) return source.error();
  if (!source.value()) return none;
  RecordStream stream(*source.value());
  const Result<codec::LogHeader> header = read_start(stream);
  if (Status read = stream.status(); !header && !read) return read.error();
  const bool gives_up =
      header && header.value().after_loss && header.value().session == first_.session;
  return gives_up ? std::optional(header.value().after_checksum) : none;
}

std::optional<LogReader::Segment> LogReader::find_next_segment() {
  ORRERY_ASSERT(!ended_);
  for (std::uint32_t number = tail_.segment + 1; open_segment_; ++number) {
    Result<std::unique_ptr<ByteSource>> source = open_segment_(number);
    if (!source) {
      failed(source.error());
      return {};
    }
    if (!source.value()) {
      const Result<std::string> missing = missing_segments(open_segment_, number);
      if (missing) tail_.reason = missing.value();
      if (!missing) failed(missing.error());
      return {};
    }
    RecordStream stream(*source.value());
    const Result<codec::LogHeader> header = read_start(stream);
    if (header && (needs_no_checkpoint(header.value()) ||
                   begins_with_checkpoint(stream, header.value().after_tick))) {
      return Segment{number, std::move(source.value()), std::move(stream), header.value()};
    }
    // The header or the first checkpoint of this segment is incomplete. If no valid records follow,
    // its writer crashed at the start: skip the segment.
    const std::uint64_t begun = stream.offset();
    const RecordStream::Rest rest = stream.read_rest();
    if (failed(stream.status())) return {};
    if (rest.valid_record || rest.too_long) {
      tail_.reason =
          name_of(number) + " is damaged at its start" +
          (rest.valid_record ? ", with valid records behind it" : std::string("; ") + kTooLong);
      return {};
    }
    tail_.lost_bytes += begun + rest.bytes;
  }
  return {};
}

bool LogReader::needs_no_checkpoint(const codec::LogHeader& header) const {
  return header.after_loss &&
         (header.after_tick <= tail_.tick || header.after_checksum != stream_.chain());
}

std::string LogReader::misfit(const codec::LogHeader& header, std::uint32_t number,
                              bool damaged) const {
  ORRERY_ASSERT(number > tail_.segment);
  const std::string name = name_of(number);
  if (!of_one_session(header, first_)) {
    return name + " is of another session";
  }
  if (header.segment != number) return name + " says that it is " + name_of(header.segment);
  if (header.rules != first_.rules) {
    return name + " was recorded under rules " + std::to_string(header.rules) +
           ", the first under rules " + std::to_string(first_.rules);
  }
  const Tick tick = tail_.tick;
  const bool without_gap = header.after_tick == tick;
  const bool with_gap = header.after_loss && header.after_tick > tick;
  if (header.after_checksum == stream_.chain() && (without_gap || with_gap)) return {};
  const std::string last = std::to_string(tick.value);
  if (damaged) return name_of(tail_.segment) + " is damaged behind tick " + last;
  if (header.after_tick > tick) {
    return "ticks " + std::to_string(tick.value + 1) + " to " +
           std::to_string(header.after_tick.value) + " are missing before " + name;
  }
  return name + " does not go on from tick " + last;
}

bool LogReader::go_to(const CheckpointLocation& at) {
  ORRERY_ASSERT(tail_.complete_bytes > 0);
  if (!open_segment_) return false;
  Result<std::unique_ptr<ByteSource>> source = open_segment_(at.segment);
  if (!source || !source.value()) return false;
  RecordStream stream(*source.value());
  if (!stream.seek(at.place.offset) || !begins_with_checkpoint(stream, at.place.tick)) return false;
  const Result<std::optional<std::uint64_t>> behind = abandoned_after(at.segment);
  if (!behind || behind.value() == stream.chain()) return false;  // abandoned just before
  resume(std::move(source.value()), std::move(stream), at.segment, at.place.tick, true);
  return true;
}

LogPosition LogReader::place() const {
  return {tail_.segment, stream_.offset(), stream_.chain(), tail_.tick};
}

bool LogReader::go_to(const LogPosition& place) {
  ORRERY_ASSERT(tail_.complete_bytes > 0);
  if (!open_segment_) return false;
  Result<std::unique_ptr<ByteSource>> source = open_segment_(place.segment);
  if (!source || !source.value()) return false;
  RecordStream stream(*source.value());
  if (!stream.seek(place.offset) || stream.chain() != place.checksum) return false;
  resume(std::move(source.value()), std::move(stream), place.segment, place.tick, false);
  return true;
}

void LogReader::resume(std::unique_ptr<ByteSource> source, RecordStream stream,
                       std::uint32_t segment, Tick tick, bool gap) {
  ORRERY_ASSERT(source && !builds_.empty());
  stream_ = std::move(stream);
  source_ = std::move(source);
  tail_ = {};
  tail_.complete_bytes = stream_.offset();
  start(segment, tick, gap);
  from_start_ = false;
}

bool LogReader::go_to_start() {
  ORRERY_ASSERT(tail_.complete_bytes > 0);
  RecordStream stream(first_source_);
  ended_ = true;
  if (!first_source_.seek(0) || !read_start(stream)) {
    failed(first_source_.status());
    return false;
  }
  stream_ = std::move(stream);
  source_.reset();
  builds_.resize(1);
  tail_ = {};
  tail_.complete_bytes = stream_.offset();
  start(0, Tick{}, false);
  return true;
}

void LogReader::enter(Segment segment) {
  const Tick tick = segment.header.after_tick;
  ORRERY_ASSERT(tick >= tail_.tick && segment.number > tail_.segment);
  ORRERY_ASSERT(segment.source && !builds_.empty());
  const std::uint64_t lost_ticks = tick.value - tail_.tick.value;
  stream_ = std::move(segment.stream);
  source_ = std::move(segment.source);
  tail_.closed = false;
  tail_.seal.reset();
  tail_.lost_ticks += lost_ticks;
  tail_.complete_bytes += stream_.offset();
  const Tick from{tick.value + 1};
  // A build that recorded no tick is left out.
  if (builds_.size() > 1 && from == builds_.back().from) builds_.pop_back();
  if (from > builds_.back().from && segment.header.build != builds_.back().build) {
    builds_.push_back({from, segment.header.build});
  }
  start(segment.number, tick, gap_ || lost_ticks > 0);
}

void LogReader::start(std::uint32_t segment, Tick tick, bool gap) {
  ORRERY_ASSERT(stream_.offset() > kPreambleBytes);
  tail_.tick = tick;
  tail_.segment = segment;
  tail_.segment_bytes = stream_.offset();
  ended_ = false;
  gap_ = gap;
  places_.clear();
  from_start_ = true;
  const Result<std::optional<std::uint64_t>> behind = abandoned_after(segment);
  if (!behind) failed(behind.error());
  if (behind) given_up_behind_ = behind.value();
}

}  // namespace orrery::session
