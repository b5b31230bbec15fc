// Owns the making, the filling and the giving up of segments.
#include "common/host/disk/segment_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "common/core/hash.h"
#include "common/core/printable.h"
#include "common/host/disk/log_segments.h"
#include "common/session/record_stream.h"
#include "common/session/segment_start.h"
#include "common/session/versions.h"

namespace orrery::host {
namespace {

// Interrupted calls in a row that are made again; more are a failure.
constexpr int kInterruptionsMax = 100;

// What is kept of a log while the disk takes nothing: hours of a session of a few clients.
constexpr std::size_t kPendingMax = std::size_t{64} << 20;

Bytes payload_of(const session::RecordFrame& frame, Bytes record) {
  return record.subspan(frame.payload_offset, frame.payload_size);
}

// The frame of the record that `records` begin with.
session::RecordFrame front_of(Bytes records) {
  const std::optional<session::RecordFrame> frame = session::read_frame(records);
  ORRERY_ASSERT(frame && frame->size() <= records.size());
  return *frame;
}

Tick tick_of_checkpoint(Bytes payload) {
  const std::optional<session::Checkpoint> checkpoint = session::decode_checkpoint(payload);
  ORRERY_ASSERT(checkpoint);
  return checkpoint->tick;
}

}  // namespace

SegmentWriter::SegmentWriter(FileSystem& files, std::string path, std::size_t segment_bytes)
    : files_(files),
      path_(std::move(path)),
      segment_bytes_max_(segment_bytes),
      watch_(files, path_) {}

SegmentWriter::~SegmentWriter() {
  if (descriptor_ >= 0) files_.close(descriptor_);
}

void SegmentWriter::commit(Bytes records) {
  if (header_.rules == 0) {
    if (records.empty()) return;  // nothing has come yet
    records = take_start(records);
    if (sealer_ && header_.segment > 0) mark_resume(records);
  }
  look_for_damage();
  const std::uint64_t failures = state_.failures;
  while (!records.empty()) {
    const session::RecordFrame frame = front_of(records);
    take(frame, records.first(frame.size()));
    records = records.subspan(frame.size());
  }
  // A disk that failed just now is tried again by the next call.
  if (!state_.failing || state_.failures == failures) flush();
}

void SegmentWriter::discard() {
  const std::string last = segment_path(path_, state_.segment);
  if (descriptor_ >= 0) files_.close(descriptor_);
  descriptor_ = -1;
  if (draft_is_ours_) files_.remove(draft_path(last));
  if (name_is_ours_) files_.remove(last);
  for (std::uint32_t number = first_segment_; number < state_.segment; ++number) {
    files_.remove(segment_path(path_, number));
  }
}

Bytes SegmentWriter::take_start(Bytes records) {
  ORRERY_ASSERT(records.size() > session::kPreambleBytes);
  records = records.subspan(session::kPreambleBytes);
  const session::RecordFrame frame = front_of(records);
  ORRERY_ASSERT(frame.type == session::RecordType::header);
  header_ = std::move(codec::decode_log_header(payload_of(frame, records)).value());
  durable_ = {header_.after_tick, header_.after_checksum};
  state_.durable = header_.after_tick;
  state_.segment = header_.segment;
  first_segment_ = header_.segment;
  watch_earlier();
  if (sealer_ && header_.segment == 0) {
    sealer_->add(session::RecordType::header, payload_of(frame, records));
    place_seal();
  }
  return records.subspan(frame.size());
}

// A file without a sound start counts as no segment: it was begun in vain.
void SegmentWriter::watch_earlier() {
  const session::OpenSegment open = segments_of(path_, files_);
  for (std::uint32_t number = 0; number < first_segment_; ++number) {
    const auto source = open(number);
    if (!source || !source.value()) continue;
    session::RecordStream stream(*source.value());
    const Result<codec::LogHeader> start = session::read_start(stream);
    if (start && session::of_one_session(start.value(), header_)) {
      watch_.add_earlier(number, start.value().after_tick);
    }
  }
}

void SegmentWriter::mark_resume(Bytes records) {
  const session::RecordFrame frame = front_of(records);
  ORRERY_ASSERT(frame.type == session::RecordType::checkpoint);
  place(frame, records.first(frame.size()));
  sealer_->add(frame.type, payload_of(frame, records));
}

void SegmentWriter::take(const session::RecordFrame& frame, Bytes record) {
  if (frame.type == session::RecordType::checkpoint) {
    take_checkpoint(tick_of_checkpoint(payload_of(frame, record)));
  }
  if (!state_.skipping && pending_.size() > kPendingMax) {
    flush();
    state_.skipping = !pending_.empty();
  }
  if (state_.skipping) return;
  place(frame, record);
  if (!sealer_) return;
  sealer_->add(frame.type, payload_of(frame, record));
  if (frame.type == session::RecordType::checkpoint || frame.type == session::RecordType::end)
    place_seal();
}

// Here a segment may end, as the next one can begin with this checkpoint.
void SegmentWriter::take_checkpoint(Tick tick) {
  if (state_.skipping) {
    flush();
    if (!pending_.empty()) return;
    leave_segment();
    state_.skipping = false;
    state_.lost_ticks += tick.value - end_.tick.value;
    durable_.tick = tick;
    end_.tick = tick;
    header_.after_loss = true;
  } else if (descriptor_ >= 0 && segment_bytes_ >= segment_bytes_max_) {
    place_index();
    flush();
    if (!pending_.empty()) return;
    closed_.push_back(state_.segment);
    leave_segment();
  }
}

void SegmentWriter::place(const session::RecordFrame& frame, Bytes record) {
  const Bytes payload = payload_of(frame, record);
  if (frame.type == session::RecordType::index) return;  // each segment has its own
  if (frame.type == session::RecordType::end) place_index();
  // A segment that is not there yet appears whole, or not at all.
  if (session::is_barrier(frame.type) && descriptor_ >= 0) flush();
  if (session::is_tick(frame.type)) ++end_.tick.value;
  if (frame.type == session::RecordType::checkpoint) {
    session::add_to_index(index_, {tick_of_checkpoint(payload), segment_bytes_});
  }
  append(frame.type, payload);
}

void SegmentWriter::place_index() {
  session::encode_index(index_, segment_bytes_, payload_);
  append(session::RecordType::index, payload_);
}

void SegmentWriter::place_seal() {
  const session::LogSeal seal = sealer_->seal();
  sealer_->add(session::RecordType::seal, seal);
  append(session::RecordType::seal, seal);
}

void SegmentWriter::append(session::RecordType type, Bytes payload) {
  const std::size_t begin = pending_.size();
  end_.checksum = session::append_record(type, payload, {}, end_.checksum, pending_);
  segment_bytes_ += pending_.size() - begin;
}

void SegmentWriter::look_for_damage() {
  const std::optional<SegmentLoss> loss = watch_.check();
  if (!loss) return;
  whole_ = std::min(whole_, loss->after);
  state_.durable = std::min(state_.durable, whole_);
  if (state_.damage.empty()) state_.damage = loss->what;
  if (loss->segment != state_.segment) return;
  header_.after_loss = true;
  leave_segment();
}

void SegmentWriter::flush() {
  if (descriptor_ < 0) {
    if (!make_segment()) return;
  } else if (!pending_.empty() && !(write_all(pending_) && sync())) {
    header_.after_loss = true;
    return leave_segment();
  }
  pending_.clear();
  watch_.grow(segment_bytes_);
  durable_ = end_;
  state_.durable = std::min(end_.tick, whole_);
  state_.failing = false;
}

// A segment appears under its name with its header and all that is pending, or not at all: whoever
// reads never finds a part of a header. One that may not have arrived is made again, but no file of
// that name, or of the draft's, that was there before is touched.
bool SegmentWriter::make_segment() {
  const std::vector<std::uint8_t> start = begin_segment();
  const std::string path = segment_path(path_, state_.segment);
  const std::string draft = draft_path(path);
  descriptor_ = files_.create(draft, !draft_is_ours_);
  draft_is_ours_ = draft_is_ours_ || descriptor_ >= 0;
  const bool made = succeeded(descriptor_, true) && write_all(start) && write_all(pending_) &&
                    sync() && publish(draft, path) && succeeded(files_.sync_folder_of(path));
  if (made) {
    draft_is_ours_ = false;  // it has another name now
    watch_.begin(state_.segment, header_.after_tick);
    header_.scene = {};
    header_.after_loss = false;
    return true;
  }
  if (descriptor_ >= 0) {
    files_.close(descriptor_);
    const int removed = files_.remove(draft);
    draft_is_ours_ = removed < 0 && removed != -ENOENT;
  }
  descriptor_ = -1;
  return false;
}

bool SegmentWriter::publish(const std::string& draft, const std::string& path) {
  const int renamed = files_.rename(draft, path, name_is_ours_);
  // One that failed may have happened.
  name_is_ours_ = name_is_ours_ || renamed != -EEXIST;
  return succeeded(renamed);
}

std::vector<std::uint8_t> SegmentWriter::begin_segment() {
  header_.segment = state_.segment;
  header_.after_tick = durable_.tick;
  header_.after_checksum = durable_.checksum;
  std::vector<std::uint8_t> start;
  session::append_preamble(start);
  const std::uint64_t seed = checksum(start);
  codec::encode_log_header(header_, payload_);
  end_ = {durable_.tick,
          session::append_record(session::RecordType::header, payload_, {}, seed, start)};
  segment_bytes_ = start.size();
  index_.clear();
  const std::vector<std::uint8_t> records = std::move(pending_);
  pending_.clear();
  for (Bytes rest(records); !rest.empty();) {
    const session::RecordFrame frame = front_of(rest);
    place(frame, rest.first(frame.size()));
    rest = rest.subspan(frame.size());
  }
  return start;
}

void SegmentWriter::leave_segment() {
  if (descriptor_ < 0) return;
  files_.close(descriptor_);  // of what it may say nothing counts: all that does was synced
  descriptor_ = -1;
  ++state_.segment;
  name_is_ours_ = false;
}

bool SegmentWriter::write_all(Bytes bytes) {
  int interruptions = 0;
  while (!bytes.empty()) {
    const std::int64_t written = files_.write(descriptor_, bytes);
    if (written == -EINTR && ++interruptions < kInterruptionsMax) continue;
    if (!succeeded(written == 0 ? -EIO : written)) return false;
    interruptions = 0;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// A sync that failed is never tried again: the system may have forgotten what it could not write.
bool SegmentWriter::sync() { return succeeded(files_.sync(descriptor_)); }

bool SegmentWriter::succeeded(std::int64_t returned, bool of_draft) {
  if (returned >= 0) return true;
  ++state_.failures;
  state_.failing = true;
  const std::string path = segment_path(path_, state_.segment);
  state_.failure = printable(of_draft ? draft_path(path) : path) +
                   ": cannot be written: " + std::strerror(static_cast<int>(-returned));
  return false;
}

}  // namespace orrery::host
