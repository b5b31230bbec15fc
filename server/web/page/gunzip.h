// Unpacks a file of the page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/core/result.h"

namespace orrery::server::web {

// Returns the content of a gzip file. Returns an Error if it has more than `bytes_max` bytes, or if
// the file is damaged. The caller prepends the name of the file.
Result<std::string> gunzip(std::string_view packed, std::size_t bytes_max);

}  // namespace orrery::server::web
