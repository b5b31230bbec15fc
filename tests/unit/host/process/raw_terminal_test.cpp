// Tests RawTerminal, which shows pages on a terminal, with a pseudo terminal.
#include "common/host/process/raw_terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace orrery::host {
namespace {

// A pseudo terminal. `user` is the side of the person at the keyboard.
class RawTerminalTest : public testing::Test {
 protected:
  RawTerminalTest() {
    user_ = ::posix_openpt(O_RDWR | O_NOCTTY);
    ::grantpt(user_);
    ::unlockpt(user_);
    terminal_ = ::open(::ptsname(user_), O_RDWR | O_NOCTTY);
  }
  ~RawTerminalTest() override {
    ::close(terminal_);
    ::close(user_);
  }

  // Returns the text that has arrived on the screen. Waits for it. REQUIRES: some text arrives
  // within five seconds.
  std::string screen() const {
    pollfd ready{user_, POLLIN, 0};
    ::poll(&ready, 1, 5000);
    char buffer[256];
    const ssize_t count = ::read(user_, buffer, sizeof buffer);
    return {buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  int user_ = -1;
  int terminal_ = -1;
};

TEST_F(RawTerminalTest, KeysArriveWithoutEnterAndWithoutEcho) {
  termios before{};
  ASSERT_EQ(::tcgetattr(terminal_, &before), 0);
  {
    const RawTerminal raw(terminal_, terminal_);
    EXPECT_EQ(screen(), "\033[?1049h\033[?25l");
    EXPECT_EQ(raw.typed(), "");
    ASSERT_EQ(::write(user_, "q\033[A", 4), 4);
    pollfd ready{terminal_, POLLIN, 0};
    ASSERT_EQ(::poll(&ready, 1, 5000), 1);
    EXPECT_EQ(raw.typed(), "q\033[A");
    EXPECT_TRUE(raw.write("page"));
    EXPECT_EQ(screen(), "page");  // and no echo
  }
  EXPECT_EQ(screen(), "\033[?25h\033[?1049l");
  termios after{};
  ASSERT_EQ(::tcgetattr(terminal_, &after), 0);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
}

TEST_F(RawTerminalTest, KnowsTheSize) {
  const winsize size{.ws_row = 33, .ws_col = 101, .ws_xpixel = 0, .ws_ypixel = 0};
  ASSERT_EQ(::ioctl(user_, TIOCSWINSZ, &size), 0);
  EXPECT_EQ(terminal_size(terminal_).columns, 101u);
  EXPECT_EQ(terminal_size(terminal_).rows, 33u);
}

TEST(RawTerminal, LeavesPipesAlone) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    const RawTerminal raw(ends[0], ends[1]);
    EXPECT_EQ(raw.typed(), "");
    EXPECT_EQ(terminal_size(ends[1]).columns, 80u);
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);  // nothing was written
  ::close(ends[0]);
}

}  // namespace
}  // namespace orrery::host
