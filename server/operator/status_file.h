// Owns the file of --status: readers find it whole.
#pragma once

#include <string>

#include "common/core/result.h"

namespace orrery::server {

// Returns an Error that starts with the path if the file cannot be replaced, or must not be: only
// an empty file or an earlier status file may have its name or that of its draft, and neither may
// be a name of the log. `log` may be empty.
Status check_status_file(const std::string& path, const std::string& log);

// Writes PATH.tmp and renames it. May wait for the disk. An Error starts with the path.
Status replace_status_file(const std::string& path, const std::string& text);

}  // namespace orrery::server
