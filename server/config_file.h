// Reads a configuration file: TOML keys that are options of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace orrery::server {

// Reads a file in which the keys are the long names of options of `app`, and returns them as
// arguments of the command line, such as --threads=2. Options that only make sense on the command
// line are refused. The place of an Error has the file, and the line, column and key if one is
// wrong.
Result<std::vector<std::string>> read_config(const std::string& path, CLI::App& app);

}  // namespace orrery::server
