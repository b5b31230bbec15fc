// Tests which names and locks a new log can have.
#include "common/host/disk/log_segments.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "common/host/disk/log_file.h"

namespace orrery {
namespace {

class LogSegmentsTest : public testing::Test {
 protected:
  LogSegmentsTest() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LogSegmentsTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "a.orrery").string(); }

  std::filesystem::path folder_;
};

// A new log replaces an empty file, but no link, folder or pipe.
TEST_F(LogSegmentsTest, OnlyAnEmptyFileCountsAsNone) {
  const auto expect_refused = [&](const char* what) {
    EXPECT_FALSE(host::LogFile::open(path(), host::OnFailure::stop)) << what;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(path()))) << what;
    std::filesystem::remove(path());
  };
  std::filesystem::create_symlink("/dev/null", path());
  expect_refused("a link to a device");
  std::ofstream(folder_ / "empty") << "";
  std::filesystem::create_symlink(folder_ / "empty", path());
  expect_refused("a link to an empty file");
  std::filesystem::create_directory(path());
  expect_refused("a folder");
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  expect_refused("a pipe");
}

TEST_F(LogSegmentsTest, TakesNoNameThatReadersTakeForASegmentOfAnotherLog) {
  for (const char* number : {".0001", ".0700", ".12345"}) {
    const std::string name = path() + number;
    std::ofstream(path()) << "precious";
    const auto refused = host::LogFile::open(name, host::OnFailure::stop);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text(), name + ": has the name of a segment of " + path() +
                                          ", which exists already; give the log another name");
    EXPECT_FALSE(std::filesystem::exists(name));
    std::filesystem::remove(path());
    EXPECT_TRUE(host::LogFile::open(name, host::OnFailure::stop)) << "there is no such log";
    std::filesystem::remove(name);
    std::filesystem::create_directory(path());
    EXPECT_TRUE(host::LogFile::open(name, host::OnFailure::stop)) << "a folder is no log";
    std::filesystem::remove(path());
  }
  std::ofstream(path()) << "precious";
  for (const char* other : {".0000", ".1", ".00001", ".0001a", ".-001", "."}) {
    EXPECT_TRUE(host::LogFile::open(path() + other, host::OnFailure::stop)) << other;
  }
}

// A log also needs names for its temporary files and its lock. The log is refused if another file
// has one of these names. It is also refused if its own name would be that of a temporary file or
// lock of another log.
TEST_F(LogSegmentsTest, TakesNoNameWhoseDraftsOrLockAreSomebodyElses) {
  for (const char* ending : {".tmp", ".0001.tmp", ".0065.tmp", ".lock"}) {
    const std::string other = path() + ending;
    std::ofstream(other) << "precious";
    const auto refused = host::LogFile::open(path(), host::OnFailure::stop);
    ASSERT_FALSE(refused) << ending;
    EXPECT_EQ(refused.error().text(), other + ": exists already, but the writer of " + path() +
                                          " needs this name; move it away");
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_EQ(std::filesystem::file_size(other), 8u);
    std::filesystem::remove(other);
  }
  for (const char* ending : {".tmp", ".0002.tmp", ".lock"}) {
    std::ofstream(path()) << "precious";
    const auto refused = host::LogFile::open(path() + ending, host::OnFailure::stop);
    ASSERT_FALSE(refused) << ending;
    EXPECT_EQ(refused.error().text(), path() + ending + ": has the name of a segment of " + path() +
                                          ", which exists already; give the log another name");
    std::filesystem::remove(path());
    EXPECT_TRUE(host::LogFile::open(path() + ending, host::OnFailure::stop))
        << "there is no such log";
    std::filesystem::remove(path() + ending);
  }
}

TEST_F(LogSegmentsTest, FindsANameThatNobodyHas) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  std::vector<std::unique_ptr<host::LogFile>> files;
  for (const char* name : {"a.orrery", "a-2.orrery", "a-3.orrery"}) {
    files.push_back(std::move(host::LogFile::open_unused("a", host::OnFailure::stop).value()));
    EXPECT_EQ(files.back()->path(), name);
  }
  files.clear();
  std::filesystem::create_directory("gone");
  std::filesystem::current_path("gone");
  std::filesystem::remove(folder_ / "gone");
  const auto refused = host::LogFile::open_unused("a", host::OnFailure::stop);
  std::filesystem::current_path(before);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(),
            ".: no log can be made in this folder: No such file or directory; give "
            "another file with --log FILE");
}

// A killed program leaves the lock file, but the lock ends with the program.
TEST_F(LogSegmentsTest, ALockIsGoneWithWhoHeldIt) {
  std::ofstream(path() + ".lock") << "";
  EXPECT_FALSE(host::is_being_written(path()));
  for (int i = 0; i < 2; ++i) {
    const host::LogLock lock(host::file_system(), path());
    EXPECT_EQ(lock.error_number(), 0);
    EXPECT_EQ(host::LogLock(host::file_system(), path()).error_number(), EWOULDBLOCK);
    EXPECT_TRUE(host::is_being_written(path()));
    EXPECT_TRUE(std::filesystem::exists(path() + ".lock"));
  }
  EXPECT_FALSE(std::filesystem::exists(path() + ".lock"));
}

TEST_F(LogSegmentsTest, WhatIsNoEmptyFileIsNoLock) {
  const std::filesystem::path lock = path() + ".lock";
  const auto expect_refused = [&] {
    EXPECT_EQ(host::LogLock(host::file_system(), path()).error_number(), EEXIST);
    SerialExecutor executor;
    EXPECT_EQ(host::recover_log(path(), executor).error().text(),
              lock.string() + ": exists already, but the writer of " + path() +
                  " needs this name; move it away");
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(lock)));
    std::filesystem::remove(lock);
  };
  std::ofstream(lock) << "precious";
  expect_refused();
  std::filesystem::create_directory(lock);
  expect_refused();
  std::filesystem::create_symlink("elsewhere", lock);
  expect_refused();
  ASSERT_EQ(mkfifo(lock.c_str(), 0600), 0);
  expect_refused();
}

}  // namespace
}  // namespace orrery
