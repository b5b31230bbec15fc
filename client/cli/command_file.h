// Owns the commands of a session as a file of JSON lines (schema/log.md 7.1).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/core/ids.h"
#include "common/core/result.h"
#include "common/world/command.h"

namespace orrery::cli {

class CommandFile {
 public:
  // Reads all of it: no more than 64 MiB, twenty minutes of eight clients that never rest. An Error
  // names the file and the line.
  static Result<CommandFile> read(const std::string& path);

  // The commands of a tick, in their order; often none.
  std::span<const Command> at(Tick tick) const;

  // The tick of the last line, whether that has commands or not; 0 if there is no line.
  Tick last() const { return last_; }

 private:
  struct TickCommands {
    Tick tick;
    std::size_t begin = 0;  // in `commands_`; those of the next tick come behind
  };

  Status add_line(std::string_view line);
  Status add_commands(Tick tick, std::string_view list);

  std::vector<Command> commands_;
  std::vector<TickCommands> ticks_;  // that have some, ascending
  Tick last_;
};

}  // namespace orrery::cli
