// Writes a session log to the disk in a separate thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "common/core/result.h"
#include "common/host/disk/log_lock.h"
#include "common/host/disk/log_seal.h"
#include "common/host/disk/packing/segment_packer.h"
#include "common/host/disk/segment_files.h"
#include "common/session/writer/record_sink.h"
#include "common/session/writer/segmented_log.h"

namespace orrery::host {

// The behaviour of a session whose disk does not take its log.
enum class OnFailure {
  stop,  // append() waits for a slow disk; the first failure is final
  // append() never waits: records that the disk does not take yet are kept and tried again. When
  // too many wait, all records up to the next checkpoint are dropped.
  go_on
};

// A log on disk. append() copies a record into a queue; a thread frames, writes and syncs it.
// A record is on the disk within 100 ms, unless the disk is slow. If memory runs out, the log ends
// with the records that are on the disk by then.
class LogFile final : public session::RecordSink {
 public:
  // Begins a new log. Its file appears with the first write. An existing file is never changed,
  // but an empty one is removed, and so are temporary files of a killed program (claim_log()).
  static Result<std::unique_ptr<LogFile>> open(const std::string& path, OnFailure on_failure,
                                               FileSystem& files = file_system());

  // Begins a new log in the working folder: NAME.orrery, or NAME-2.orrery, ... if that name
  // is taken.
  static Result<std::unique_ptr<LogFile>> open_unused(const std::string& name,
                                                      OnFailure on_failure);

  // Continues the log at `path`, in the segment that the header passed to begin() names.
  // REQUIRES: this program holds `lock`, the lock of that log.
  static std::unique_ptr<LogFile> resume(const std::string& path, std::unique_ptr<LogLock> lock,
                                         OnFailure on_failure, FileSystem& files = file_system());

  // Closes the log, if it is not closed, and waits until the packing has ended.
  ~LogFile() override;

  // Puts seals into the log (host/disk/log_seal.h).
  // REQUIRES: begin() was not called; `sealer` has already added all records of the log.
  void seal_with(LogSealer sealer);

  // Returns the packer of the closed segments. Tell it of the last segment of the session's
  // previous run when the first segment of this run is on the disk. Cancel it if the destructor
  // must not wait.
  SegmentPacker& packer() { return *packer_; }

  // begin() and append() return false if the log has failed for good. With OnFailure::go_on they
  // always return true, even if they drop the record: LogState counts the lost ticks.
  bool begin(const codec::LogHeader& header, const session::LogRecord* checkpoint) override;
  bool append(const session::LogRecord& record) override;

  // Returns the path of the log's first segment.
  const std::string& path() const { return path_; }

  // Returns the state of the log after the last round of the thread, in which it tried to
  // write and sync all queued records.
  session::LogState state() const;

  // Waits until the thread has tried to write all queued records to the disk. Returns an Error if
  // the disk does not have all of them.
  Status sync();

  // Does the same as sync(), and then ends the thread. REQUIRES: it is called once.
  Status close();

  // Closes a log that is not wanted, and removes all segments that this object wrote. No record may
  // follow.
  void discard();

 private:
  LogFile(FileSystem& files, std::string path, std::unique_ptr<LogLock> lock, OnFailure on_failure);
  // Returns true if the queue has room for a record of `bytes` bytes. With OnFailure::stop, first
  // waits for room.
  bool has_room(std::unique_lock<std::mutex>& lock, std::size_t bytes);
  // Wakes the thread if kPromptBytes or more are queued.
  void wake_if_full();
  void write_until_closed();
  // Writes the records in `writing_` to the disk. `gap` is true if the records that followed them
  // were dropped.
  void write(bool gap);
  bool hopeless() const {
    const bool failed = state_.failing || !state_.damage.empty();
    return out_of_memory_ || (on_failure_ == OnFailure::stop && failed);
  }
  Status status() const;

  const std::string path_;
  const std::unique_ptr<LogLock> lock_;
  const OnFailure on_failure_;
  SegmentFiles files_;  // after begin() and until close() used by the thread only, as is log_
  session::SegmentedLog log_;
  std::optional<SegmentPacker> packer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  session::RecordBatch waiting_;    // the queue that append() fills
  session::RecordBatch writing_;    // the records that the thread is writing
  std::uint64_t rounds_asked_ = 0;  // number of the last round that sync() has requested
  std::uint64_t rounds_done_ = 0;
  // True while records after those in waiting_ were dropped and the thread does not know it yet.
  // Until then no more records are queued.
  bool gap_ = false;
  std::size_t largest_ = 0;  // with OnFailure::go_on: the largest record so far, in bytes
  bool closing_ = false;
  bool out_of_memory_ = false;
  session::LogState state_;
  std::thread thread_;
};

}  // namespace orrery::host
