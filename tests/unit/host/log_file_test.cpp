// Owns the tests of the log on disk: everything arrives in order, and failures are told.
#include "common/host/log_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "common/core/rng.h"
#include "common/host/file.h"

namespace orrery {
namespace {

class LogFileTest : public testing::Test {
 protected:
  LogFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LogFileTest() override { std::filesystem::remove_all(folder_); }

  std::vector<std::uint8_t> content() const {
    std::vector<std::uint8_t> bytes;
    EXPECT_TRUE(FileSource::open(path()).value()->read_up_to(std::size_t{100} << 20, bytes));
    return bytes;
  }

  std::string path() const { return (folder_ / "a.orrery").string(); }

  std::filesystem::path folder_;
};

TEST_F(LogFileTest, KeepsEverythingInOrder) {
  constexpr std::uint64_t kSeed = 31;
  SplitMix64 draw(kSeed);
  std::vector<std::uint8_t> written;
  auto file = std::move(LogFile::open(path()).value());
  // More than can wait at one time, in pieces from nothing to larger than a prompt write.
  while (written.size() < std::size_t{20} << 20) {
    std::vector<std::uint8_t> piece(draw.below(1u << draw.below(20)));
    for (std::uint8_t& byte : piece) byte = static_cast<std::uint8_t>(draw.next());
    file->append(piece);
    written.insert(written.end(), piece.begin(), piece.end());
  }
  EXPECT_TRUE(file->close());
  EXPECT_TRUE(content() == written) << "seed " << kSeed;
}

TEST_F(LogFileTest, IsCompleteWhenDestroyed) {
  { LogFile::open(path()).value()->append(std::vector<std::uint8_t>{1, 2, 3}); }
  EXPECT_EQ(content(), (std::vector<std::uint8_t>{1, 2, 3}));
}

TEST_F(LogFileTest, NeverTouchesAFileThatExists) {
  std::ofstream(path()) << "precious";
  const auto refused = LogFile::open(path());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, path() + ": exists already; name a new file for the log");
  EXPECT_EQ(content().size(), 8u);
}

TEST_F(LogFileTest, FindsANameThatNobodyHas) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const char* name : {"a.orrery", "a-2.orrery", "a-3.orrery"}) {
    EXPECT_EQ(LogFile::open_unused("a").value()->path(), name);
  }
  std::filesystem::create_directory("gone");
  std::filesystem::current_path("gone");
  std::filesystem::remove(folder_ / "gone");
  const auto refused = LogFile::open_unused("a");
  std::filesystem::current_path(before);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            ".: no log can be made in this folder: No such file or directory");
}

TEST_F(LogFileTest, SaysWhereItCannotBe) {
  const auto refused = LogFile::open((folder_ / "no" / "log").string());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("No such file or directory"), std::string::npos);
}

// A disk that is full: the first failure is kept, and nobody waits for what will never be written.
TEST_F(LogFileTest, AFullDiskIsToldAndHoldsNothingUp) {
  constexpr rlim_t kRoom = 1 << 20;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{kRoom, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  auto file = std::move(LogFile::open(path()).value());
  const std::vector<std::uint8_t> piece(std::size_t{1} << 20);
  for (int i = 0; i < 64; ++i) file->append(piece);
  while (file->status().ok()) std::this_thread::yield();
  EXPECT_FALSE(file->append(piece));
  const Status status = file->close();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, path() + ": cannot be written: File too large");
  EXPECT_EQ(content().size(), kRoom);
}

}  // namespace
}  // namespace orrery
