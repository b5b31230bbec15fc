// Owns the reading of a configuration file: TOML keys that are options of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace orrery::server {

// A key of a file and its value, as an argument of a command line.
struct ConfigEntry {
  std::string place;     // for an error: "FILE: line 3: "
  std::string argument;  // --threads=2
};

// Reads a file whose keys are the long names of the options of `app`, except those that only a
// command line can have. An Error is one line that names the file and, if there is one, the line
// and the key.
Result<std::vector<ConfigEntry>> read_config(const std::string& path, CLI::App& app);

}  // namespace orrery::server
