// A terminal that shows whole pages and delivers each key at once.
#include "common/host/process/raw_terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace orrery::host {
namespace {

constexpr std::string_view kEnterPages = "\033[?1049h\033[?25l";
constexpr std::string_view kLeavePages = "\033[?25h\033[?1049l";

}  // namespace

RawTerminal::RawTerminal(int input, int output)
    : input_(input), output_(output), shows_(::isatty(output) == 1), reads_(::isatty(input) == 1) {
  if (shows_) write(kEnterPages);
  if (!reads_) return;
  ::tcgetattr(input_, &before_);
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(input_, TCSANOW, &raw);
}

RawTerminal::~RawTerminal() {
  if (reads_) ::tcsetattr(input_, TCSANOW, &before_);
  if (shows_) write(kLeavePages);
}

std::string RawTerminal::typed() const {
  std::array<char, 256> buffer;
  const ssize_t count = reads_ ? ::read(input_, buffer.data(), buffer.size()) : 0;
  return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count)) : std::string();
}

bool RawTerminal::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(output_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{output_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {};
  }
  return {size.ws_col, size.ws_row};
}

}  // namespace orrery::host
