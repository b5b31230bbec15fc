// Tests that a write on the real and on the simulated disk appends, even if the file was cut since
// the previous write. The file is then too short but has no hole.
#include "common/host/disk/file_system.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "common/host/disk/segment_watch.h"
#include "tests/support/simulated_disk.h"

namespace orrery {
namespace {

using test::SimulatedDisk;

// A folder that is removed with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "orrery-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Cuts a log file between two writes. The SegmentWatch must find the file whole before the cut and
// too short after the second write.
template <class Cut>
void check_cut_before_write(host::FileSystem& files, const std::string& path, Cut cut) {
  const int descriptor = files.create(path, true);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(files.write(descriptor, SimulatedDisk::Content(100, 7)), 100);
  host::SegmentWatch watch(files, path);
  watch.begin(0, Tick{0});
  watch.grow(100);
  EXPECT_FALSE(watch.check());
  cut(path, 10);
  ASSERT_EQ(files.write(descriptor, SimulatedDisk::Content(50, 8)), 50);
  watch.grow(150);
  const auto loss = watch.check();
  ASSERT_TRUE(loss);
  EXPECT_NE(loss->what.find(": was cut from 150 to 60 bytes "), std::string::npos) << loss->what;
  files.close(descriptor);
}

TEST(FileSystem, WritesAtTheEndOfAFileThatWasCut) {
  const TemporaryFolder folder;
  check_cut_before_write(host::file_system(), folder.file("LOG"),
                         [](const std::string& path, std::size_t bytes) {
                           std::filesystem::resize_file(path, bytes);
                         });
}

TEST(SimulatedDisk, WritesAtTheEndOfAFileThatWasCut) {
  SimulatedDisk disk(1);
  check_cut_before_write(
      disk, "LOG", [&](const std::string& path, std::size_t bytes) { disk.truncate(path, bytes); });
}

}  // namespace
}  // namespace orrery
