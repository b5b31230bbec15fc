// Tests the readers of the log for HTTP responses.
#include "server/web/log_body.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace orrery::server::web {
namespace {

TEST(LogReaders, HaveAPlaceForEight) {
  LogReaders readers;
  std::vector<std::shared_ptr<void>> places;
  for (int i = 0; i < limits::kWebLogReadersMax; ++i) {
    places.push_back(readers.take_place());
    EXPECT_TRUE(places.back()) << i;
  }
  EXPECT_FALSE(readers.take_place());
  places.pop_back();
  EXPECT_TRUE(readers.take_place());
}

// Opens a file by a body. Returns the size that it finds.
std::uint64_t size_of(const std::string& path, bool cancelled) {
  boost::asio::io_context context;
  LogReaders readers;
  const auto body = std::make_shared<LogBody>(context, readers.threads(), readers.take_place());
  if (cancelled) body->cancel();
  std::uint64_t found = 99;
  body->open(path, [&](std::uint64_t size) { found = size; });
  readers.threads().join();
  context.run();
  return found;
}

TEST(LogBody, ReadsNothingAfterItWasCancelled) {
  const std::string path = testing::TempDir() + "log_body_test";
  std::ofstream(path) << "twelve bytes";
  EXPECT_EQ(size_of(path, false), 12u);
  EXPECT_EQ(size_of(path, true), 0u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace orrery::server::web
