// Simulates a disk in memory that fails on request and loses unsynced data in a crash.
#pragma once

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "common/core/rng.h"
#include "common/host/disk/file_system.h"
#include "common/host/disk/log_segments.h"
#include "tests/support/memory_log.h"

namespace orrery::test {

// A fault of one call or, with `for_ever`, of this call and all later ones. Calls count from 1. A
// call with the fault `stopped` changes no file, as if the machine had been switched off before.
struct DiskFault {
  enum class Kind { io_error, no_space, interrupted, short_write, stopped };

  std::uint64_t call = 0;
  Kind kind = Kind::io_error;
  bool for_ever = false;
};

// A file system that behaves as Linux does after a failed sync. The system then counts the
// unwritten data as written. Reads still return it, until a crash or until the system drops it from
// memory. Then it is lost, even if later syncs succeed. Faults apply only to the calls create,
// write, sync, close, rename, remove and sync_folder_of, and only these are counted. Calls for lock
// files are not counted.
class SimulatedDisk : public host::FileSystem {
 public:
  using Content = std::vector<std::uint8_t>;
  using Folder = std::map<std::string, Content>;

  explicit SimulatedDisk(std::uint64_t seed, std::vector<DiskFault> faults = {})
      : draw_(seed), faults_(std::move(faults)) {}

  // hang(true) blocks every sync() of a file until hang(false). All other calls still work.
  void hang(bool hangs) {
    const std::lock_guard lock(mutex_);
    hangs_ = hangs;
    answers_.notify_all();
  }

  // --- FileSystem ---

  int create(const std::string& path, bool must_be_new) override {
    const std::lock_guard lock(mutex_);
    if (const int error = fault()) return error;
    if (must_be_new && names_.contains(path)) return -EEXIST;
    if (!names_.contains(path)) make_file(path);
    open_.push_back(names_.at(path));
    *open_.back() = File{.inode = open_.back()->inode};
    return static_cast<int>(open_.size() - 1);
  }

