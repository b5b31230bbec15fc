// Replaces a file. If that fails, the old file is kept.
#pragma once

#include <string>

#include "common/core/result.h"

namespace orrery::cli {

// Writes a temporary file in the same folder, syncs it to the disk and renames it to `path`. If
// that fails, the old file is unchanged and the temporary file is removed. An Error starts with the
// path.
Status replace_file(const std::string& path, const std::string& content);

}  // namespace orrery::cli
