// Reads the commands of a session from a file of JSON lines (schema/log.md 7.1).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/host/text/json_reader.h"
#include "common/world/command.h"

namespace orrery::cli {

// The commands of a session, grouped by tick.
class CommandFile {
 public:
  // Reads a whole file of at most 64 MiB. The place of an Error has the file, and also the line
  // and column if a line is wrong.
  static Result<CommandFile> read(const std::string& path);

  // Returns the commands of a tick, sorted by client and then by sequence number.
  std::span<const Command> at(Tick tick) const;

  // Returns the tick of the last line, even if this line has no commands; 0 if the file has no
  // lines.
  Tick last() const { return last_; }

 private:
  struct TickCommands {
    Tick tick;
    std::size_t begin = 0;  // first index in `commands_`; the next entry's `begin` is the end
  };

  Status add_line(std::string_view line);
  Status add_commands(Tick tick, const json::Value& list);

  std::vector<Command> commands_;
  std::vector<TickCommands> ticks_;  // the ticks with commands, ascending
  Tick last_;
};

}  // namespace orrery::cli
