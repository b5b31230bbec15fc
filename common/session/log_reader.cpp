// Reads a session log across its segments, and classifies its end: closed, torn or damaged.
#include "common/session/log_reader.h"

#include <utility>

#include "common/session/segment_start.h"

namespace orrery::session {
const std::string& build_of(const std::vector<RecordedBy>& builds, Tick tick) {
  ORRERY_ASSERT(!builds.empty());
  std::size_t at = builds.size() - 1;
  while (builds[at].from > tick) --at;  // the first build starts at tick 0
  return builds[at].build;
}

LogReader::LogReader(ByteSource& source, OpenSegment open_segment)
    : first_source_(source), segments_(std::move(open_segment)), stream_(source) {}

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
    if (rest.valid_record) {
      return Error{"is damaged in its header, with valid records after it", ErrorCode::damaged};
    }
  }
  if (!header) return header;
  if (header.value().segment != 0) {
    return Error{"is segment " + std::to_string(header.value().segment) +
                 " of a session log; name the first"};
  }
  segments_.set_first(header.value());
  builds_ = {{Tick{}, header.value().build}};
  start(0, Tick{}, false);
  if (tail_.unreadable) return *tail_.unreadable;
  return header;
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
    if (!frame || is_abandoned_here()) {
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
    if (frame->type == RecordType::removed) {
      stream_.continue_from(decode_removed(stream_.last_payload())->checksum);
    } else if (frame->type == RecordType::end) {
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
      checkpoints_.add(last_checkpoint_->place);
      return true;
    }
    case RecordType::removed: {
      const std::optional<RemovedRecords> removed = decode_removed(payload);
      if (!removed || tail_.segment == 0 || removed->last < tail_.tick) return false;
      tail_.removed_ticks += removed->last.value - tail_.tick.value;
      tail_.tick = removed->last;
      gap_ = true;
      return true;
    }
    case RecordType::index:
      return checkpoints_.agree_with(payload);
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
  const LogPosition end = place();
  // If the writer abandoned this segment here, the next one continues from this point, perhaps
  // after lost ticks. The disk may have lost any later record of this segment, so they are all
  // ignored.
  const bool abandoned = is_abandoned_here();
  if (abandoned) tail_.abandoned_bytes += stream_.bytes_ahead();
  const RecordStream::Rest rest = abandoned ? RecordStream::Rest{} : stream_.read_rest();
  if (!abandoned && failed(stream_.status())) return;
  tail_.lost_bytes += rest.bytes;
  NextSegment next = segments_.find_next(end);
  tail_.lost_bytes += next.lost_bytes;
  tail_.reason =
      next.found ? segments_.misfit(*next.found, end, rest.valid_record) : std::move(next.reason);
  // The session continued from here in the next segment. Even valid records in the rest of this
  // segment do not belong to the session.
  if (next.found && tail_.reason.empty()) {
    enter(std::move(*next.found));
    return;
  }
  ended_ = true;
  tail_.unreadable = next.unreadable;
  if (tail_.reason.empty() && rest.too_long) tail_.reason = kTooLongToSearch;
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

bool LogReader::go_to(const CheckpointLocation& at) {
  ORRERY_ASSERT(tail_.complete_bytes > 0);
  Result<std::unique_ptr<ByteSource>> source = segments_.open(at.segment);
  if (!source || !source.value()) return false;
  RecordStream stream(*source.value());
  if (!stream.seek(at.place.offset) || !begins_with_checkpoint(stream, at.place.tick)) return false;
  const Result<std::optional<std::uint64_t>> behind = segments_.abandoned_after(at.segment);
  if (!behind || behind.value() == stream.chain()) return false;  // abandoned just before
  resume(std::move(source.value()), std::move(stream), at.segment, at.place.tick, true);
  return true;
}

LogPosition LogReader::place() const {
  return {tail_.segment, stream_.offset(), stream_.chain(), tail_.tick};
}

bool LogReader::go_to(const LogPosition& place) {
  ORRERY_ASSERT(tail_.complete_bytes > 0);
  Result<std::unique_ptr<ByteSource>> source = segments_.open(place.segment);
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
  start(segment, tick, gap, false);
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

void LogReader::enter(LaterSegment segment) {
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

void LogReader::start(std::uint32_t segment, Tick tick, bool gap, bool whole) {
  ORRERY_ASSERT(stream_.offset() > kPreambleBytes);
  tail_.tick = tick;
  tail_.segment = segment;
  tail_.segment_bytes = stream_.offset();
  ended_ = false;
  gap_ = gap;
  checkpoints_.begin(whole);
  const Result<std::optional<std::uint64_t>> behind = segments_.abandoned_after(segment);
  if (!behind) failed(behind.error());
  if (behind) abandoned_after_ = behind.value();
}

Result<OpenedLog> open_log(OpenSegment open_segment) {
  ORRERY_ASSERT(open_segment);
  Result<std::unique_ptr<ByteSource>> source = open_segment(0);
  if (!source) return source.error();
  if (!source.value()) return Error{"is not there"};
  auto reader = std::make_unique<LogReader>(*source.value(), open_segment);
  Result<codec::LogHeader> header = reader->read_header();
  if (!header) return header.error();
  return OpenedLog{std::move(open_segment), std::move(source.value()), std::move(reader),
                   std::move(header.value())};
}

}  // namespace orrery::session
