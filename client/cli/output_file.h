// Owns the declaration of how files are written that take the place of others.
#pragma once

#include <string>

#include "common/core/result.h"

namespace orrery::cli {

// Writes the content beside the file of this name, if there is one, and puts it into its place when
// the disk has all of it: nothing is lost, and nothing left, if that fails. An Error starts with
// the path.
Status replace_file(const std::string& path, const std::string& content);

}  // namespace orrery::cli
