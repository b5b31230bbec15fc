// Tests which files of the page are served, and how.
#include "server/web/page_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/core/limits.h"

namespace orrery::server::web {
namespace {

namespace fs = std::filesystem;

// A folder for one test.
class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_ =
      fs::path(::testing::TempDir()) / ("page_files_test." + std::to_string(::getpid()));
};

TEST(PageFiles, HaveTheirPathsTypesAndLifetimes) {
  const Folder folder;
  folder.write("index.html.gz", "index");
  folder.write("app-0a1b2c3d.js.gz", "app");
  folder.write("deep/core-deadbeef.wasm", "core");
  folder.write("app-short.js", "short");
  folder.write("my-javascript.js", "a name without a hash");
  folder.write("app-10a1b2c3d.js", "nine digits");
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_TRUE(page) << page.error().message;
  const PageFile* const index = page.value().find("/");
  ASSERT_TRUE(index);
  EXPECT_EQ(index, page.value().find("/index.html"));
  EXPECT_TRUE(index->is_gzip);
  EXPECT_FALSE(index->immutable);
  EXPECT_EQ(index->bytes, "index");
  EXPECT_EQ(index->type, "text/html; charset=utf-8");
  const PageFile* const app = page.value().find("/app-0a1b2c3d.js");
  ASSERT_TRUE(app);
  EXPECT_TRUE(app->immutable && app->is_gzip);
  EXPECT_EQ(app->type, "text/javascript; charset=utf-8");
  const PageFile* const core = page.value().find("/deep/core-deadbeef.wasm");
  ASSERT_TRUE(core);
  EXPECT_TRUE(core->immutable && !core->is_gzip);
  EXPECT_EQ(core->type, "application/wasm");
  EXPECT_FALSE(page.value().find("/app-short.js")->immutable);
  EXPECT_FALSE(page.value().find("/my-javascript.js")->immutable);
  EXPECT_FALSE(page.value().find("/app-10a1b2c3d.js")->immutable);
  EXPECT_FALSE(page.value().find("/index.html.gz"));
  EXPECT_FALSE(page.value().find("/deep"));
  EXPECT_FALSE(page.value().find("index.html"));
}

TEST(PageFiles, LinksAreSkipped) {
  const Folder folder;
  folder.write("index.html", "index");
  fs::create_symlink("/etc/passwd", folder.path() / "passwd");
  fs::create_directory_symlink("/etc", folder.path() / "etc");
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_TRUE(page.value().find("/"));
  EXPECT_FALSE(page.value().find("/passwd"));
  EXPECT_FALSE(page.value().find("/etc/passwd"));
}

TEST(PageFiles, AMissingFolderIsAnEmptyPage) {
  const auto page = PageFiles::read(::testing::TempDir() + "/no/such/folder");
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_FALSE(page.value().find("/"));
}

TEST(PageFiles, AFolderWithTooManyFilesIsRefused) {
  const Folder folder;
  for (std::size_t i = 0; i < limits::kWebFilesMax; ++i) folder.write(std::to_string(i), "x");
  EXPECT_TRUE(PageFiles::read(folder.path().string()));
  folder.write("one more", "x");
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().message.find("more than 256 files"), std::string::npos);
}

TEST(PageFiles, AFolderWithTooManyBytesIsRefused) {
  const Folder folder;
  folder.write("a", std::string(limits::kWebFileBytesMax, 'x'));
  EXPECT_TRUE(PageFiles::read(folder.path().string()));
  folder.write("b", "x");
  EXPECT_FALSE(PageFiles::read(folder.path().string()));
}

}  // namespace
}  // namespace orrery::server::web
