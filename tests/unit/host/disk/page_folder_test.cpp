// Tests where programs look for the page.
#include "common/host/disk/page_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace orrery::host {
namespace {

TEST(PageFolder, LiesBesideTheFolderOfTheProgram) {
  const std::filesystem::path page = page_folder();
  EXPECT_EQ(page.filename(), "web");
  const auto prefix = page.parent_path().parent_path().parent_path();
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  EXPECT_EQ(prefix, program.parent_path().parent_path());
}

}  // namespace
}  // namespace orrery::host
