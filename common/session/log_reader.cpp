// Owns how a log is read over its segments, and how damage is told from a torn tail.
#include "common/session/log_reader.h"

#include <algorithm>

#include "common/session/versions.h"

namespace orrery {
namespace {

Status check_preamble(Bytes bytes) {
  const std::size_t known = std::min(bytes.size(), kLogMagic.size());
  if (bytes.empty()) return Error{"is empty; expected a session log"};
  if (!std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(known),
                  kLogMagic.begin())) {
    return Error{"is not a session log"};
  }
  if (bytes.size() < kPreambleBytes) return Error{"is cut inside its header; nothing to verify"};
  ByteReader in(bytes.subspan(kLogMagic.size()));
  const std::uint32_t version = in.u32();
  if (version >= 1 && version <= kLogFormatVersion) return ok_status();
  return Error{"is a session log of format " + std::to_string(version) +
               "; this build reads formats 1 to " + std::to_string(kLogFormatVersion)};
}

Status read_preamble(RecordStream& stream) {
  return check_preamble(stream.take_preamble(kPreambleBytes));
}

// Reads the header, and moves on past it.
Result<LogHeader> read_header_record(RecordStream& stream) {
  const std::optional<RecordFrame> frame = stream.front();
  if (!frame || frame->type != RecordType::header) {
    return Error{"is cut or damaged inside its header; nothing to verify"};
  }
  Result<LogHeader> header = decode_log_header(stream.payload(*frame));
  if (header) stream.accept(*frame);
  return header;
}

Result<LogHeader> read_start(RecordStream& stream) {
  if (Status preamble = read_preamble(stream); !preamble) return preamble.error();
  return read_header_record(stream);
}

// True if the record at the front is the checkpoint that a later segment begins with.
bool begins_with_checkpoint(RecordStream& stream, Tick tick) {
  const std::optional<RecordFrame> frame = stream.front();
  if (!frame || frame->type != RecordType::checkpoint) return false;
  const std::optional<Checkpoint> checkpoint = decode_checkpoint(stream.payload(*frame));
  return checkpoint && checkpoint->tick == tick;
}

std::string name_of(std::uint32_t segment) { return "segment " + std::to_string(segment); }

}  // namespace

LogReader::LogReader(ByteSource& source, OpenSegment open_segment)
    : first_source_(source), open_segment_(std::move(open_segment)), stream_(source) {}

Result<LogHeader> LogReader::read_header() {
  ORRERY_ASSERT(stream_.offset() == 0 && !ended_);
  ended_ = true;  // until the header is read
  const Status preamble = read_preamble(stream_);
  if (!preamble && failed(stream_.status())) return *tail_.unreadable;
  if (!preamble) return preamble.error();
  Result<LogHeader> header = read_header_record(stream_);
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
  ended_ = false;
  first_ = header.value();
  first_.scene.clear();
  look_ahead();
  return header;
}

bool LogReader::next(TickRecord& record) {
  Checkpoint passed;
  for (;;) {
    const std::optional<RecordType> type = next(record, passed);
    if (!type || *type == RecordType::tick) return type.has_value();
  }
}

