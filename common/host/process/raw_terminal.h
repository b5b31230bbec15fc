// A terminal that shows whole pages and delivers each key at once.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery::host {

// A terminal in use for pages. If `output` is a terminal, it shows its alternate screen without a
// cursor. If `input` is a terminal, echo and line buffering are off. The destructor restores both.
class RawTerminal {
 public:
  // Takes two file descriptors, such as STDIN_FILENO and STDOUT_FILENO. They stay open.
  RawTerminal(int input, int output);
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // Returns at most 256 of the bytes that were typed and not returned yet. Does not wait. Returns
  // none if `input` is not a terminal.
  std::string typed() const;

  // Writes to the output. Returns false on an error: for example, the terminal is gone.
  bool write(std::string_view text) const;

 private:
  const int input_;
  const int output_;
  const bool shows_;
  const bool reads_;
  termios before_{};
};

// The size of a terminal in characters.
struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Returns the size of the terminal of a file descriptor, or 80 x 24 if it is unknown.
TerminalSize terminal_size(int descriptor);

}  // namespace orrery::host
