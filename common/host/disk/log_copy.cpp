// Copies a session log into a new file of one segment.
#include "common/host/disk/log_copy.h"

#include <limits>

#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_files.h"
#include "common/session/writer/segmented_log.h"

namespace orrery::host {
namespace {

// The writer of a log that has one segment and an index. It collects records and writes them in
// batches.
class OneSegmentLog {
 public:
  OneSegmentLog(FileSystem& files, const std::string& path, const codec::LogHeader& header)
      : files_(files, path), log_(files_, std::numeric_limits<std::size_t>::max()) {
    batch_.begin(header, nullptr);
  }

  // Adds a record to the batch. Returns false if writing to the file has failed.
  bool append(session::RecordType type, Tick tick, Bytes payload) {
    constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
    if (batch_.bytes() + payload.size() > kBatchBytes) commit();
    batch_.append({type, tick, payload});
    return !log_.state().failing;
  }

  Status finish() {
    commit();
    return log_.state().failing ? Status(Error{log_.state().failure}) : ok_status();
  }

  void discard() { files_.discard(); }

 private:
  // Writes the batch. After a failure it writes nothing more, because the log would continue in
  // another file.
  void commit() {
    if (!log_.state().failing) log_.commit(batch_);
    batch_.clear();
  }

  SegmentFiles files_;
  session::SegmentedLog log_;
  session::RecordBatch batch_;
};

// Copies ticks, checkpoints and seals, up to the end or the first gap. Returns false if writing to
// the file has failed.
bool copy_records(session::LogReader& log, OneSegmentLog& file, LogCopy& copy) {
  session::TickRecord record;
  session::Checkpoint checkpoint;
  while (const std::optional<session::RecordType> type = log.next_record(record, checkpoint)) {
    if (session::is_tick(*type)) {
      copy.last = record.tick;
      copy.hash = record.hash;
    } else if (*type == session::RecordType::checkpoint && checkpoint.after_gap) {
      copy.whole = false;
      return true;
    }
    const Tick tick = *type == session::RecordType::checkpoint ? checkpoint.tick : copy.last;
    if (!file.append(*type, tick, log.last_payload())) return false;
  }
  return true;
}

}  // namespace

Result<LogCopy> copy_log(session::LogReader& log, const codec::LogHeader& header,
                         const std::string& path, FileSystem& files) {
  ORRERY_ASSERT(header.segment == 0 && log.tick().value == 0);
  const LogClaim claim = claim_log(path, files);
  if (claim.name.error_number != 0) return claim.name.error(path);
  OneSegmentLog file(files, path, header);
  LogCopy copy;
  copy.hash = header.initial_hash;
  const bool copied = copy_records(log, file, copy);
  const session::LogTail& tail = log.tail();
  if (copied && tail.closed && copy.whole) {
    std::vector<std::uint8_t> payload;
    session::encode_end(copy.last, payload);
    file.append(session::RecordType::end, copy.last, payload);
    if (tail.seal) file.append(session::RecordType::seal, copy.last, *tail.seal);
  }
  if (Status finished = file.finish(); !finished) {
    file.discard();
    return finished.error();
  }
  return copy;
}

}  // namespace orrery::host
