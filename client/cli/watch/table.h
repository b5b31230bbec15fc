// A table with the position, speed and spin of each body.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "client/cli/watch/keys.h"
#include "client/cli/watch/moment.h"

namespace orrery::cli {

// Returns the line above a table: scene, tick, bodies and rate.
std::string table_title(const Moment& moment);

// A table with a line for each body. Keys choose the column to sort by, and scroll.
class Table {
 public:
  // Returns the heading of the columns.
  std::string heading(const Moment& moment) const;

  // Returns at most `count` lines of the table, from the line to which it is scrolled.
  std::vector<std::string> lines(const Moment& moment, std::size_t count);

  // Sorts or scrolls the table if the key is for that. Ignores other keys.
  void press(Key key);

 private:
  void scroll(std::ptrdiff_t lines);

  std::size_t column_ = 0;  // column to sort by
  bool descending_ = false;
  std::size_t first_ = 0;  // index of the line at the top
  // Number of lines that the last call of lines() asked for. The page keys scroll by this number.
  std::size_t page_ = 1;
};

}  // namespace orrery::cli
