// Writes a page about a divergence.
#pragma once

#include <optional>
#include <string>

#include "common/session/explain/explanation.h"

namespace orrery::cli {

// How the page names one of the two sessions.
struct PageLog {
  std::string name;  // the path of a log, or "replay"
  std::string build;
};

// Returns one HTML file that needs no other file and no script.
std::string divergence_page(const session::Explanation& explained, const PageLog& a,
                            const PageLog& b);

// Writes the page to a file and says so on stderr. Without a divergence it only says that there is
// nothing to write.
Status write_divergence_page(const std::string& path,
                             const std::optional<session::Explanation>& explained, const PageLog& a,
                             const PageLog& b);

}  // namespace orrery::cli
