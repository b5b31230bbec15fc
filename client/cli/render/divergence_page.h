// Owns the declaration of the page that tells of a divergence.
#pragma once

#include <string>

#include "client/cli/log_input.h"

namespace orrery::cli {

// What a log calls itself, for the page.
struct PageLog {
  std::string name;  // a path, or what stands in place of a log
  std::string build;
};

// One HTML file, with everything in it: it loads nothing and runs no script.
std::string divergence_page(const Explained& explained, const PageLog& a, const PageLog& b);

}  // namespace orrery::cli