std::optional<RecordType> LogReader::next(TickRecord& record, Checkpoint& checkpoint) {
  while (!ended_) {
    const std::optional<RecordFrame> frame = stream_.front();
    if (!frame || continued_behind_ == stream_.chain()) {
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
    if (frame->type == RecordType::tick || frame->type == RecordType::checkpoint) {
      return frame->type;
    }
    if (frame->type == RecordType::end) {
      tail_.closed = true;
      read_seal();
      end_segment();
    }
  }
  return {};
}

bool LogReader::decode(const RecordFrame& frame, TickRecord& record, Checkpoint& checkpoint) {
  const Bytes payload = stream_.payload(frame);
  switch (frame.type) {
    case RecordType::header:
    case RecordType::seal:
      return false;
    case RecordType::tick:
      if (!decode_tick(payload, record)) return false;
      record.tick.value = ++tick_.value;
      return true;
    case RecordType::checkpoint: {
      const std::optional<Checkpoint> read = decode_checkpoint(payload);
      if (!read || read->tick != tick_) return false;
      checkpoint = *read;
      checkpoint.after_gap = gap_;
      gap_ = false;
      return true;
    }
    case RecordType::index:
      return decode_index(payload, index_);
    case RecordType::end:
      return decode_end(payload) == tick_;
  }
  return false;
}

void LogReader::accept(const RecordFrame& frame) {
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
  // What lies behind the record that the next segment goes on from was written again, to that.
  const bool continued = continued_behind_ == stream_.chain();
  const RecordStream::Rest rest = continued ? RecordStream::Rest{} : stream_.read_rest();
  if (!continued && failed(stream_.status())) return;
  tail_.lost_bytes += rest.bytes;
  std::optional<Segment> next = find_next_segment();
  if (next) tail_.reason = misfit(next->header, next->number, rest.valid_record);
  if (next && tail_.reason.empty()) {
    enter(std::move(*next));
    return;
  }
  ended_ = true;
  tail_.damaged = !tail_.unreadable && (rest.valid_record || !tail_.reason.empty());
}

bool LogReader::failed(const Status& read) {
  if (read) return false;
  tail_.unreadable = read.error();
  ended_ = true;
  return true;
}

void LogReader::look_ahead() {
  ORRERY_ASSERT(!ended_);
  continued_behind_.reset();
  if (!open_segment_) return;
  const Result<std::unique_ptr<ByteSource>> source = open_segment_(tail_.segment + 1);
  if (!source) failed(source.error());
  if (!source || !source.value()) return;
  RecordStream stream(*source.value());
  const Result<LogHeader> header = read_start(stream);
  if (!header) failed(stream.status());
  if (header && header.value().after_loss && header.value().session == first_.session) {
    continued_behind_ = header.value().after_checksum;
  }
}

std::optional<LogReader::Segment> LogReader::find_next_segment() {
  for (std::uint32_t number = tail_.segment + 1; open_segment_; ++number) {
    Result<std::unique_ptr<ByteSource>> source = open_segment_(number);
    if (!source) {
      failed(source.error());
      return {};
    }
    if (!source.value()) {
      const Result<std::unique_ptr<ByteSource>> one_more = open_segment_(number + 1);
      if (!one_more) failed(one_more.error());
      if (one_more && one_more.value()) tail_.reason = name_of(number) + " is missing";
      return {};
    }
    RecordStream stream(*source.value());
    const Result<LogHeader> header = read_start(stream);
    if (header && ((header.value().after_loss && header.value().after_tick == tick_) ||
                   begins_with_checkpoint(stream, header.value().after_tick))) {
      return Segment{number, std::move(source.value()), std::move(stream), header.value()};
    }
    // A segment that was only begun, unless there is more in it.
    const std::uint64_t begun = stream.offset();
    const RecordStream::Rest rest = stream.read_rest();
    if (failed(stream.status())) return {};
    if (rest.valid_record) {
      tail_.reason = name_of(number) + " is damaged at its start, with valid records behind it";
      return {};
    }
    tail_.lost_bytes += begun + rest.bytes;
  }
  return {};
}

std::string LogReader::misfit(const LogHeader& header, std::uint32_t number, bool damaged) const {
  const std::string name = name_of(number);
  if (header.session != first_.session || header.initial_hash != first_.initial_hash) {
    return name + " is of another session";
  }
  if (header.segment != number) return name + " says that it is " + name_of(header.segment);
  if (header.rules != first_.rules) {
    return name + " was recorded under rules " + std::to_string(header.rules) +
           ", the first under rules " + std::to_string(first_.rules);
  }
  if (header.after_tick == tick_ && header.after_checksum == stream_.chain()) return {};
  if (header.after_loss && header.after_tick >= tick_) return {};
  const std::string last = std::to_string(tick_.value);
  if (damaged) return name_of(tail_.segment) + " is damaged behind tick " + last;
  if (header.after_tick > tick_) {
    return "ticks " + std::to_string(tick_.value + 1) + " to " +
           std::to_string(header.after_tick.value) + " are missing before " + name;
  }
  return name + " does not go on from tick " + last;
}

bool LogReader::go_to(const CheckpointAt& at) {
  ORRERY_ASSERT(tail_.complete_bytes > 0);
  std::unique_ptr<ByteSource> source;
  if (at.segment > 0) {
    if (!open_segment_) return false;
    Result<std::unique_ptr<ByteSource>> opened = open_segment_(at.segment);
    if (!opened || !opened.value()) return false;
    source = std::move(opened.value());
  }
  RecordStream stream(source ? *source : first_source_);
  if (!stream.seek(at.place.offset) || !begins_with_checkpoint(stream, at.place.tick)) return false;
  stream_ = std::move(stream);
  source_ = std::move(source);
  tick_ = at.place.tick;
  gap_ = true;
  ended_ = false;
  tail_ = {};
  tail_.segment = at.segment;
  tail_.complete_bytes = tail_.segment_bytes = at.place.offset;
  look_ahead();
  return true;
}

void LogReader::enter(Segment segment) {
  ORRERY_ASSERT(segment.header.after_tick >= tick_);
  gap_ = segment.header.after_tick > tick_;
  tail_.lost_ticks += segment.header.after_tick.value - tick_.value;
  tick_ = segment.header.after_tick;
  stream_ = std::move(segment.stream);
  source_ = std::move(segment.source);
  tail_.closed = false;
  tail_.seal.reset();
  tail_.segment = segment.number;
  tail_.segment_bytes = stream_.offset();
  tail_.complete_bytes += tail_.segment_bytes;
  look_ahead();
}

}  // namespace orrery
