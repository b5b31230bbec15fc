// Stores the segments of a session log as files on a disk that may fail.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/host/disk/file_system.h"
#include "common/host/disk/segment_watch.h"
#include "common/session/writer/segment_store.h"

namespace orrery::host {

// The files of the log at one path: PATH, PATH.0001, PATH.0002, ...
//
// A segment begins as a temporary file, which gets its name when the header is on the disk. Readers
// thus never find a part of a header. If it is unknown whether the header reached the disk, the
// segment is written again. Files that this object did not make are never replaced.
class SegmentFiles final : public session::SegmentStore {
 public:
  // `files` outlives this object.
  SegmentFiles(FileSystem& files, const std::string& path)
      : files_(files), path_(path), watch_(files, path) {}
  ~SegmentFiles() override { close_file(); }
  SegmentFiles(const SegmentFiles&) = delete;
  SegmentFiles& operator=(const SegmentFiles&) = delete;

  // The header of the first call also identifies the session. From then on, check() also watches
  // the segments that earlier runs of the session have written.
  Status create(const codec::LogHeader& header, Bytes bytes) override;
  Status append(Bytes bytes) override;
  void close() override;
  std::optional<session::SegmentLoss> check() override { return watch_.check(); }

  // Removes all files that this object made: segments and temporary files. No other call may
  // follow.
  void discard();

 private:
  // Watches the segments that earlier runs of the session have written.
  void watch_earlier(const codec::LogHeader& first);
  // Each returns 0, or the error number negated.
  int write_all(Bytes bytes);
  int sync();
  int publish(const std::string& draft, const std::string& path);
  int write_draft(const std::string& draft, const std::string& path, Bytes bytes);
  Status status(int result, const std::string& path) const;
  void close_file();

  FileSystem& files_;
  const std::string path_;
  SegmentWatch watch_;
  std::optional<std::uint32_t> first_;  // the first segment that this object began
  std::uint32_t segment_ = 0;           // number of the open segment, or of the next one
  std::uint64_t size_ = 0;              // size of that segment, in bytes
  int descriptor_ = -1;                 // of the open segment; -1: none is open
  bool name_is_ours_ = false;   // this object made the file of this segment: it may be replaced
  bool draft_is_ours_ = false;  // this object made its temporary file: it may be replaced
};

}  // namespace orrery::host
