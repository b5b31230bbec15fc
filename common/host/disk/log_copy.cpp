// Owns how records go from one log into another.
#include "common/host/disk/log_copy.h"

#include <limits>

#include "common/host/disk/log_segments.h"
#include "common/host/disk/segment_writer.h"

namespace orrery::host {
namespace {

// Writes records to the disk, batch by batch. The writer chains them anew, and adds the index.
class RecordFile {
 public:
  RecordFile(FileSystem& files, const std::string& path)
      : writer_(files, path, std::numeric_limits<std::size_t>::max()) {
    session::append_preamble(batch_);
  }

  // False if it has failed.
  bool append(session::RecordType type, Bytes payload) {
    constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
    if (batch_.size() + payload.size() > kBatchBytes && began_) commit();
    session::append_record(type, payload, {}, 0, batch_);
    began_ = true;
    return !writer_.state().failing;
  }

  Status finish() {
    commit();
    return writer_.state().failing ? Status(Error{writer_.state().failure}) : ok_status();
  }

  // Removes it.
  void discard() { writer_.discard(); }

 private:
  // What failed once is not tried again: the writer would go on in another file.
  void commit() {
    if (!writer_.state().failing) writer_.commit(batch_);
    batch_.clear();
  }

  SegmentWriter writer_;
  std::vector<std::uint8_t> batch_;
  bool began_ = false;  // the header is there, which the writer takes with the preamble
};

// Copies ticks, checkpoints and seals; false if the file has failed.
bool copy_records(session::LogReader& log, RecordFile& file, LogCopy& copy) {
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
    if (!file.append(*type, log.last_payload())) return false;
  }
  return true;
}

}  // namespace

Result<LogCopy> copy_log(session::LogReader& log, const codec::LogHeader& header,
                         const std::string& path, FileSystem& files) {
  ORRERY_ASSERT(header.segment == 0 && log.tick().value == 0);
  const LogClaim claim = claim_log(path, files);
  if (claim.name.error_number != 0) return claim.name.error(path);
  RecordFile file(files, path);
  LogCopy copy;
  copy.hash = header.initial_hash;
  const bool copied =
      file.append(session::RecordType::header, log.last_payload()) && copy_records(log, file, copy);
  const session::LogTail& tail = log.tail();
  if (copied && tail.closed && copy.whole) {
    std::vector<std::uint8_t> payload;
    session::encode_end(copy.last, payload);
    file.append(session::RecordType::end, payload);
    if (tail.seal) file.append(session::RecordType::seal, *tail.seal);
  }
  if (Status finished = file.finish(); !finished) {
    file.discard();
    return finished.error();
  }
  return copy;
}

}  // namespace orrery::host
