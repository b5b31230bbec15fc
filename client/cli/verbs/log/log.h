// Declares the verbs of `orrery log`.
#pragma once

#include <string>

#include "client/cli/command_line/arguments.h"

namespace orrery::cli {

void add_log_info(Verb& log);
void add_log_check(Verb& log);
void add_log_export(Verb& log);
void add_log_repair(Verb& log);

struct LogCopyOptions {
  std::string log;
  std::string out;  // file to create
  bool json = false;
};

// Joins all files of a log into one, for `orrery log export --single`. Returns the exit code.
int log_join(const LogCopyOptions& options);

}  // namespace orrery::cli
