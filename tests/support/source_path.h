// Finds files of the checkout, for tests that read pages and golden data.
#pragma once

#include <string>

namespace orrery::test {

// Returns the absolute path of a file, given relative to the root of the checkout.
std::string source_path(const std::string& relative);

}  // namespace orrery::test
