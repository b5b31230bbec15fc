// Reads a configuration file: TOML keys that are options of the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common/core/result.h"

namespace orrery::server {

// A key and its value as an argument of the command line.
struct ConfigEntry {
  std::string place;     // prefix of an error: "FILE: line 3: "
  std::string argument;  // for example --threads=2
};

// Reads a file in which the keys are the long names of options of `app`. Options that only make
// sense on the command line are refused. An Error is one line that names the file and, if possible,
// the line and the key.
Result<std::vector<ConfigEntry>> read_config(const std::string& path, CLI::App& app);

}  // namespace orrery::server
