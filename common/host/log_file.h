// Owns a session log on disk: a file, and the thread that writes it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/core/result.h"
#include "common/session/byte_sink.h"

namespace orrery {

// append() copies into a buffer, and a thread writes it at the latest 45 ms later, so a slow disk
// does not hold up the tick: only after 16 MiB wait does append() wait too. After the first failed
// write nothing more is written: what is in the file stays a valid log with a torn tail.
class LogFile final : public ByteSink {
 public:
  // Makes a new file; one that exists is never touched.
  static Result<std::unique_ptr<LogFile>> open(const std::string& path);

  // Makes a new file in the working folder: NAME.orrery, or NAME-2.orrery, ... if there is one.
  static Result<std::unique_ptr<LogFile>> open_unused(const std::string& name);

  ~LogFile() override;

  bool append(Bytes bytes) override;

  const std::string& path() const { return path_; }

  // The first failure so far, if any.
  Status status() const;

  // Writes what waits, and asks the disk to keep it (fsync). Returns status(). Once.
  Status close();

 private:
  LogFile(int descriptor, std::string path);
  void write_until_closed();
  void fail(int error_number);

  const int descriptor_;
  const std::string path_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::uint8_t> waiting_;  // filled by append()
  std::vector<std::uint8_t> writing_;  // of the thread
  bool closing_ = false;
  std::string failure_;
  std::thread thread_;
};

}  // namespace orrery
