// Tests logging to stderr: the caller never waits, and dropped lines are counted.
#include "server/operator/operator_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace orrery {
namespace {

using std::chrono::milliseconds;

// A pipe of minimum size. Restores spdlog's logger afterwards.
class OperatorStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::pipe(pipe_), 0);
    ASSERT_GE(::fcntl(pipe_[1], F_SETPIPE_SZ, 4096), 4096);
  }
  void TearDown() override {
    spdlog::set_default_logger(before_);
    ::close(pipe_[0]);
  }

  // Reads until the other end is closed.
  std::string read_all() {
    std::string text;
    char part[4096];
    for (ssize_t size = 1; size > 0;) {
      size = ::read(pipe_[0], part, sizeof part);
      if (size > 0) text.append(part, static_cast<std::size_t>(size));
    }
    return text;
  }

  // Logs 5,000 lines while nobody reads the pipe. Then reads it and counts the dropped lines.
  void flood();

  int pipe_[2] = {-1, -1};
  std::shared_ptr<spdlog::logger> before_ = spdlog::default_logger();
};

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// Returns the sum of dropped lines that the text reports.
std::uint64_t dropped_lines(const std::string& text) {
  const std::string said = " warn  stderr lines dropped count=";
  std::uint64_t sum = 0;
  for (std::size_t at = text.find(said); at != text.npos; at = text.find(said, at + 1)) {
    sum += std::stoull(text.substr(at + said.size()));
  }
  return sum;
}

TEST_F(OperatorStreamTest, WritesLinesInOrderAndTheLastWordsByThemselves) {
  {
    server::OperatorStream stream(pipe_[1]);
    spdlog::warn("first");
    server::last_words("it was {} too large");
    EXPECT_TRUE(stream.drain(milliseconds(60'000)));
    EXPECT_EQ(stream.dropped(), 0u);
  }
  ::close(pipe_[1]);
  const std::string text = read_all();
  const std::string last = " warn  first\norreryd: it was {} too large\n";
  ASSERT_GE(text.size(), last.size());
  EXPECT_EQ(text.substr(text.size() - last.size()), last);
  EXPECT_EQ(count(text, "\n"), 2u);
}

void OperatorStreamTest::flood() {
  constexpr std::size_t kLines = 5000;
  std::string text;
  std::uint64_t dropped = 0;
  {
    server::OperatorStream stream(pipe_[1]);
    for (std::size_t i = 0; i < kLines; ++i) spdlog::info("line {} of a flood", i);
    EXPECT_FALSE(stream.drain(milliseconds(1)));
    std::thread reader([&] { text = read_all(); });
    EXPECT_TRUE(stream.drain(milliseconds(60'000)));
    dropped = stream.dropped();
    ::close(pipe_[1]);
    reader.join();
  }
  EXPECT_GT(dropped, kLines / 2);
  EXPECT_EQ(count(text, " of a flood\n") + dropped, kLines);
  EXPECT_EQ(dropped_lines(text), dropped);
  EXPECT_NE(text.find("line 4999 of a flood\n"), text.npos);
}

TEST_F(OperatorStreamTest, DropsAndCountsWhatNobodyReads) { flood(); }

// Another program that has the same pipe can set O_NONBLOCK for all writers of the pipe.
TEST_F(OperatorStreamTest, LosesNoPartOfALineInAPipeThatDoesNotBlock) {
  ASSERT_EQ(::fcntl(pipe_[1], F_SETFL, O_NONBLOCK), 0);
  flood();
}

}  // namespace
}  // namespace orrery
