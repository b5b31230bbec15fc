// Owns the thread that brings a session log to the disk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "common/core/result.h"
#include "common/host/disk/log_lock.h"
#include "common/host/disk/segment_packer.h"
#include "common/host/disk/segment_writer.h"
#include "common/session/byte_sink.h"

namespace orrery::host {

// What becomes of a session whose log the disk does not take.
enum class OnFailure {
  stop,  // append() waits for a slow disk; the first failure is final
  go_on  // append() never waits: what the disk does not take yet is kept in memory, and tried again
};

// append() copies into a buffer; a thread writes and syncs it so often that what is appended is on
// the disk 100 ms later, but on a disk that suddenly takes longer.
// Where memory runs out, the log ends with what the disk has by then.
class LogFile final : public session::ByteSink {
 public:
  // Begins a new log. Its file appears with the first that is written; one that exists is never
  // touched, unless it is empty (claim_log()).
  static Result<std::unique_ptr<LogFile>> open(const std::string& path, OnFailure on_failure,
                                               FileSystem& files = file_system());

  // Begins a new log in the working folder: NAME.orrery, or NAME-2.orrery, ... if there is one.
  static Result<std::unique_ptr<LogFile>> open_unused(const std::string& name,
                                                      OnFailure on_failure);

  // Goes on with the log at `path`, of which this program holds the lock, in the segment that the
  // header appended first names.
  static std::unique_ptr<LogFile> resume(const std::string& path, std::unique_ptr<LogLock> lock,
                                         OnFailure on_failure, FileSystem& files = file_system());

  ~LogFile() override;

  // Puts seals into the log (host/disk/log_seal.h). Before anything is appended; `sealer` has what
  // the log holds already.
  void seal_with(LogSealer sealer);

  // Packs the segment with which the log ended before its session went on here, once this one is on
  // the disk. Returns at once.
  void pack(std::uint32_t ended_segment) { packer_->pack(ended_segment); }

  // Leaves segments as they are that are not packed yet, so that close() does not wait for that.
  void leave_unpacked() { packer_->cancel(); }

  // False if the log has failed for good.
  bool append(Bytes records) override;

  const std::string& path() const { return path_; }

  // As far as the thread has come.
  LogState state() const;

  // Waits until the thread has tried to bring all that was appended to the disk; an Error if not
  // all of it is there.
  Status sync();

  // Ends the thread, and does the same for the last time. Once.
  Status close();

  // Closes a log that is of no use, and removes all segments that were written here. Nothing may
  // follow.
  void discard();

 private:
  LogFile(FileSystem& files, std::string path, std::unique_ptr<LogLock> lock, OnFailure on_failure);
  void write_until_closed();
  // Brings what was taken over to the disk; behind it a gap begins, or none.
  void write(bool gap);
  bool hopeless() const {
    const bool failed = state_.failing || !state_.damage.empty();
    return out_of_memory_ || (on_failure_ == OnFailure::stop && failed);
  }
  Status status() const;

  const std::string path_;
  const std::unique_ptr<LogLock> lock_;
  const OnFailure on_failure_;
  SegmentWriter writer_;  // of the thread
  std::optional<SegmentPacker> packer_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint8_t> waiting_;  // filled by append()
  std::vector<std::uint8_t> writing_;  // of the thread
  std::uint64_t rounds_asked_ = 0;     // that the thread shall have begun
  std::uint64_t rounds_done_ = 0;
  bool gap_ = false;         // behind what waits: nothing is taken until the thread has that
  std::size_t largest_ = 0;  // of what was appended at once
  bool closing_ = false;
  bool out_of_memory_ = false;
  LogState state_;
  std::thread thread_;
};

}  // namespace orrery::host
