// Tests opening of files: /dev/null is read, other devices and folders are refused.
#include "common/host/disk/file.h"

#include <gtest/gtest.h>

namespace orrery {
namespace {

TEST(FileSource, ReadsDevNullWhichEndsAtOnce) {
  const auto file = host::FileSource::open("/dev/null");
  ASSERT_TRUE(file) << file.error().text();
  std::vector<std::uint8_t> bytes;
  EXPECT_TRUE(file.value()->read_up_to(100, bytes));
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(file.value()->size(), 0u);
}

TEST(FileSource, ReadsNoDeviceOrFolder) {
  EXPECT_EQ(host::FileSource::open("/dev/zero").error().text(),
            "/dev/zero: is a device; expected a file");
  EXPECT_EQ(host::FileSource::open("/dev").error().text(), "/dev: is a directory; expected a file");
}

}  // namespace
}  // namespace orrery