  std::int64_t write(int descriptor, Bytes bytes) override {
    const std::lock_guard lock(mutex_);
    File& file = at(descriptor);
    if (active(DiskFault::Kind::stopped)) return fault();
    const bool shortened = active(DiskFault::Kind::short_write);
    const int error = fault();
    // A failed write may have written a part.
    const std::size_t taken = error || shortened ? (bytes.size() + 1) / 2 : bytes.size();
    if (error != -EINTR) {
      file.content.insert(file.content.end(), bytes.begin(),
                          bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    return error ? error : static_cast<std::int64_t>(taken);
  }

  int sync(int descriptor) override {
    std::unique_lock lock(mutex_);
    answers_.wait(lock, [this] { return !hangs_; });
    File& file = at(descriptor);
    if (active(DiskFault::Kind::stopped)) return fault();
    const int error = fault();
    if (error) file.lost.push_back({file.clean, file.content.size()});
    file.clean = file.content.size();
    return error;
  }

  int close(int descriptor) override {
    const std::lock_guard lock(mutex_);
    if (locks_.erase(descriptor) > 0) return 0;
    at(descriptor);
    open_[static_cast<std::size_t>(descriptor)].reset();
    return fault();
  }

  int rename(const std::string& from, const std::string& to, bool may_replace) override {
    const std::lock_guard lock(mutex_);
    if (!names_.contains(from)) return -ENOENT;
    if (!may_replace && names_.contains(to)) return -EEXIST;
    const bool stopped = active(DiskFault::Kind::stopped);
    const int error = fault();
    // A rename can fail after it took effect.
    if (error && (stopped || draw_.below(2) == 0)) return error;
    change_names([=, file = names_.at(from)](Names& names) {
      names.erase(from);
      names[to] = file;
    });
    return error;
  }

  int remove(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (is_lock(path)) {  // the removal of a lock file is not counted, and has no faults
      if (!active(DiskFault::Kind::stopped)) {
        change_names([=](Names& names) { names.erase(path); });
      }
      return 0;
    }
    if (const int error = fault()) return error;
    if (!names_.contains(path)) return -ENOENT;
    change_names([=](Names& names) { names.erase(path); });
    return 0;
  }

  int sync_folder_of(const std::string&) override {
    const std::lock_guard lock(mutex_);
    if (const int error = fault()) return error;
    for (const auto& change : changes_) change(names_on_disk_);
    changes_.clear();
    return 0;
  }

  int exists(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return names_.contains(path) ? 1 : 0;
  }

  bool is_folder(const std::string&) override { return false; }

  int look(const std::string& path, host::FileLook& found) override {
    const std::lock_guard lock(mutex_);
    ++looks_;
    if (!names_.contains(path)) return -ENOENT;
    const File& file = *names_.at(path);
    found = {true, 1, file.inode, file.content.size(), 0};
    return 0;
  }

  int lock(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    for (const auto& [descriptor, locked] : locks_) {
      if (locked == path) return -EWOULDBLOCK;
    }
    if (!names_.contains(path) && !active(DiskFault::Kind::stopped)) make_file(path);
    const int descriptor = kFirstLock + ++locks_taken_;
    locks_[descriptor] = path;
    return descriptor;
  }

  bool is_locked(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    return std::any_of(locks_.begin(), locks_.end(),
                       [&](const auto& held) { return held.second == path; });
  }

  int settle(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (!names_.contains(path)) return -ENOENT;
    ++settled_[path];
    File& file = *names_.at(path);
    lose(file, file.content);
    file.lost.clear();
    file.clean = file.content.size();
    return 0;
  }

  Result<std::unique_ptr<session::ByteSource>> open(const std::string& path) override {
    const std::lock_guard lock(mutex_);
    if (!names_.contains(path)) return Error{path + ": cannot be read: No such file or directory"};
    return std::unique_ptr<session::ByteSource>(new OpenFile(names_.at(path)->content));
  }

  // --- controls of the test ---

  // Replaces all faults.
  void set_faults(std::vector<DiskFault> faults) {
    const std::lock_guard lock(mutex_);
    faults_ = std::move(faults);
  }

  // Truncates a file, as another program could.
  void truncate(const std::string& path, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    File& file = *names_.at(path);
    file.content.resize(bytes);
    file.clean = std::min(file.clean, bytes);
  }

  // Restarts the machine: keeps only the data that survives a crash. REQUIRES: no file is open.
  void cut_power() {
    const Folder folder = content_after_crash();
    const std::lock_guard lock(mutex_);
    names_.clear();
    for (const auto& [path, content] : folder) {
      names_[path] = std::make_shared<File>(File{content, content.size(), {}, ++inodes_});
    }
    names_on_disk_ = names_;
    changes_.clear();
  }

  // --- inspection by the test ---

  std::uint64_t calls() const { return calls_; }
  // Number of calls of look().
  std::uint64_t looks() const { return looks_; }
  // Returns the number of calls of settle() for each path.
  const std::map<std::string, int>& settled() const { return settled_; }

  // Returns the files as a program would read them now, except lock files.
  Folder content() {
    const std::lock_guard lock(mutex_);
    Folder folder;
    for (const auto& [path, file] : names_) {
      if (!is_lock(path)) folder[path] = file->content;
    }
    return folder;
  }

  // Returns the files as they could be after a power cut now. Of the creations, renames and
  // removals since the last sync of the folder, the first k survive, for a random k. Data that a
  // failed sync has lost is zero or random. Each sector written since the last sync of its file may
  // be new, old, zero or torn, and the file may end earlier.
  Folder content_after_crash() {
    const std::lock_guard lock(mutex_);
    Names names = names_on_disk_;
    const std::size_t arrived = draw_.below(static_cast<std::uint32_t>(changes_.size()) + 1);
    for (std::size_t i = 0; i < arrived; ++i) changes_[i](names);
    Folder folder;
    for (const auto& [path, file] : names) folder[path] = crashed(*file);
    return folder;
  }

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct File {
    Content content = {};
    std::size_t clean = 0;         // bytes that the system believes are on the disk
    std::vector<Range> lost = {};  // ranges below `clean` that never reached the disk
    std::uint64_t inode = 0;
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;

  // A file as it was when it was opened.
  class OpenFile final : public session::ByteSource {
   public:
    explicit OpenFile(Content content) : content_(std::move(content)), bytes_(content_) {}
    std::size_t read(std::span<std::uint8_t> into) override { return bytes_.read(into); }
    bool seek(std::uint64_t offset) override { return bytes_.seek(offset); }
    std::uint64_t size() const override { return bytes_.size(); }

   private:
    const Content content_;
    MemorySource bytes_;
  };

  static constexpr int kFirstLock = 1'000'000;  // descriptors of locks are above those of files

  File& at(int descriptor) {
    ORRERY_ASSERT(descriptor >= 0 && static_cast<std::size_t>(descriptor) < open_.size());
    ORRERY_ASSERT(open_[static_cast<std::size_t>(descriptor)]);
    return *open_[static_cast<std::size_t>(descriptor)];
  }

  // Returns the fault of the next call, or nullptr.
  const DiskFault* next_fault() const {
    for (const DiskFault& fault : faults_) {
      if (fault.call == calls_ + 1 || (fault.for_ever && fault.call <= calls_)) return &fault;
    }
    return nullptr;
  }

  bool active(DiskFault::Kind kind) const { return next_fault() && next_fault()->kind == kind; }

  // Counts a call. Returns its negative error number, or 0.
  int fault() {
    const DiskFault* const fault = next_fault();
    ++calls_;
    if (!fault || fault->kind == DiskFault::Kind::short_write) return 0;
    if (fault->kind == DiskFault::Kind::no_space) return -ENOSPC;
    return fault->kind == DiskFault::Kind::interrupted ? -EINTR : -EIO;
  }

  template <class Change>
  void change_names(Change change) {
    change(names_);
    changes_.push_back(change);
  }

  void make_file(const std::string& path) {
    auto file = std::make_shared<File>(File{.inode = ++inodes_});
    change_names([=](Names& names) { names[path] = file; });
  }

  void spoil(Content& content, std::size_t begin, std::size_t end, bool zero) {
    for (std::size_t i = begin; i < end; ++i) {
      content[i] = zero ? 0 : static_cast<std::uint8_t>(draw_.next());
    }
  }

  // Overwrites the data that a failed sync has lost.
  void lose(const File& file, Content& content) {
    for (const Range& range : file.lost) {
      spoil(content, range.begin, range.end, draw_.below(2) == 0);
    }
  }

  // Returns a file as it could be after a crash.
  Content crashed(const File& file) {
    constexpr std::size_t kSector = 512;
    Content content = file.content;
    lose(file, content);
    const std::uint32_t fates = draw_.below(2) == 0 ? 4 : 32;  // few sectors survive, or most
    for (std::size_t at = file.clean; at < content.size();) {
      const std::size_t end = std::min(content.size(), at / kSector * kSector + kSector);
      // 0: the sector is zero. 1: it has old bytes, here random ones. 2: it is torn, random from
      // some byte on. Else: it is as written.
      const std::uint32_t fate = draw_.below(fates);
      if (fate < 3)
        spoil(content, fate == 2 ? at + draw_.below(512) % (end - at) : at, end, fate == 0);
      at = end;
    }
    const auto unsynced = static_cast<std::uint32_t>(content.size() - file.clean);
    if (draw_.below(2) == 0) content.resize(file.clean + draw_.below(unsynced + 1));
    return content;
  }

  bool is_lock(const std::string& path) const { return path.ends_with(".lock"); }

  std::mutex mutex_;  // the log writer has its own thread
  std::condition_variable answers_;
  bool hangs_ = false;
  SplitMix64 draw_;
  std::vector<DiskFault> faults_;
  std::uint64_t calls_ = 0;
  std::uint64_t looks_ = 0;
  std::map<std::string, int> settled_;
  std::vector<std::shared_ptr<File>> open_;  // indexed by descriptor
  Names names_;
  Names names_on_disk_;
  std::map<int, std::string> locks_;  // held locks by descriptor
  int locks_taken_ = 0;
  std::uint64_t inodes_ = 0;
  std::vector<std::function<void(Names&)>> changes_;  // changes since the last sync of the folder
};

// Returns a function that opens the segments of LOG. REQUIRES: the folder outlives it.
inline session::OpenSegment segments_in(const SimulatedDisk::Folder& folder) {
  return [&folder](std::uint32_t number) -> Result<std::unique_ptr<session::ByteSource>> {
    const auto file = folder.find(host::segment_path("LOG", number));
    if (file == folder.end()) return std::unique_ptr<session::ByteSource>();
    return std::unique_ptr<session::ByteSource>(new MemorySource(file->second));
  };
}

}  // namespace orrery::test
