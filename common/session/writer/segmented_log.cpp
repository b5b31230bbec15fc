// Writes a session log as segments on storage that may fail.
#include "common/session/writer/segmented_log.h"

#include <algorithm>

namespace orrery::session {
namespace {

// Maximum bytes of records that wait for the storage. Beyond it, later records are dropped. The
// limit is enough for hours of a session with a few clients.
constexpr std::size_t kPendingMax = std::size_t{64} << 20;

}  // namespace

std::uint64_t durable_bytes(const LogState& log, std::uint32_t segment) {
  if (segment > log.segment) return 0;
  if (segment == log.segment) return log.segment_bytes;
  for (const CutSegment& cut : log.cut) {
    if (cut.segment == segment) return cut.bytes;
  }
  return ~std::uint64_t{0};
}

void SegmentedLog::commit(const RecordBatch& records) {
  ORRERY_ASSERT(begun_ || records.header() || records.empty());
  if (records.header()) begin(*records.header());
  if (!begun_) return;  // no record has arrived yet
  look_for_damage();
  const std::uint64_t failures = state_.failures;
  records.for_each([this](const LogRecord& record) { take(record); });
  // If the storage failed during take(), do not try again now: the next commit() does.
  if (!state_.failing || state_.failures == failures) flush();
}

void SegmentedLog::begin(const codec::LogHeader& header) {
  ORRERY_ASSERT(!begun_);
  begun_ = true;
  header_ = header;
  durable_ = {header.after_tick, header.after_checksum};
  state_.durable = header.after_tick;
  state_.segment = header.segment;
  if (!sealer_) return;
  repeats_checkpoint_ = header.segment > 0;
  if (repeats_checkpoint_) return;
  std::vector<std::uint8_t> payload;
  encode_log_header(header, payload);
  sealer_->add(RecordType::header, payload);
  keep_seal(header.after_tick);
}

void SegmentedLog::take(const LogRecord& record) {
  ORRERY_ASSERT(begun_);
  // A resumed log with seals begins with two copies of its first checkpoint. They show readers that
  // the next seal also covers the ticks before the resume.
  if (std::exchange(repeats_checkpoint_, false)) keep(record);
  if (record.type == RecordType::checkpoint) end_segment(record.tick);
  if (!state_.skipping && pending_.bytes() > kPendingMax) {
    flush();
    state_.skipping = !pending_.empty();
  }
  if (state_.skipping) return;
  // A barrier must not be stored before the records that precede it. A segment that is not created
  // yet needs no extra flush, because it appears whole or not at all.
  const bool is_end = record.type == RecordType::end;
  if (is_barrier(record.type) && open_) flush(is_end ? Index::with : Index::without);
  keep(record);
  if (sealer_ && is_barrier(record.type)) keep_seal(record.tick);
}

void SegmentedLog::end_segment(Tick checkpoint) {
  if (state_.skipping) {
    flush();
    if (!pending_.empty()) return;
    leave_segment();
    state_.skipping = false;
    ORRERY_ASSERT(checkpoint >= durable_.tick);
    state_.lost_ticks += checkpoint.value - durable_.tick.value;
    durable_.tick = checkpoint;
    header_.after_loss = true;
  } else if (open_ && segment_.size() + pending_.bytes() >= segment_bytes_max_) {
    if (!flush(Index::with)) return;
    closed_.push_back(state_.segment);
    leave_segment();
  }
}

void SegmentedLog::keep(const LogRecord& record) {
  ORRERY_ASSERT(record.image.empty());  // RecordBatch joins payload and image
  pending_.append(record);
  if (sealer_) sealer_->add(record.type, record.payload);
}

void SegmentedLog::keep_seal(Tick tick) {
  ORRERY_ASSERT(sealer_);
  const LogSeal seal = sealer_->seal();
  keep({RecordType::seal, tick, seal});
}

void SegmentedLog::look_for_damage() {
  ORRERY_ASSERT(begun_);
  const std::optional<SegmentLoss> loss = store_.check();
  if (!loss) return;
  whole_ = std::min(whole_, loss->after);
  state_.durable = std::min(state_.durable, whole_);
  if (state_.damage.empty()) state_.damage = loss->what;
  if (loss->segment != state_.segment) return;
  header_.after_loss = true;
  cut_segment();
}

bool SegmentedLog::flush(Index index) {
  ORRERY_ASSERT(begun_);
  framed_.clear();
  if (!open_) {
    header_.segment = state_.segment;
    header_.after_tick = durable_.tick;
    header_.after_checksum = durable_.checksum;
    segment_.start(header_, framed_);
  }
  pending_.for_each([this](const LogRecord& record) { segment_.append(record, framed_); });
  if (index == Index::with) segment_.append_index(framed_);
  if (!store()) return false;
  pending_.clear();
  durable_ = {segment_.tick(), segment_.checksum()};
  state_.durable = std::min(durable_.tick, whole_);
  state_.segment_bytes = segment_.size();
  state_.failing = false;
  return true;
}

bool SegmentedLog::store() {
  ORRERY_ASSERT(begun_ && (open_ || !framed_.empty()));  // a new segment has at least a header
  if (open_ && framed_.empty()) return true;
  const Status stored = open_ ? store_.append(framed_) : store_.create(header_, framed_);
  if (stored) {
    if (!open_) header_.scene = {};  // only the first segment has it
    if (!open_) header_.after_loss = false;
    open_ = true;
    return true;
  }
  ++state_.failures;
  state_.failing = true;
  state_.failure = stored.error().text();
  if (open_) header_.after_loss = true;
  cut_segment();
  return false;
}

void SegmentedLog::cut_segment() {
  ORRERY_ASSERT(begun_);
  ORRERY_ASSERT(!open_ || state_.segment == header_.segment);
  if (open_) state_.cut.push_back({state_.segment, state_.segment_bytes});
  leave_segment();
}

void SegmentedLog::leave_segment() {
  if (!open_) return;
  store_.close();
  open_ = false;
  ++state_.segment;
  state_.segment_bytes = 0;
}

}  // namespace orrery::session
