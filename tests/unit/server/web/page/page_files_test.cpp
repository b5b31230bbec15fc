// Tests which files of the page are served, and how.
#include "server/web/page/page_files.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

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

// Returns a text as a gzip file.
std::string packed(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(PageFiles, HaveTheirPathsTypesAndLifetimes) {
  const Folder folder;
  folder.write("index.html.gz", packed("index"));
  folder.write("app-0a1b2c3d.js.gz", packed("app"));
  folder.write("deep/core-deadbeef.wasm", "core");
  folder.write("app-short.js", "short");
  folder.write("my-javascript.js", "a name without a hash");
  folder.write("app-10a1b2c3d.js", "nine digits");
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_TRUE(page) << page.error().text();
  const PageFile* const index = page.value().find("/");
  ASSERT_TRUE(index);
  EXPECT_EQ(index, page.value().find("/index.html"));
  EXPECT_EQ(index->gzip, packed("index"));
  EXPECT_FALSE(index->immutable);
  EXPECT_EQ(index->bytes, "index");
  EXPECT_EQ(index->type, "text/html; charset=utf-8");
  const PageFile* const app = page.value().find("/app-0a1b2c3d.js");
  ASSERT_TRUE(app);
  EXPECT_TRUE(app->immutable && app->gzip == packed("app"));
  EXPECT_EQ(app->type, "text/javascript; charset=utf-8");
  const PageFile* const core = page.value().find("/deep/core-deadbeef.wasm");
  ASSERT_TRUE(core);
  EXPECT_TRUE(core->immutable && core->gzip.empty());
  EXPECT_EQ(core->type, "application/wasm");
  EXPECT_FALSE(page.value().find("/app-short.js")->immutable);
  EXPECT_FALSE(page.value().find("/my-javascript.js")->immutable);
  EXPECT_FALSE(page.value().find("/app-10a1b2c3d.js")->immutable);
  EXPECT_FALSE(page.value().find("/index.html.gz"));
  EXPECT_FALSE(page.value().find("/deep"));
  EXPECT_FALSE(page.value().find("index.html"));
}

TEST(PageFiles, AFileMayBeInTheFolderPackedAndUnpacked) {
  for (const char* name : {"a", "b"}) {  // whichever the folder lists first
    const Folder folder;
    folder.write(std::string(name) + ".html", "text");
    folder.write(std::string(name) + ".html.gz", packed("text"));
    const auto page = PageFiles::read(folder.path().string());
    ASSERT_TRUE(page) << page.error().text();
    const PageFile* const file = page.value().find('/' + std::string(name) + ".html");
    ASSERT_TRUE(file);
    EXPECT_EQ(file->bytes, "text");
    EXPECT_EQ(file->gzip, packed("text"));
  }
}

TEST(PageFiles, ADamagedGzipFileIsRefused) {
  const std::string good = packed(std::string(1000, 'x'));
  for (const std::string& bad : {std::string("index"), good.substr(0, good.size() / 2),
                                 good.substr(0, good.size() - 1), std::string()}) {
    const Folder folder;
    folder.write("index.html.gz", bad);
    const auto page = PageFiles::read(folder.path().string());
    ASSERT_FALSE(page) << bad.size();
    EXPECT_NE(page.error().text().find("index.html.gz: not a whole gzip file"), std::string::npos)
        << page.error().text();
  }
}

TEST(PageFiles, WhatAFileUnpacksToCountsAgainstTheLimit) {
  const Folder folder;
  folder.write("bomb.gz", packed(std::string(limits::kWebFileBytesMax, 'x')));
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().text().find("bomb.gz: too large when unpacked"), std::string::npos);
}

TEST(PageFiles, LinksAreSkipped) {
  const Folder folder;
  folder.write("index.html", "index");
  fs::create_symlink("/etc/passwd", folder.path() / "passwd");
  fs::create_directory_symlink("/etc", folder.path() / "etc");
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_TRUE(page.value().find("/"));
  EXPECT_FALSE(page.value().find("/passwd"));
  EXPECT_FALSE(page.value().find("/etc/passwd"));
}

TEST(PageFiles, AMissingFolderIsAnEmptyPage) {
  const auto page = PageFiles::read(::testing::TempDir() + "/no/such/folder");
  ASSERT_TRUE(page) << page.error().text();
  EXPECT_FALSE(page.value().find("/"));
}

TEST(PageFiles, AFolderWithTooManyFilesIsRefused) {
  const Folder folder;
  for (std::size_t i = 0; i < limits::kWebFilesMax; ++i) folder.write(std::to_string(i), "x");
  EXPECT_TRUE(PageFiles::read(folder.path().string()));
  folder.write("one more", "x");
  const auto page = PageFiles::read(folder.path().string());
  ASSERT_FALSE(page);
  EXPECT_NE(page.error().text().find("more than 256 files"), std::string::npos);
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
