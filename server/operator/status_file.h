// Writes the status file, which readers always see complete.
#pragma once

#include <string>

#include "common/core/result.h"

namespace orrery::server {

// Checks that PATH and PATH.tmp may be replaced, and that PATH.tmp can be written. Each must be
// missing, empty, or an earlier status file. PATH must not be the name of a file of the log; `log`
// is the path of the log, or empty. An Error starts with the path.
Status check_status_file(const std::string& path, const std::string& log);

// Writes PATH.tmp and renames it to PATH. May wait for the disk. An Error starts with the path.
Status replace_status_file(const std::string& path, const std::string& text);

}  // namespace orrery::server
